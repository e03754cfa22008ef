//! Changing and deleting comments and replies.

use entity::{
    comments::{ActiveModel, CommentStatus, Entity, Model},
    ids::CommentId,
    nodes,
    timestamp::Timestamp,
};
use openapi::{
    error::ApiError,
    models::{Comment, CommentFormat, CommentReply, CommentText, UpdateComment, UpdateCommentReply},
};
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::{Set, Unchanged},
    ConnectionTrait, DbErr, EntityTrait,
};
use serde_json::{Value, json};

use crate::{
    app::{
        App,
        audit::{Changed, Target},
    },
    areas::library::tree::moving,
};

use super::{
    body, listing,
    reacting::Reactions,
    reply_target,
    scope::{Rights, Scope},
    store, target, unknown, unknown_reply,
};

/// What a request wants to change.
pub struct Wanted {
    resolved: Option<bool>,
    body: Option<CommentText>,
    reactions: Reactions,
    /// For the audit log, without the text.
    payload: Value,
}

impl Wanted {
    fn new(
        resolved: Option<bool>,
        body: Option<CommentText>,
        added: Option<Vec<String>>,
        removed: Option<Vec<String>>,
    ) -> Self {
        Self {
            payload: json!({
                "resolved": resolved, "body": body.is_some(), "addedReactions": added, "removedReactions": removed,
            }),
            reactions: Reactions::new(added, removed),
            resolved,
            body,
        }
    }
}

impl From<UpdateComment> for Wanted {
    fn from(body: UpdateComment) -> Self {
        Self::new(body.resolved, body.body, body.added_reactions, body.removed_reactions)
    }
}

impl From<UpdateCommentReply> for Wanted {
    fn from(body: UpdateCommentReply) -> Self {
        Self::new(None, body.body, body.added_reactions, body.removed_reactions)
    }
}

/// The same, read and ready to be applied.
#[derive(Clone)]
struct Change {
    by: Rights,
    now: Timestamp,
    resolved: Option<bool>,
    text: Option<String>,
    reactions: Reactions,
}

impl Change {
    async fn new(app: &App, scope: &Scope, wanted: Wanted) -> Result<(Self, Value), ApiError> {
        let text = match wanted.body {
            Some(body) => Some(body::read("/body/body", body).await?),
            None => None,
        };
        let change = Self {
            by: scope.rights,
            now: app.clock.now(),
            resolved: wanted.resolved,
            text,
            reactions: wanted.reactions,
        };
        Ok((change, wanted.payload))
    }

    /// Changes a comment or a reply, and the status of the comment that began the discussion. Answers whether anything is
    /// different now.
    async fn apply(self, db: &impl ConnectionTrait, row: &Model, first: &Model) -> Result<bool, ApiError> {
        let mut changed = false;
        if let Some(text) = self.text {
            self.by.require_text_of(row.author_id)?;
            changed |= edit(db, row, text, self.now).await?;
        }
        if let Some(resolved) = self.resolved {
            self.by.require_settling(first.author_id)?;
            changed |= settle(db, first, resolved, self.by, self.now).await?;
        }
        changed |= self.reactions.apply(db, row.id, self.by.user, self.now).await?;
        Ok(changed)
    }
}

pub async fn comment(app: &App, scope: Scope, id: CommentId, wanted: Wanted) -> Result<Comment, ApiError> {
    let (change, payload) = Change::new(app, &scope, wanted).await?;
    let (space, place) = (scope.node.clone(), scope.place);
    let work = move |tx| async move {
        moving::again(&tx, &space).await?;
        let row = store::find(&tx, &place, id).await?.ok_or_else(unknown)?;
        let changed = change.apply(&tx, &row, &row).await?;
        Changed::if_some(changed.then(|| target(&space, id))).with(payload)
    };
    app.write(&scope.caller, work).await?;
    listing::comment(app, &scope, id, CommentFormat::Markdown).await
}

pub async fn reply(
    app: &App,
    scope: Scope,
    comment: CommentId,
    id: CommentId,
    wanted: Wanted,
) -> Result<CommentReply, ApiError> {
    let (change, payload) = Change::new(app, &scope, wanted).await?;
    let (space, place) = (scope.node.clone(), scope.place);
    let work = move |tx| async move {
        moving::again(&tx, &space).await?;
        let first = store::find(&tx, &place, comment).await?.ok_or_else(unknown)?;
        let row = store::find_reply(&tx, &place, comment, id).await?;
        let row = row.ok_or_else(unknown_reply)?;
        let changed = change.apply(&tx, &row, &first).await?;
        Changed::if_some(changed.then(|| reply_target(&space, id))).with(payload)
    };
    app.write(&scope.caller, work).await?;
    listing::reply(app, &scope, comment, id, CommentFormat::Markdown).await
}

async fn edit(db: &impl ConnectionTrait, row: &Model, text: String, now: Timestamp) -> Result<bool, DbErr> {
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

async fn settle(
    db: &impl ConnectionTrait,
    row: &Model,
    resolved: bool,
    by: Rights,
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
    let settled = ActiveModel {
        id: Unchanged(row.id),
        status: Set(status),
        resolved_at: Set(resolved.then_some(now)),
        resolved_by: Set(resolved.then_some(by.user)),
        ..Default::default()
    };
    settled.update(db).await?;
    Ok(true)
}

/// With its replies and all reactions: the foreign keys cascade.
pub async fn delete(app: &App, scope: Scope, id: &str) -> Result<(), ApiError> {
    let Ok(id) = id.parse() else {
        return Ok(());
    };
    let (space, place, by) = (scope.node, scope.place, scope.rights);
    let work = move |tx| async move {
        let found = store::find(&tx, &place, id).await?;
        remove(&tx, found, by, &space, target).await
    };
    app.write(&scope.caller, work).await
}

pub async fn delete_reply(app: &App, scope: Scope, comment: &str, id: &str) -> Result<(), ApiError> {
    let (Ok(comment), Ok(id)) = (comment.parse(), id.parse()) else {
        return Ok(());
    };
    let (space, place, by) = (scope.node, scope.place, scope.rights);
    let work = move |tx| async move {
        let found = store::find_reply(&tx, &place, comment, id).await?;
        remove(&tx, found, by, &space, reply_target).await
    };
    app.write(&scope.caller, work).await
}

async fn remove(
    db: &impl ConnectionTrait,
    found: Option<Model>,
    by: Rights,
    space: &nodes::Model,
    target: fn(&nodes::Model, CommentId) -> Target,
) -> Result<Changed<()>, ApiError> {
    let Some(row) = found else {
        return Ok(Changed::nothing(()));
    };
    by.require_deletion(row.author_id)?;
    Entity::delete_by_id(row.id).exec(db).await?;
    Ok(Changed::of(target(space, row.id), ()))
}
