//! Deleting comments and replies.

use entity::{
    authoring::comments::{Entity, Model},
    ids::CommentId,
    library::nodes,
};
use openapi::error::ApiError;
use platform::db::Tx;
use sea_orm::EntityTrait;
use uuid::Uuid;

use super::{
    comment_target, participants, reply_target,
    scope::{CommentRights, CommentScope},
    store,
};
use crate::{
    areas::authoring::{
        Authoring,
        comment_counts::{self, CountChange},
    },
    kernel::audit::{AuditTarget, Changed},
};

/// Deletes a comment with its replies and all reactions: the foreign keys cascade.
pub async fn delete_comment(authoring: &Authoring, scope: CommentScope, id: CommentId) -> Result<(), ApiError> {
    let (space, place, by, part) = (scope.node, scope.place, scope.rights, authoring.kernel.ids.next());
    let work = move |tx| async move {
        let found = store::find(&tx, &place, id).await?;
        delete_row(&tx, found, by, part, &space, comment_target).await
    };
    authoring.kernel.write(&scope.caller, work).await?;
    authoring.count_parts.changed().await;
    Ok(())
}

pub async fn delete_reply(
    authoring: &Authoring,
    scope: CommentScope,
    comment: CommentId,
    id: CommentId,
) -> Result<(), ApiError> {
    let (space, place, by, part) = (scope.node, scope.place, scope.rights, authoring.kernel.ids.next());
    let work = move |tx| async move {
        let found = store::find_reply(&tx, &place, comment, id).await?;
        delete_row(&tx, found, by, part, &space, reply_target).await
    };
    authoring.kernel.write(&scope.caller, work).await?;
    authoring.count_parts.changed().await;
    Ok(())
}

async fn delete_row(
    tx: &Tx,
    found: Option<Model>,
    by: CommentRights,
    part: Uuid,
    space: &nodes::Model,
    target: fn(&nodes::Model, CommentId) -> AuditTarget,
) -> Result<Changed<()>, ApiError> {
    let Some(row) = found else {
        return Ok(Changed::nothing(()));
    };
    by.require_delete(row.author_id)?;
    participants::remove(tx, &row).await?;
    Entity::delete_by_id(row.id).exec(tx).await?;
    CountChange::removed(&row).write(tx, part).await?;
    if row.parent_id.is_none() {
        comment_counts::remove(tx, *row.id.as_uuid()).await?;
    }
    Ok(Changed::of(target(space, row.id), ()))
}
