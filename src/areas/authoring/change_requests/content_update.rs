//! Atomic updates of the content and the conflicts of a change request.

use std::sync::Arc;

use content::revisions::Revision;
use content::{draft::Draft, index::Index, revisions::Origin};
use entity::{
    authoring::change_requests::{
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

use super::{record_contribution, store};

use crate::{access::ChangeRequestAccess, areas::content::Contents, kernel::audit::Changed};

/// The number of rows in one statement.
const ROWS_PER_STATEMENT: usize = 500;

/// An update of the content and the conflicts of a change request.
#[derive(Clone)]
pub struct ContentUpdate {
    /// The revision that the update was prepared from.
    pub expected: RevisionId,
    /// Refuses the update in some states of the change request.
    pub allowed: fn(&Model) -> Result<(), ApiError>,
    /// The new content. `None`: unchanged.
    pub draft: Option<(Draft, Index, Origin)>,
    /// The revision of the space that was pulled in.
    pub ancestor: Option<RevisionId>,
    /// New conflicts.
    pub conflicts: Vec<NewConflict>,
    /// The subjects whose conflicts are resolved.
    pub resolved: Vec<Uuid>,
}

/// A conflict to be recorded.
#[derive(Debug, Clone)]
pub struct NewConflict {
    pub subject: ConflictSubject,
    pub id: Uuid,
    pub kind: ConflictKind,
    /// The common ancestor, the revision of the change request and the revision of the space.
    pub base: RevisionId,
    pub ours: RevisionId,
    pub theirs: RevisionId,
}

/// Writes the update if the change request still has the expected revision, and returns the new one. `None` if it has
/// another.
pub async fn compare_and_set_content(
    contents: &Contents,
    access: &ChangeRequestAccess,
    mut update: ContentUpdate,
) -> Result<Option<RevisionId>, ApiError> {
    if let Some((draft, ..)) = &mut update.draft {
        draft.store_ahead(&contents.kernel.db, access.row.node.id).await?;
    }
    let now = contents.kernel.clock.now();
    let (node, request, by) = (access.row.node.clone(), access.request.clone(), access.caller.user_id);
    let revision = update.draft.as_ref().map(|(draft, _, origin)| {
        let revision = draft.revision(contents.kernel.ids.next(), origin.clone(), now);
        Arc::new(revision)
    });
    let new = revision.clone();
    let written = update.draft.as_ref().map(|(draft, ..)| draft.clone());
    let work = move |tx| async move {
        let present = store::lock(&tx, &node, &request).await?;
        (update.allowed)(&present)?;
        if present.revision_id != update.expected {
            return Ok(Changed::nothing(None));
        }
        let Some(id) = write(&tx, present, (by, now), &update, new.as_deref()).await? else {
            return Ok(Changed::nothing(Some(update.expected)));
        };
        let target = super::target(&node, &request);
        Changed::of(target, Some(id)).with(serde_json::json!({ "revision": id }))
    };
    let updated = contents.kernel.write(&access.caller, work).await?;
    if let (Some(draft), Some(_)) = (written, updated) {
        draft.keep(&contents.state.objects);
    }
    Ok(updated)
}

/// Returns the revision after the update. `None` if there is nothing to write.
async fn write(
    tx: &Tx,
    present: Model,
    (by, now): (UserId, Timestamp),
    update: &ContentUpdate,
    revision: Option<&Revision>,
) -> Result<Option<RevisionId>, ApiError> {
    let nothing = update.conflicts.is_empty() && update.resolved.is_empty();
    if revision.is_none()
        && nothing
        && update
            .ancestor
            .is_none_or(|ancestor| present.ancestor_id == Some(ancestor))
    {
        return Ok(None);
    }
    let (request, head) = (present.id, present.revision_id);
    let mut row: ActiveModel = present.into_active_model();
    if let Some(ancestor) = update.ancestor {
        row.ancestor_id = Set(Some(ancestor));
    }
    if let (Some((draft, index, _)), Some(revision)) = (&update.draft, revision) {
        draft.store(tx, revision).await?;
        index.store(tx).await?;
        row.revision_id = Set(revision.id);
        row.updated_at = Set(now);
        record_contribution(tx, request, by, ContributorAction::Edit, now).await?;
    }
    if row.is_changed() {
        row.update(tx).await?;
    }
    clear_conflicts(tx, request, &update.resolved).await?;
    upsert_conflicts(tx, request, &update.conflicts, now).await?;
    Ok(Some(revision.map_or(head, |revision| revision.id)))
}

/// Deletes the conflicts of these subjects.
async fn clear_conflicts(tx: &Tx, request: ChangeRequestId, resolved: &[Uuid]) -> Result<(), DbErr> {
    for chunk in resolved.chunks(ROWS_PER_STATEMENT) {
        stored::Entity::delete_many()
            .filter(stored::Column::ChangeRequestId.eq(request))
            .filter(stored::Column::SubjectId.is_in(chunk.iter().copied()))
            .exec(tx)
            .await?;
    }
    Ok(())
}

/// Inserts conflicts. A new conflict replaces an unresolved one of the same subject.
async fn upsert_conflicts(
    tx: &Tx,
    request: ChangeRequestId,
    conflicts: &[NewConflict],
    now: Timestamp,
) -> Result<(), DbErr> {
    use stored::Column;
    for chunk in conflicts.chunks(ROWS_PER_STATEMENT) {
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
