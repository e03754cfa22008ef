//! Changes to the content of a change request.

use std::sync::Arc;

use content::{
    draft::Draft,
    index::{Index, SearchUpdate},
    objects::Content,
    revisions::Origin,
};
use entity::change_requests::Model;
use openapi::{
    answer::Tagged,
    error::ApiError,
    models::{ChangeRequestContentAnswer, ChangeRequestContentUpdate, UpdateContent},
};

use crate::{
    access::ChangeRequestAccess,
    app::App,
    areas::authoring::{
        change_requests::{self, ContentUpdate, compare_and_set_content, store},
        editor::{self, AffectedPage, uploads::Uploader, write},
        reader,
    },
};

pub async fn update_content(
    app: &App,
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
    let parsed = Arc::new(editor::parse_changes(app, uploader, body).await?);
    app.write_content(space, async || {
        let request = load_active(app, access).await?;
        write::require_match(if_match, request.revision_id)?;
        let head = write::load_revision(app, space, request.revision_id).await?;
        let pulled = request.ancestor_id.unwrap_or(request.initial_id);
        let pulled = write::load_revision(app, space, pulled).await?;
        let base = write::load_base(app, &head, pulled.snapshot, &parsed).await?;
        let mut content = Content::new(app.db.read(), &app.content.objects, space);
        let made = editor::apply(&app.work, &mut content, &base, &parsed, app.clock.now()).await;
        let made = made?;
        let context = (&app.db, &app.work);
        let index = Index::of(context, &mut content, space, &made.draft.changes, SearchUpdate::None).await?;
        let update = content_update(access, &request, (made.draft, index), &made.affected);
        let Some(revision) = compare_and_set_content(app, access, update).await? else {
            return Ok(None);
        };
        let change_request = change_requests::load(app, space, request.id).await?;
        let body = if compat {
            ChangeRequestContentAnswer::ChangeRequest(change_request)
        } else {
            ChangeRequestContentAnswer::ChangeRequestContentUpdate(ChangeRequestContentUpdate {
                change_request,
                changes: editor::affected_pages(&app.urls, space, made.affected),
                inserted_files: editor::inserted_files(&app.urls, space, &parsed),
            })
        };
        let tag = reader::tag(revision, "content");
        Ok(Some(Tagged { tag, body }))
    })
    .await
}

pub async fn load_active(app: &App, access: &ChangeRequestAccess) -> Result<Model, ApiError> {
    let found = store::find(app.db.read(), access.row.node.id, access.request.id).await;
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
