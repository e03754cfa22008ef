//! Changing the content of a change request.

use std::sync::Arc;

use content::{draft::Draft, index::Index, objects::Content, revisions::Origin};
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
        change_requests::{self, Advance, advance, store},
        editor::{self, Touched, publish},
        reader,
    },
};

pub async fn edit(
    app: &App,
    access: &ChangeRequestAccess,
    compat: bool,
    if_match: Option<&str>,
    body: UpdateContent,
) -> Result<Tagged<ChangeRequestContentAnswer>, ApiError> {
    store::require_active(&access.request)?;
    let space = access.row.node.id;
    let prepared = Arc::new(editor::prepare(app, body).await?);
    app.write_content(space, async || {
        let request = present(app, access).await?;
        publish::require_match(if_match, request.revision_id)?;
        let head = publish::require(app, space, request.revision_id).await?;
        let pulled = request.ancestor_id.unwrap_or(request.initial_id);
        let pulled = publish::require(app, space, pulled).await?;
        let base = publish::base(app, &head, pulled.snapshot, &prepared).await?;
        let mut content = Content::new(app.db.read(), &app.content.objects, space);
        let made = editor::apply(&mut content, &base, &prepared, app.clock.now()).await;
        let made = made??;
        let index = Index::of(&mut content, space, &made.draft.changes, false).await?;
        let step = step(access, &request, (made.draft, index), &made.touched);
        let Some(revision) = advance(app, access, step).await? else {
            return Ok(None);
        };
        let change_request = change_requests::load(app, space, request.id).await?;
        let body = if compat {
            ChangeRequestContentAnswer::ChangeRequest(change_request)
        } else {
            ChangeRequestContentAnswer::ChangeRequestContentUpdate(ChangeRequestContentUpdate {
                change_request,
                changes: editor::wire_touched(&app.urls, space, made.touched),
                inserted_files: editor::wire_files(&app.urls, space, &prepared),
            })
        };
        let tag = reader::tag(revision, "content");
        Ok(Some(Tagged { tag, body }))
    })
    .await
}

async fn present(app: &App, access: &ChangeRequestAccess) -> Result<Model, ApiError> {
    let found = store::find(app.db.read(), access.row.node.id, access.request.id).await;
    let row = found?.ok_or_else(|| ApiError::not_found("change request"))?;
    store::require_active(&row.request)?;
    Ok(row.request)
}

/// Whoever changes a page has decided about its conflict.
fn step(access: &ChangeRequestAccess, request: &Model, (draft, index): (Draft, Index), touched: &[Touched]) -> Advance {
    let origin = Origin {
        change_request: Some(request.id),
        ..Origin::edits(request.space_id, vec![request.revision_id], access.caller.user_id)
    };
    Advance {
        expected: request.revision_id,
        settled: touched.iter().map(|touched| *touched.page.as_uuid()).collect(),
        draft: (!draft.is_empty()).then_some((draft, index, origin)),
        ancestor: None,
        conflicts: Vec::new(),
    }
}
