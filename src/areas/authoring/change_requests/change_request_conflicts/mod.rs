//! Conflicts between change requests and their spaces.

use content::{
    draft::Draft,
    index::{Index, SearchUpdate},
    merge::{self, Choice, ConflictObject},
    objects::Content,
    revisions::Origin,
};
use entity::{
    authoring::change_requests::conflicts::{Column, ConflictKind as Kind, ConflictSubject, Entity, Model},
    ids::{ChangeRequestId, PageId},
};
use openapi::{
    error::ApiError,
    models::{
        ChangeRequest, ConflictKind, ContentConflict, ContentConflictList, ContentConflictUrls, ResolveConflict,
        ResolveConflictResolution,
    },
    operations::change_request_conflicts::{ChangeRequestConflictsApi, ListChangeRequestConflictsQuery},
};
use platform::db::Keyset;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, Select};
use uuid::Uuid;

use crate::{
    access::ChangeRequestAccess,
    areas::{
        authoring::{
            Authoring,
            change_requests::{self, ContentUpdate, compare_and_set_content, store},
            editor::write,
        },
        content::Contents,
    },
    kernel::{
        Kernel,
        lists::List,
        wire::{ToWire, time, wire_enums},
    },
};

wire_enums! {
    Kind as ConflictKind {
        EditEdit, Metadata, MoveMove, EditDelete, DeleteEdit, MoveDelete, DeleteMove, File, ReusableContent
    }
}

impl ChangeRequestConflictsApi for Authoring {
    async fn list_change_request_conflicts(
        &self,
        access: ChangeRequestAccess,
        query: ListChangeRequestConflictsQuery,
    ) -> Result<ContentConflictList, ApiError> {
        let request = access.request.id;
        let list = List::new(&self.kernel, ("conflicts", request), query.page, query.limit);
        let found = Entity::find().filter(Column::ChangeRequestId.eq(request));
        let db = self.kernel.db.read();
        let order = Keyset::ascending([Column::CreatedAt, Column::SubjectId]);
        let key = |row: &Model| (row.created_at, row.subject_id);
        let load = |found: Select<Entity>, after, limit| order.page(found, after, limit, |query| query.all(db), key);
        let location = self.kernel.urls.conflicts(access.row.node.id, request);
        let views = async |rows: Vec<Model>| Ok(rows.into_iter().map(|row| view(&location, row)).collect());
        Ok(list.load(found, load, views).await?.into())
    }

    async fn resolve_change_request_conflict(
        &self,
        access: ChangeRequestAccess,
        conflict_id: PageId,
        body: ResolveConflict,
    ) -> Result<ChangeRequest, ApiError> {
        store::require_active(&access.request)?;
        let space = access.row.node.id;
        let choice = match body.resolution {
            ResolveConflictResolution::Ours => Choice::Ours,
            ResolveConflictResolution::Theirs => Choice::Theirs,
        };
        self.contents
            .write_content(space, async || {
                let conflict = find_conflict(&self.kernel, access.request.id, conflict_id).await?;
                let update = resolution(&self.contents, &access, &conflict, choice).await?;
                compare_and_set_content(&self.contents, &access, update).await
            })
            .await?;
        change_requests::load(&self.kernel, space, access.request.id).await
    }
}

async fn find_conflict(kernel: &Kernel, request: ChangeRequestId, id: PageId) -> Result<Model, ApiError> {
    // The ids of pages and files have the same format.
    let found = Entity::find_by_id((request, *id.as_uuid())).one(kernel.db.read()).await;
    found?.ok_or_else(|| ApiError::not_found("conflict"))
}

/// The update of the change request that takes the chosen side and clears the conflict.
async fn resolution(
    contents: &Contents,
    access: &ChangeRequestAccess,
    conflict: &Model,
    choice: Choice,
) -> Result<ContentUpdate, ApiError> {
    let space = access.row.node.id;
    let found = store::find(contents.kernel.db.read(), space, access.request.id).await?;
    let request = found.ok_or_else(|| ApiError::not_found("change request"))?.request;
    let ours = write::load_revision(contents, space, request.revision_id).await?;
    let base = write::load_revision(contents, space, conflict.base_id).await?.snapshot;
    let theirs = write::load_revision(contents, space, conflict.theirs_id)
        .await?
        .snapshot;
    let subject = subject(conflict);
    let mut content = Content::new(contents.kernel.db.read(), &contents.state.objects, space);
    let resolve = |objects: &_| merge::resolve(objects, subject, &base, &ours.snapshot, &theirs, choice);
    let resolved = content.run_heavy((&contents.kernel.work, merge::TEXT_BYTES), resolve);
    let resolved = resolved.await?;
    let draft = Draft::of(&mut content, &ours.snapshot, resolved).await?;
    let context = (&contents.kernel.db, &contents.kernel.work);
    let index = Index::of(context, &mut content, space, &draft.changes, SearchUpdate::None).await?;
    let origin = Origin {
        change_request: Some(request.id),
        ..Origin::edits(space, vec![ours.id], access.caller.user_id)
    };
    Ok(ContentUpdate {
        expected: ours.id,
        allowed: store::require_active,
        draft: (!draft.is_empty()).then_some((draft, index, origin)),
        ancestor: None,
        conflicts: Vec::new(),
        resolved: vec![conflict.subject_id],
    })
}

fn subject(conflict: &Model) -> ConflictObject {
    let id: Uuid = conflict.subject_id;
    match conflict.subject {
        ConflictSubject::Page => ConflictObject::Page(id.into()),
        ConflictSubject::File => ConflictObject::File(id.into()),
        ConflictSubject::ReusableContent => ConflictObject::ReusableContent(id.into()),
    }
}

/// A conflict among those of its change request at `location`.
fn view(location: &str, row: Model) -> ContentConflict {
    let id = PageId::from(row.subject_id).to_string();
    let of = |subject: ConflictSubject| (row.subject == subject).then(|| id.clone());
    ContentConflict {
        object: Default::default(),
        urls: ContentConflictUrls {
            location: location.to_owned(),
            resolve: format!("{location}/{id}/resolve"),
        },
        page: of(ConflictSubject::Page),
        file: of(ConflictSubject::File),
        reusable_content: of(ConflictSubject::ReusableContent),
        kind: row.kind.to_wire(),
        base: row.base_id.to_string(),
        ours: row.ours_id.to_string(),
        theirs: row.theirs_id.to_string(),
        created_at: time(row.created_at),
        id,
    }
}
