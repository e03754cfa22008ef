//! Merging a change request into its space, and updating it from its space.

use std::sync::Arc;

use content::revisions::Revision;
use content::{
    draft::Draft,
    index::{Index, SearchUpdate},
    merge,
    objects::Content,
    revisions::Origin,
};
use entity::{
    authoring::change_requests::{Model, conflicts},
    content::revisions::RevisionKind,
    ids::{RevisionId, UserId},
    timestamp::Timestamp,
};
use openapi::{
    error::ApiError,
    models::{MergedChangeRequest, MergedChangeRequestResult, UpdatedChangeRequest, UpdatedChangeRequestResult},
};
use platform::db::{Reads, Tx};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter, SelectExt};

use super::{ContentUpdate, NewConflict, Status, compare_and_set_content, counters, rules, store};

use crate::{
    access::{
        ChangeRequestAccess,
        rows::{self, SpaceRow},
    },
    areas::{
        authoring::editor::write,
        content::{Contents, search_jobs::IndexJobs},
        library::tree,
    },
    kernel::{Kernel, audit::Changed},
};

/// The three sides of a merge: ours is the change request, theirs is the space.
struct MergeSides {
    request: Model,
    allowed: fn(&Model) -> Result<(), ApiError>,
    base: Arc<Revision>,
    ours: Arc<Revision>,
    theirs: Arc<Revision>,
}

impl MergeSides {
    /// `allowed` refuses some states of the change request.
    async fn load(
        contents: &Contents,
        access: &ChangeRequestAccess,
        allowed: fn(&Model) -> Result<(), ApiError>,
    ) -> Result<Self, ApiError> {
        let space = access.row.node.id;
        let db = contents.kernel.db.read();
        let found = store::find(db, space, access.request.id).await?;
        let row = found.ok_or_else(super::not_found)?;
        allowed(&row.request)?;
        let base = row.request.ancestor_id.unwrap_or(row.request.initial_id);
        Ok(Self {
            base: write::load_revision(contents, space, base).await?,
            ours: write::load_revision(contents, space, row.request.revision_id).await?,
            theirs: write::load_revision(contents, space, row.current).await?,
            request: row.request,
            allowed,
        })
    }

    /// Merges the content of the space into that of the change request.
    async fn pull<'a>(&self, contents: &'a Contents) -> Result<PullResult<'a>, ApiError> {
        let mut content = Content::new(contents.kernel.db.read(), &contents.state.objects, self.ours.space);
        let states = (self.base.snapshot, self.ours.snapshot, self.theirs.snapshot);
        let merge = |objects: &_| merge::merge(objects, &states.0, &states.1, &states.2);
        let merged = content.run_heavy((&contents.kernel.work, merge::TEXT_BYTES), merge);
        let merged = merged.await?;
        let ours = Draft::of(&mut content, &self.ours.snapshot, merged.snapshot).await;
        let theirs = Draft::of(&mut content, &self.theirs.snapshot, merged.snapshot).await;
        let conflicts = merged.conflicts.iter().map(|conflict| NewConflict {
            subject: conflict.subject.stored(),
            id: conflict.subject.id(),
            kind: conflict.kind,
            base: self.base.id,
            ours: self.ours.id,
            theirs: self.theirs.id,
        });
        let (ours, theirs) = (ours?, theirs?);
        Ok(PullResult {
            content,
            ours,
            theirs,
            conflicts: conflicts.collect(),
        })
    }

    /// Writes the pulled content to the change request. `None` if the change request has changed meanwhile.
    async fn write_pulled(
        &self,
        contents: &Contents,
        access: &ChangeRequestAccess,
        mut pulled: PullResult<'_>,
    ) -> Result<Option<RevisionId>, ApiError> {
        let changes = Arc::clone(&pulled.ours.changes);
        let context = (&contents.kernel.db, &contents.kernel.work);
        let index = Index::of(
            context,
            &mut pulled.content,
            self.ours.space,
            &changes,
            SearchUpdate::None,
        )
        .await?;
        let origin = Origin {
            kind: RevisionKind::Update,
            change_request: Some(self.request.id),
            ..Origin::edits(
                self.ours.space,
                vec![self.ours.id, self.theirs.id],
                access.caller.user_id,
            )
        };
        let update = ContentUpdate {
            expected: self.ours.id,
            allowed: self.allowed,
            draft: (!pulled.ours.is_empty()).then_some((pulled.ours, index, origin)),
            ancestor: (self.base.id != self.theirs.id).then_some(self.theirs.id),
            conflicts: pulled.conflicts,
            resolved: Vec::new(),
        };
        compare_and_set_content(contents, access, update).await
    }
}

/// The result of merging the space into the change request.
struct PullResult<'a> {
    content: Content<'a, Reads>,
    /// The changes to the change request.
    ours: Draft,
    /// The changes to the space.
    theirs: Draft,
    conflicts: Vec<NewConflict>,
}

/// Updates a change request with the content of its space. A merged one stays as it is.
pub async fn update(contents: &Contents, access: ChangeRequestAccess) -> Result<UpdatedChangeRequest, ApiError> {
    if access.request.status == Status::Merged {
        return Ok(UpdatedChangeRequest {
            revision: access.request.revision_id.to_string(),
            result: UpdatedChangeRequestResult::Update,
        });
    }
    contents
        .write_content(access.row.node.id, async || {
            let sides = MergeSides::load(contents, &access, store::require_unmerged).await?;
            let pulled = sides.pull(contents).await?;
            let Some(revision) = Box::pin(sides.write_pulled(contents, &access, pulled)).await? else {
                return Ok(None);
            };
            let result = match has_conflicts(&contents.kernel, &sides.request).await? {
                true => UpdatedChangeRequestResult::Conflicts,
                false => UpdatedChangeRequestResult::Update,
            };
            Ok(Some(UpdatedChangeRequest {
                revision: revision.to_string(),
                result,
            }))
        })
        .await
}

/// Merges a change request into its space, unless merge rules or conflicts prevent it.
pub async fn merge(contents: &Contents, access: ChangeRequestAccess) -> Result<MergedChangeRequest, ApiError> {
    contents
        .write_content(access.row.node.id, async || {
            let sides = MergeSides::load(contents, &access, store::require_active).await?;
            require_merge_rules(&contents.kernel, &access, &sides.request).await?;
            let pulled = sides.pull(contents).await?;
            let in_conflict = !pulled.conflicts.is_empty() || has_conflicts(&contents.kernel, &sides.request).await?;
            let done = if in_conflict {
                let updated = Box::pin(sides.write_pulled(contents, &access, pulled)).await?;
                updated.map(|revision| (revision, MergedChangeRequestResult::Conflicts))
            } else {
                let merged = Box::pin(publish_merge(contents, &access, sides, pulled)).await?;
                merged.map(|revision| (revision, MergedChangeRequestResult::Merge))
            };
            Ok(done.map(|(revision, result)| MergedChangeRequest {
                revision: revision.to_string(),
                result,
            }))
        })
        .await
}

async fn require_merge_rules(kernel: &Kernel, access: &ChangeRequestAccess, request: &Model) -> Result<(), ApiError> {
    let db = kernel.db.read();
    let node = &access.row.node;
    let found = rows::find_row::<SpaceRow>(db, node.organization_id, node.id).await?;
    let space = found.ok_or_else(|| ApiError::not_found("space"))?.space;
    let unmet = rules::unmet_rules(db, access.caller.user_id, request, &space, node.organization_id).await;
    rules::require_none(unmet?)
}

/// Returns whether the change request has unresolved conflicts.
async fn has_conflicts(kernel: &Kernel, request: &Model) -> Result<bool, ApiError> {
    let found = conflicts::Entity::find().filter(conflicts::Column::ChangeRequestId.eq(request.id));
    Ok(found.exists(kernel.db.read()).await?)
}

/// Writes the merge. `None` if either side has changed meanwhile.
async fn publish_merge(
    contents: &Contents,
    access: &ChangeRequestAccess,
    sides: MergeSides,
    pulled: PullResult<'_>,
) -> Result<Option<RevisionId>, ApiError> {
    let PullResult {
        theirs: mut draft,
        mut content,
        ..
    } = pulled;
    let space = sides.theirs.space;
    let context = (&contents.kernel.db, &contents.kernel.work);
    let index = Index::of(context, &mut content, space, &draft.changes, SearchUpdate::Bounded).await?;
    let jobs = IndexJobs::of(&contents.kernel, space, &index);
    draft.store_ahead(&contents.kernel.db, space).await?;
    let now = contents.kernel.clock.now();
    let origin = Origin {
        kind: RevisionKind::Merge,
        merged_from: Some(sides.request.id),
        ..Origin::edits(
            sides.theirs.space,
            vec![sides.theirs.id, sides.ours.id],
            access.caller.user_id,
        )
    };
    // A merge without changes makes no revision.
    let new = (!draft.is_empty()).then(|| draft.revision(contents.kernel.ids.next(), origin, now));
    let merged = new.as_ref().map_or(sides.theirs.id, |revision| revision.id);
    let (node, member, by) = (access.row.node.clone(), access.member, access.caller.user_id);
    let (ours, theirs) = (sides.ours.id, sides.theirs.id);
    let (written, hooks) = (draft.clone(), contents.kernel.hooks.clone());
    let work = move |tx: Tx| async move {
        let present = store::lock(&tx, &node, &sides.request).await?;
        store::require_active(&present)?;
        let space = rows::find_row::<SpaceRow>(&tx, member.organization, node.id).await?;
        let space = space.ok_or_else(|| ApiError::not_found("space"))?.space;
        if present.revision_id != ours || space.revision_id != theirs {
            return Ok(Changed::nothing(false));
        }
        rules::require_none(rules::unmet_rules(&tx, by, &present, &space, member.organization).await?)?;
        if let Some(revision) = &new {
            write::compare_and_set_revision(&tx, &hooks, revision, theirs, false).await?;
            draft.store(&tx, revision).await?;
            index.store(&tx).await?;
            jobs.store(&tx).await?;
        }
        tree::store::set_updated_at(&tx, node.id, now).await?;
        counters::move_status(&tx, node.id, present.status, Status::Merged).await?;
        let target = super::target(&node, &present);
        set_merged(&tx, present, (theirs, merged), (now, by)).await?;
        Changed::of(target, true).with(serde_json::json!({ "revision": merged }))
    };
    let done = contents.kernel.write(&access.caller, work).await?;
    if done {
        written.keep(&contents.state.objects);
        contents.kernel.jobs.wake();
    }
    Ok(done.then_some(merged))
}

async fn set_merged(
    tx: &Tx,
    present: Model,
    (theirs, merged): (RevisionId, RevisionId),
    (now, by): (Timestamp, UserId),
) -> Result<(), ApiError> {
    let mut row = present.into_active_model();
    row.status = Set(Status::Merged);
    row.ancestor_id = Set(Some(theirs));
    row.merged_id = Set(Some(merged));
    row.merged_at = Set(Some(now));
    row.merged_by = Set(Some(by));
    row.updated_at = Set(now);
    row.update(tx).await?;
    Ok(())
}
