//! Changes to the content of a change request.

use std::sync::Arc;

use content::{
    draft::Draft,
    index::{Index, SearchUpdate},
    objects::Content,
    revisions::Origin,
};
use entity::authoring::change_requests::Model;
use openapi::{
    answer::Tagged,
    error::ApiError,
    models::{ChangeRequestContentAnswer, ChangeRequestContentUpdate, UpdateContent},
};

use crate::{
    access::ChangeRequestAccess,
    areas::{
        authoring::{
            change_requests::{self, ContentUpdate, compare_and_set_content, store},
            editor::{self, AffectedPage, uploads::Uploader, write},
            reader,
        },
        content::Contents,
    },
    kernel::Kernel,
};

pub async fn update_content(
    contents: &Contents,
    access: &ChangeRequestAccess,
    compat: bool,
    if_match: Option<&str>,
    body: UpdateContent,
) -> Result<Tagged<ChangeRequestContentAnswer>, ApiError> {
    store::require_active(&access.request)?;
    let space = access.row.node.id;
    let uploader = Uploader {
        organization: access.row.node.organization_id,
        user: access.caller.user_id,
    };
    let parsed = Arc::new(editor::parse_changes(contents, (space, uploader), body).await?);
    contents
        .write_content(space, async || {
            let request = load_active(&contents.kernel, access).await?;
            write::require_match(if_match, request.revision_id)?;
            let head = write::load_revision(contents, space, request.revision_id).await?;
            let pulled = request.ancestor_id.unwrap_or(request.initial_id);
            let pulled = write::load_revision(contents, space, pulled).await?;
            let base = write::load_base(contents, &head, pulled.snapshot, &parsed).await?;
            let mut content = Content::new(contents.kernel.db.read(), &contents.state.objects, space);
            let made = editor::apply(
                &contents.kernel.work,
                &mut content,
                &base,
                &parsed,
                contents.kernel.clock.now(),
            )
            .await;
            let made = made?;
            let context = (&contents.kernel.db, &contents.kernel.work);
            let index = Index::of(context, &mut content, space, &made.draft.changes, SearchUpdate::None).await?;
            let update = content_update(access, &request, (made.draft, index), &made.affected);
            let Some(revision) = compare_and_set_content(contents, access, update).await? else {
                return Ok(None);
            };
            let change_request = change_requests::load(&contents.kernel, space, request.id).await?;
            let body = if compat {
                ChangeRequestContentAnswer::ChangeRequest(change_request)
            } else {
                ChangeRequestContentAnswer::ChangeRequestContentUpdate(ChangeRequestContentUpdate {
                    change_request,
                    changes: editor::affected_pages(&contents.kernel.urls, space, made.affected),
                    inserted_files: editor::inserted_files(&contents.kernel.urls, space, &parsed),
                })
            };
            let tag = reader::tag(revision, "content");
            Ok(Some(Tagged { tag, body }))
        })
        .await
}

pub async fn load_active(kernel: &Kernel, access: &ChangeRequestAccess) -> Result<Model, ApiError> {
    let found = store::find(kernel.db.read(), access.row.node.id, access.request.id).await;
    let row = found?.ok_or_else(|| ApiError::not_found("change request"))?;
    store::require_active(&row.request)?;
    Ok(row.request)
}

/// Changing a page resolves its conflict.
pub fn content_update(
    access: &ChangeRequestAccess,
    request: &Model,
    (draft, index): (Draft, Index),
    affected: &[AffectedPage],
) -> ContentUpdate {
    let origin = Origin {
        change_request: Some(request.id),
        ..Origin::edits(request.space_id, vec![request.revision_id], access.caller.user_id)
    };
    ContentUpdate {
        expected: request.revision_id,
        allowed: store::require_active,
        resolved: affected.iter().map(|affected| *affected.page.as_uuid()).collect(),
        draft: (!draft.is_empty()).then_some((draft, index, origin)),
        ancestor: None,
        conflicts: Vec::new(),
    }
}
