//! Emoji reactions to comments and replies.

use std::collections::BTreeMap;

use entity::{
    comments::reactions::{Column, Entity, Model},
    ids::{CommentId, UserId},
    timestamp::Timestamp,
};
use openapi::{
    error::{ApiError, ErrorRule, ErrorType},
    models::ErrorDetail,
};
use rich_text::{canonical_emoji_code, emoji_of_shortcode};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, QuerySelect,
    sea_query::{ExprTrait, OnConflict},
};

/// The maximum number of distinct emoji on one comment.
const MAX_DISTINCT_EMOJI: i64 = 100;

/// The reactions that a user adds and removes, keyed by the normalized emoji.
#[derive(Clone, Default)]
pub struct ReactionPatch {
    added: BTreeMap<String, String>,
    removed: Vec<String>,
}

impl ReactionPatch {
    /// An emoji in both lists is removed.
    pub fn new(added: Option<Vec<String>>, removed: Option<Vec<String>>) -> Result<Self, ApiError> {
        let mut unknown = Vec::new();
        let added = resolve_shortcodes("addedReactions", added, &mut unknown);
        let removed = resolve_shortcodes("removedReactions", removed, &mut unknown);
        ApiError::refuse(unknown)?;
        let removed: Vec<String> = removed.iter().map(|emoji| canonical_emoji_code(emoji)).collect();
        let mut added_by_code = BTreeMap::new();
        for emoji in added {
            let code = canonical_emoji_code(&emoji);
            if !removed.contains(&code) {
                added_by_code.entry(code).or_insert(emoji);
            }
        }
        Ok(Self {
            added: added_by_code,
            removed,
        })
    }

    /// Returns whether a reaction was added or removed.
    pub async fn apply(
        self,
        db: &impl ConnectionTrait,
        comment: CommentId,
        user: UserId,
        now: Timestamp,
    ) -> Result<bool, ApiError> {
        let mut changed = false;
        if !self.removed.is_empty() {
            let gone = Entity::delete_many()
                .filter(Column::CommentId.eq(comment))
                .filter(Column::UserId.eq(user))
                .filter(Column::Emoji.is_in(self.removed))
                .exec(db)
                .await?;
            changed = gone.rows_affected > 0;
        }
        let rows = self.added.into_iter().map(|(emoji, written)| Model {
            comment_id: comment,
            user_id: user,
            emoji,
            written,
            reacted_at: now,
        });
        if insert(db, rows.collect()).await? > 0 {
            require_distinct_limit(db, comment).await?;
            changed = true;
        }
        Ok(changed)
    }
}

/// Replaces shortcodes by their emoji.
fn resolve_shortcodes(member: &str, sent: Option<Vec<String>>, unknown: &mut Vec<ErrorDetail>) -> Vec<String> {
    let mut emoji = Vec::new();
    for (i, text) in sent.into_iter().flatten().enumerate() {
        if !text.starts_with(':') {
            emoji.push(text);
        } else if let Some(known) = emoji_of_shortcode(&text) {
            emoji.push(known.to_owned());
        } else {
            unknown.push(ErrorDetail {
                pointer: format!("/body/{member}/{i}"),
                code: ErrorRule::UnknownShortcode,
                message: "Is not the shortcode of an emoji.".to_owned(),
            });
        }
    }
    emoji
}

/// Inserts reactions and keeps existing ones. Returns the number of new ones.
async fn insert(db: &impl ConnectionTrait, rows: Vec<Model>) -> Result<u64, DbErr> {
    if rows.is_empty() {
        return Ok(0);
    }
    let rows = rows.into_iter().map(|row| row.into_active_model().reset_all());
    let once = OnConflict::columns([Column::CommentId, Column::UserId, Column::Emoji])
        .do_nothing()
        .to_owned();
    let inserted = Entity::insert_many(rows)
        .on_conflict(once)
        .exec_without_returning(db)
        .await;
    match inserted {
        Ok(new) => Ok(new),
        Err(DbErr::RecordNotInserted) => Ok(0),
        Err(e) => Err(e),
    }
}

async fn require_distinct_limit(db: &impl ConnectionTrait, comment: CommentId) -> Result<(), ApiError> {
    let different: Option<i64> = Entity::find()
        .select_only()
        .column_as(Column::Emoji.into_expr().count_distinct(), "different")
        .filter(Column::CommentId.eq(comment))
        .into_tuple()
        .one(db)
        .await?;
    if different > Some(MAX_DISTINCT_EMOJI) {
        let message = format!("A comment can have at most {MAX_DISTINCT_EMOJI} different emoji.");
        return Err(ApiError::new(ErrorType::TooManyReactions, message));
    }
    Ok(())
}
