//! Emoji reactions to comments and replies.

use std::collections::{BTreeMap, HashSet};

use entity::{
    authoring::comments::reactions::{Column, Entity, Model},
    ids::{CommentId, UserId},
    timestamp::Timestamp,
};
use openapi::{
    error::{ApiError, ErrorRule, ErrorType},
    models::ErrorDetail,
};
use platform::db::Tx;
use rich_text::{canonical_emoji_code, emoji_of_shortcode};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, QuerySelect,
    sea_query::OnConflict,
};
use uuid::Uuid;

use crate::areas::authoring::reaction_counts;

/// The maximum number of distinct emoji on one comment.
const MAX_DISTINCT_EMOJI: usize = 100;

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

    /// Returns whether a reaction was added or removed. `part` is a new id.
    pub async fn apply(
        self,
        tx: &Tx,
        comment: CommentId,
        user: UserId,
        now: Timestamp,
        part: Uuid,
    ) -> Result<bool, ApiError> {
        let existing = self.existing(tx, comment, user).await?;
        let removed: Vec<String> = self
            .removed
            .into_iter()
            .filter(|code| existing.contains(code))
            .collect();
        let rows = self.added.into_iter().filter(|(code, _)| !existing.contains(code));
        let rows = rows.map(|(emoji, written)| Model {
            comment_id: comment,
            user_id: user,
            emoji,
            written,
            reacted_at: now,
        });
        let rows: Vec<Model> = rows.collect();
        let less = removed.iter().map(|emoji| (emoji.clone(), -1));
        let more = rows.iter().map(|row| (row.emoji.clone(), 1));
        let changes: Vec<(String, i32)> = less.chain(more).collect();
        if changes.is_empty() {
            return Ok(false);
        }
        delete(tx, comment, user, removed).await?;
        let has_new = !rows.is_empty();
        insert(tx, rows).await?;
        reaction_counts::add(tx, comment, changes, part).await?;
        if has_new {
            require_distinct_limit(tx, comment).await?;
        }
        Ok(true)
    }

    /// The emoji of the patch that the user has reacted with.
    async fn existing(
        &self,
        db: &impl ConnectionTrait,
        comment: CommentId,
        user: UserId,
    ) -> Result<HashSet<String>, DbErr> {
        if self.added.is_empty() && self.removed.is_empty() {
            return Ok(HashSet::new());
        }
        let emoji = self.added.keys().chain(&self.removed);
        let found = Entity::find()
            .select_only()
            .column(Column::Emoji)
            .filter(Column::CommentId.eq(comment))
            .filter(Column::UserId.eq(user))
            .filter(Column::Emoji.is_in(emoji.cloned()));
        Ok(found.into_tuple().all(db).await?.into_iter().collect())
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

async fn delete(db: &impl ConnectionTrait, comment: CommentId, user: UserId, emoji: Vec<String>) -> Result<(), DbErr> {
    if emoji.is_empty() {
        return Ok(());
    }
    Entity::delete_many()
        .filter(Column::CommentId.eq(comment))
        .filter(Column::UserId.eq(user))
        .filter(Column::Emoji.is_in(emoji))
        .exec(db)
        .await?;
    Ok(())
}

async fn insert(db: &impl ConnectionTrait, rows: Vec<Model>) -> Result<(), DbErr> {
    if rows.is_empty() {
        return Ok(());
    }
    let rows = rows.into_iter().map(|row| row.into_active_model().reset_all());
    // The same reaction by a concurrent transaction is a serialization failure then, which is retried.
    let once = OnConflict::columns([Column::CommentId, Column::UserId, Column::Emoji])
        .do_nothing()
        .to_owned();
    Entity::insert_many(rows)
        .on_conflict(once)
        .exec_without_returning(db)
        .await?;
    Ok(())
}

async fn require_distinct_limit(db: &impl ConnectionTrait, comment: CommentId) -> Result<(), ApiError> {
    let counted = reaction_counts::sums_of([comment]);
    let different = db.query_all(&counted).await?.len();
    if different > MAX_DISTINCT_EMOJI {
        let message = format!("A comment can have at most {MAX_DISTINCT_EMOJI} different emoji.");
        return Err(ApiError::new(ErrorType::TooManyReactions, message));
    }
    Ok(())
}
