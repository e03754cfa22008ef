//! Bringing a change request and its space together, in either direction.

use std::sync::Arc;

use content::revisions::Revision;
use content::{draft::Draft, index::Index, merge, objects::Content, revisions::Origin};
use entity::{
    change_requests::{Model, conflicts},
    ids::RevisionId,
    revisions::RevisionKind,
};
use openapi::{
    error::ApiError,
    models::{MergedChangeRequest, MergedChangeRequestResult, UpdatedChangeRequest, UpdatedChangeRequestResult},
};
use platform::db::{Reads, Tx};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, PaginatorTrait, QueryFilter,
};

use super::{Advance, Conflict, Status, advance, counters, rules, store};
use crate::{
    access::ChangeRequestAccess,
    app::{App, audit::Changed},
    areas::{
        authoring::editor::publish,
        library::{spaces::store as space_store, tree},
    },
};

/// The content of a change request, that of its space, and what they have in common.
struct Sides {
    request: Model,
    base: Arc<Revision>,
    ours: Arc<Revision>,
    theirs: Arc<Revision>,
}

impl Sides {
    async fn of(app: &App, access: &ChangeRequestAccess) -> Result<Self, ApiError> {
        let space = access.row.node.id;
        let db = app.db.read();
        let found = store::find(db, space, access.request.id).await?;
        let row = found.ok_or_else(super::unknown)?;
        store::require_active(&row.request)?;
        let base = row.request.ancestor_id.unwrap_or(row.request.initial_id);
        Ok(Self {
            base: publish::require(app, space, base).await?,
            ours: publish::require(app, space, row.request.revision_id).await?,
            theirs: publish::require(app, space, row.current).await?,
            request: row.request,
        })
    }

    /// The content of the space in that of the change request, as far as the two combine.
    async fn pulled<'a>(&self, app: &'a App) -> Result<Pulled<'a>, ApiError> {
        let mut content = Content::new(app.db.read(), &app.content.objects, self.ours.space);
        let states = (self.base.snapshot, self.ours.snapshot, self.theirs.snapshot);
        let merged = content.run(|objects| merge::merge(objects, &states.0, &states.1, &states.2));
        let merged = merged.await?;
        let ours = Draft::of(&mut content, &self.ours.snapshot, merged.snapshot).await;
        let theirs = Draft::of(&mut content, &self.theirs.snapshot, merged.snapshot).await;
        let conflicts = merged.conflicts.iter().map(|conflict| Conflict {
            subject: conflict.subject.stored(),
            id: conflict.subject.id(),
            kind: conflict.kind,
            base: self.base.id,
            ours: self.ours.id,
            theirs: self.theirs.id,
        });
        let (ours, theirs) = (ours?, theirs?);
        Ok(Pulled {
            content,
            ours,
            theirs,
            conflicts: conflicts.collect(),
        })
    }

    /// Puts what was pulled in into the change request; none if it has changed meanwhile.
    async fn update(
        &self,
        app: &App,
        access: &ChangeRequestAccess,
        mut pulled: Pulled<'_>,
    ) -> Result<Option<RevisionId>, ApiError> {
        let index = Index::of(&mut pulled.content, self.ours.space, &pulled.ours.changes, false).await?;
        let origin = Origin {
            kind: RevisionKind::Update,
            change_request: Some(self.request.id),
            ..Origin::edits(
                self.ours.space,
                vec![self.ours.id, self.theirs.id],
                access.caller.user_id,
            )
        };
        let step = Advance {
            expected: self.ours.id,
            draft: (!pulled.ours.is_empty()).then_some((pulled.ours, index, origin)),
            ancestor: (self.base.id != self.theirs.id).then_some(self.theirs.id),
            conflicts: pulled.conflicts,
            settled: Vec::new(),
        };
        advance(app, access, step).await
    }
}

/// A change request with what its space has changed.
struct Pulled<'a> {
    content: Content<'a, Reads>,
    /// What that changes in the change request.
    ours: Draft,
    /// What that changes in the space.
    theirs: Draft,
    conflicts: Vec<Conflict>,
}

/// Pulls the content of the space into a change request.
pub async fn update(app: &App, access: ChangeRequestAccess) -> Result<UpdatedChangeRequest, ApiError> {
    app.write_content(access.row.node.id, async || {
        let sides = Sides::of(app, &access).await?;
        let pulled = sides.pulled(app).await?;
        let Some(revision) = sides.update(app, &access, pulled).await? else {
            return Ok(None);
        };
        let result = match unresolved(app, &sides.request).await? {
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

/// Makes the content of a change request that of the space, unless rules or conflicts stand against it.
pub async fn merge(app: &App, access: ChangeRequestAccess) -> Result<MergedChangeRequest, ApiError> {
    app.write_content(access.row.node.id, async || {
        let sides = Sides::of(app, &access).await?;
        refuse_unmet(app, &access, &sides.request).await?;
        let pulled = sides.pulled(app).await?;
        let in_conflict = !pulled.conflicts.is_empty() || unresolved(app, &sides.request).await?;
        let done = if in_conflict {
            let updated = sides.update(app, &access, pulled).await?;
            updated.map(|revision| (revision, MergedChangeRequestResult::Conflicts))
        } else {
            let merged = publish(app, &access, sides, pulled).await?;
            merged.map(|revision| (revision, MergedChangeRequestResult::Merge))
        };
        Ok(done.map(|(revision, result)| MergedChangeRequest {
            revision: revision.to_string(),
            result,
        }))
    })
    .await
}

async fn refuse_unmet(app: &App, access: &ChangeRequestAccess, request: &Model) -> Result<(), ApiError> {
    let db = app.db.read();
    let node = &access.row.node;
    let found = space_store::find(db, node.organization_id, node.id).await?;
    let space = found.ok_or_else(|| ApiError::not_found("space"))?.space;
    let unmet = rules::missing(db, access.caller.user_id, request, &space, node.organization_id).await;
    rules::refuse(unmet?)
}

/// Whether there are conflicts that nobody has resolved.
async fn unresolved(app: &App, request: &Model) -> Result<bool, ApiError> {
    let found = conflicts::Entity::find().filter(conflicts::Column::ChangeRequestId.eq(request.id));
    Ok(found.count(app.db.read()).await? > 0)
}

/// Writes the merge; none if either side has changed meanwhile.
async fn publish(
    app: &App,
    access: &ChangeRequestAccess,
    sides: Sides,
    pulled: Pulled<'_>,
) -> Result<Option<RevisionId>, ApiError> {
    let Pulled {
        theirs: draft,
        mut content,
        ..
    } = pulled;
    let index = Index::of(&mut content, sides.theirs.space, &draft.changes, true).await?;
    let now = app.clock.now();
    let origin = Origin {
        kind: RevisionKind::Merge,
        merged_from: Some(sides.request.id),
        ..Origin::edits(
            sides.theirs.space,
            vec![sides.theirs.id, sides.ours.id],
            access.caller.user_id,
        )
    };
    // What changes nothing makes no revision.
    let new = (!draft.is_empty()).then(|| draft.revision(app.ids.next(), origin, now));
    let merged = new.as_ref().map_or(sides.theirs.id, |revision| revision.id);
    let (node, member, by) = (access.row.node.clone(), access.member, access.caller.user_id);
    let (ours, theirs) = (sides.ours.id, sides.theirs.id);
    let written = draft.clone();
    let work = move |tx: Tx| async move {
        let present = store::again(&tx, &node, &sides.request).await?;
        store::require_active(&present)?;
        let space = space_store::find(&tx, member.organization, node.id).await?;
        let space = space.ok_or_else(|| ApiError::not_found("space"))?.space;
        if present.revision_id != ours || space.revision_id != theirs {
            return Ok(Changed::nothing(false));
        }
        rules::refuse(rules::missing(&tx, by, &present, &space, member.organization).await?)?;
        if let Some(revision) = &new {
            publish::advance(&tx, node.id, theirs, revision.id, false).await?;
            draft.store(&tx, revision).await?;
            index.store(&tx).await?;
        }
        tree::store::touch(&tx, node.id, now).await?;
        counters::settle(&tx, node.id, present.status, Status::Merged).await?;
        let target = super::target(&node, &present);
        finish(&tx, present, theirs, merged, now).await?;
        Changed::of(target, true).with(serde_json::json!({ "revision": merged }))
    };
    let done = app.write(&access.caller, work).await?;
    if done {
        written.keep(&app.content.objects);
    }
    Ok(done.then_some(merged))
}

async fn finish(
    tx: &Tx,
    present: Model,
    theirs: RevisionId,
    merged: RevisionId,
    now: entity::timestamp::Timestamp,
) -> Result<(), ApiError> {
    let mut row = present.into_active_model();
    row.status = Set(Status::Merged);
    row.ancestor_id = Set(Some(theirs));
    row.merged_id = Set(Some(merged));
    row.updated_at = Set(now);
    row.update(tx).await?;
    Ok(())
}
