//! Changes to comments and replies.

use entity::{
    authoring::comments::{ActiveModel, CommentStatus, Model},
    ids::CommentId,
    timestamp::Timestamp,
};
use openapi::{
    error::ApiError,
    models::{Comment, CommentFormat, CommentReply, CommentText, UpdateComment, UpdateCommentReply},
};
use platform::db::Tx;
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::{Set, Unchanged},
    ConnectionTrait, DbErr,
};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    body, comment_not_found, comment_target, queries,
    reactions::ReactionPatch,
    reply_not_found, reply_target,
    scope::{CommentRights, CommentScope},
    store,
};
use crate::{
    areas::{
        authoring::{Authoring, comment_counts::CountChange},
        library::tree,
    },
    kernel::{Kernel, audit::Changed},
};

/// The changes that a request asks for.
pub struct CommentPatch {
    resolved: Option<bool>,
    body: Option<CommentText>,
    reactions: ReactionPatch,
    /// For the audit log: without the text.
    payload: Value,
}

impl CommentPatch {
    fn new(
        resolved: Option<bool>,
        body: Option<CommentText>,
        added: Option<Vec<String>>,
        removed: Option<Vec<String>>,
    ) -> Result<Self, ApiError> {
        Ok(Self {
            payload: json!({
                "resolved": resolved, "body": body.is_some(), "addedReactions": added, "removedReactions": removed,
            }),
            reactions: ReactionPatch::new(added, removed)?,
            resolved,
            body,
        })
    }
}

impl TryFrom<UpdateComment> for CommentPatch {
    type Error = ApiError;

    fn try_from(body: UpdateComment) -> Result<Self, ApiError> {
        Self::new(body.resolved, body.body, body.added_reactions, body.removed_reactions)
    }
}

impl TryFrom<UpdateCommentReply> for CommentPatch {
    type Error = ApiError;

    fn try_from(body: UpdateCommentReply) -> Result<Self, ApiError> {
        Self::new(None, body.body, body.added_reactions, body.removed_reactions)
    }
}

/// A validated patch, ready to be applied.
#[derive(Clone)]
struct PreparedPatch {
    by: CommentRights,
    now: Timestamp,
    /// The id of a change of numbers that are kept.
    part: Uuid,
    resolved: Option<bool>,
    text: Option<String>,
    reactions: ReactionPatch,
}

impl PreparedPatch {
    async fn new(kernel: &Kernel, scope: &CommentScope, patch: CommentPatch) -> Result<(Self, Value), ApiError> {
        let text = match patch.body {
            Some(body) => Some(body::to_markdown(kernel, "/body/body", body).await?),
            None => None,
        };
        let change = Self {
            by: scope.rights,
            now: kernel.clock.now(),
            part: kernel.ids.next(),
            resolved: patch.resolved,
            text,
            reactions: patch.reactions,
        };
        Ok((change, patch.payload))
    }

    /// Changes a comment or a reply, and the status of the first comment of the thread. Returns whether anything
    /// changed.
    async fn apply(self, tx: &Tx, row: &Model, first: &Model) -> Result<bool, ApiError> {
        let mut changed = false;
        if let Some(text) = self.text {
            self.by.require_edit(row.author_id)?;
            changed |= set_body(tx, row, text, self.now).await?;
        }
        if let Some(resolved) = self.resolved {
            self.by.require_resolve(first.author_id)?;
            if set_resolved(tx, first, resolved, self.by, self.now).await? {
                CountChange::resolved(first, resolved).write(tx, self.part).await?;
                changed = true;
            }
        }
        changed |= self
            .reactions
            .apply(tx, row.id, self.by.user, self.now, self.part)
            .await?;
        Ok(changed)
    }
}

pub async fn update_comment(
    authoring: &Authoring,
    scope: CommentScope,
    id: CommentId,
    patch: CommentPatch,
) -> Result<Comment, ApiError> {
    let (change, payload) = PreparedPatch::new(&authoring.kernel, &scope, patch).await?;
    let (space, place) = (scope.node.clone(), scope.place);
    let work = move |tx| async move {
        tree::reload(&tx, &space).await?;
        let row = store::find(&tx, &place, id).await?.ok_or_else(comment_not_found)?;
        let changed = change.apply(&tx, &row, &row).await?;
        Changed::if_some(changed.then(|| comment_target(&space, id))).with(payload)
    };
    authoring.kernel.write(&scope.caller, work).await?;
    authoring.count_parts.changed().await;
    queries::get_comment(&authoring.kernel, &scope, id, CommentFormat::Markdown).await
}

pub async fn update_reply(
    authoring: &Authoring,
    scope: CommentScope,
    comment: CommentId,
    id: CommentId,
    patch: CommentPatch,
) -> Result<CommentReply, ApiError> {
    let (change, payload) = PreparedPatch::new(&authoring.kernel, &scope, patch).await?;
    let (space, place) = (scope.node.clone(), scope.place);
    let work = move |tx| async move {
        tree::reload(&tx, &space).await?;
        let first = store::find(&tx, &place, comment).await?.ok_or_else(comment_not_found)?;
        let row = store::find_reply(&tx, &place, comment, id).await?;
        let row = row.ok_or_else(reply_not_found)?;
        let changed = change.apply(&tx, &row, &first).await?;
        Changed::if_some(changed.then(|| reply_target(&space, id))).with(payload)
    };
    authoring.kernel.write(&scope.caller, work).await?;
    authoring.count_parts.changed().await;
    queries::get_reply(&authoring.kernel, &scope, comment, id, CommentFormat::Markdown).await
}

async fn set_body(db: &impl ConnectionTrait, row: &Model, text: String, now: Timestamp) -> Result<bool, DbErr> {
    if text == row.body {
        return Ok(false);
    }
    let edited = ActiveModel {
        id: Unchanged(row.id),
        body: Set(text),
        edited_at: Set(Some(now)),
        ..Default::default()
    };
    edited.update(db).await?;
    Ok(true)
}

async fn set_resolved(
    db: &impl ConnectionTrait,
    row: &Model,
    resolved: bool,
    by: CommentRights,
    now: Timestamp,
) -> Result<bool, DbErr> {
    let status = if resolved {
        CommentStatus::Resolved
    } else {
        CommentStatus::Open
    };
    if status == row.status {
        return Ok(false);
    }
    let updated = ActiveModel {
        id: Unchanged(row.id),
        status: Set(status),
        resolved_at: Set(resolved.then_some(now)),
        resolved_by: Set(resolved.then_some(by.user)),
        ..Default::default()
    };
    updated.update(db).await?;
    Ok(true)
}
