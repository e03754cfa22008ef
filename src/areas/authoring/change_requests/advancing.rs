//! Giving a change request another content.

use std::sync::Arc;

use content::revisions::Revision;
use content::{draft::Draft, index::Index, revisions::Origin};
use entity::{
    change_requests::{
        ActiveModel, Model,
        conflicts::{self as stored, ConflictKind, ConflictSubject},
        contributors::ContributorAction,
    },
    ids::{ChangeRequestId, RevisionId, UserId},
    timestamp::Timestamp,
};
use openapi::error::ApiError;
use platform::db::Tx;
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter,
    sea_query::OnConflict,
};
use uuid::Uuid;

use super::{contributed, store};
use crate::{
    access::ChangeRequestAccess,
    app::{App, audit::Changed},
};

/// Rows of one statement.
const ROWS: usize = 500;

/// What becomes of a change request.
#[derive(Clone)]
pub struct Advance {
    /// The content that all this was made from.
    pub expected: RevisionId,
    /// Its new content; none is that it stays.
    pub draft: Option<(Draft, Index, Origin)>,
    /// The content of the space that it has now pulled in.
    pub ancestor: Option<RevisionId>,
    /// What did not combine.
    pub conflicts: Vec<Conflict>,
    /// What is not in conflict any more.
    pub settled: Vec<Uuid>,
}

/// Something that does not combine.
#[derive(Debug, Clone)]
pub struct Conflict {
    pub subject: ConflictSubject,
    pub id: Uuid,
    pub kind: ConflictKind,
    /// The three states: what both started from, that of the change request and that of the space.
    pub base: RevisionId,
    pub ours: RevisionId,
    pub theirs: RevisionId,
}

/// Writes it down; none if the change request has another content by now.
pub async fn advance(
    app: &App,
    access: &ChangeRequestAccess,
    advance: Advance,
) -> Result<Option<RevisionId>, ApiError> {
    let now = app.clock.now();
    let (node, request, by) = (access.row.node.clone(), access.request.clone(), access.caller.user_id);
    let revision = advance.draft.as_ref().map(|(draft, _, origin)| {
        let revision = draft.revision(app.ids.next(), origin.clone(), now);
        Arc::new(revision)
    });
    let new = revision.clone();
    let written = advance.draft.as_ref().map(|(draft, ..)| draft.clone());
    let work = move |tx| async move {
        let present = store::again(&tx, &node, &request).await?;
        store::require_active(&present)?;
        if present.revision_id != advance.expected {
            return Ok(Changed::nothing(None));
        }
        let Some(id) = write(&tx, present, (by, now), &advance, new.as_deref()).await? else {
            return Ok(Changed::nothing(Some(advance.expected)));
        };
        let target = super::target(&node, &request);
        Changed::of(target, Some(id)).with(serde_json::json!({ "revision": id }))
    };
    let advanced = app.write(&access.caller, work).await?;
    if let (Some(draft), Some(_)) = (written, advanced) {
        draft.keep(&app.content.objects);
    }
    Ok(advanced)
}

/// None if there is nothing to write.
async fn write(
    tx: &Tx,
    present: Model,
    (by, now): (UserId, Timestamp),
    advance: &Advance,
    revision: Option<&Revision>,
) -> Result<Option<RevisionId>, ApiError> {
    let nothing = advance.conflicts.is_empty() && advance.settled.is_empty();
    if revision.is_none()
        && nothing
        && advance
            .ancestor
            .is_none_or(|ancestor| present.ancestor_id == Some(ancestor))
    {
        return Ok(None);
    }
    let (request, head) = (present.id, present.revision_id);
    let mut row: ActiveModel = present.into_active_model();
    if let Some(ancestor) = advance.ancestor {
        row.ancestor_id = Set(Some(ancestor));
    }
    if let (Some((draft, index, _)), Some(revision)) = (&advance.draft, revision) {
        draft.store(tx, revision).await?;
        index.store(tx).await?;
        row.revision_id = Set(revision.id);
        row.updated_at = Set(now);
        contributed(tx, request, by, ContributorAction::Edit, now).await?;
    }
    if row.is_changed() {
        row.update(tx).await?;
    }
    settle(tx, request, &advance.settled).await?;
    record(tx, request, &advance.conflicts, now).await?;
    Ok(Some(revision.map_or(head, |revision| revision.id)))
}

/// Ends conflicts.
async fn settle(tx: &Tx, request: ChangeRequestId, settled: &[Uuid]) -> Result<(), DbErr> {
    for chunk in settled.chunks(ROWS) {
        stored::Entity::delete_many()
            .filter(stored::Column::ChangeRequestId.eq(request))
            .filter(stored::Column::SubjectId.is_in(chunk.iter().copied()))
            .exec(tx)
            .await?;
    }
    Ok(())
}

/// Notes conflicts. One about the same thing that is not resolved yet gives way: the newer one says what is there now.
async fn record(tx: &Tx, request: ChangeRequestId, conflicts: &[Conflict], now: Timestamp) -> Result<(), DbErr> {
    use stored::Column;
    for chunk in conflicts.chunks(ROWS) {
        let rows = chunk.iter().map(|conflict| stored::Model {
            change_request_id: request,
            subject_id: conflict.id,
            subject: conflict.subject,
            kind: conflict.kind,
            base_id: conflict.base,
            ours_id: conflict.ours,
            theirs_id: conflict.theirs,
            created_at: now,
        });
        let rows = rows.map(|row| row.into_active_model().reset_all());
        stored::Entity::insert_many(rows)
            .on_conflict(
                OnConflict::columns([Column::ChangeRequestId, Column::SubjectId])
                    .update_columns([Column::Kind, Column::OursId, Column::TheirsId, Column::CreatedAt])
                    .to_owned(),
            )
            .exec_without_returning(tx)
            .await?;
    }
    Ok(())
}
