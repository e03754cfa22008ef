//! New spaces, and copies of existing ones.

use std::sync::Arc;

use content::{copy::CopySource, revisions::Origin};
use entity::{
    ids::{NodeId, RevisionId},
    nodes::NodeKind,
    spaces::{self, ContentVisibility},
};
use openapi::{
    error::ApiError,
    models::{CreateSpace, MergeRules, MergeRulesInherit},
};
use platform::db::rows;
use poem::http::StatusCode;
use serde_json::json;

use crate::{
    access::{SpaceAccess, TargetAccess},
    app::{App, audit::Changed, computed::KnownSource, content_writes::retry_stale, wire::ToStored},
    areas::library::tree::{self, store::NewNode, target},
};

use super::new_space::{FirstContent, NewSpace};

pub async fn create(app: &App, access: TargetAccess, body: Option<CreateSpace>) -> Result<NodeId, ApiError> {
    // A missing body is equal to an empty one, whose defaults the contract declares.
    let body = match body {
        Some(body) => body,
        None => serde_json::from_value(json!({}))?,
    };
    let TargetAccess {
        caller,
        member,
        node: place,
    } = access;
    let parent = place.as_ref().map(|place| place.id);
    let node = NewNode::new(app, NodeKind::Space, parent, body.title.unwrap_or_default());
    let row = spaces::Model {
        emoji: body.emoji,
        edit_mode: body.edit_mode.to_stored(),
        language: body.language.map(ToStored::to_stored),
        ..new_row(node.id, parent, app.ids.next())?
    };
    let content = if let Some(template) = body.template {
        FirstContent::Template(template, "/body/template")
    } else if let Some(source) = body.computed_source {
        let known = app.known_source(member.organization, "/body/computedSource", &source);
        let KnownSource { pages, specification } = known.await?;
        FirstContent::Computed(specification.slug, pages)
    } else if body.empty.is_some() {
        FirstContent::Nothing
    } else {
        FirstContent::Page
    };
    let space = NewSpace::prepare(app, &member, (node, row), content).await?;
    let work = move |tx| async move {
        tree::reload_parent(&tx, place.as_ref()).await?;
        let node = space.insert(&tx, &member).await?;
        Changed::of(target(&node), node.id).with(space.details)
    };
    let created = app.write(&caller, work).await?;
    app.jobs.wake();
    Ok(created)
}

/// The row of a space with the default settings.
pub fn new_row(id: NodeId, parent: Option<NodeId>, revision: RevisionId) -> Result<spaces::Model, ApiError> {
    let rules = MergeRules::MergeRulesInherit(MergeRulesInherit {
        r#type: Default::default(),
    });
    Ok(spaces::Model {
        id,
        emoji: None,
        icon: None,
        visibility: visibility(parent),
        edit_mode: spaces::SpaceEditMode::Live,
        language: None,
        merge_rules: serde_json::to_value(rules)?,
        revision_id: revision,
        change_requests: 0,
        change_requests_open: 0,
        change_requests_draft: 0,
    })
}

/// Copies a space directly behind the original, with its settings and content, but without its permissions.
pub async fn duplicate(app: &App, access: SpaceAccess) -> Result<NodeId, ApiError> {
    retry_stale(async || {
        let content = CopySource::of(app.db.read(), &app.content.objects, access.row.node.id).await?;
        copy(app, &access, Arc::new(content)).await
    })
    .await
}

/// `None`: the content of the original has changed since it was read.
async fn copy(app: &App, access: &SpaceAccess, content: Arc<CopySource>) -> Result<Option<NodeId>, ApiError> {
    let (member, author) = (access.member, access.caller.user_id);
    let (original, row) = (access.row.node.clone(), access.row.space.clone());
    let (id, permission, revision, now) = (app.ids.next(), app.ids.next(), app.ids.next(), app.clock.now());
    let work = move |tx| async move {
        let node = tree::reload(&tx, &original).await?;
        if !content.is_current(&tx).await? {
            return Ok(Changed::nothing(None));
        }
        // 403 instead of 404 for a collection that the member does not see: they see the space in it.
        tree::require_create(&tx, &member, node.parent_id)
            .await
            .map_err(forbidden)?;
        let new = NewNode {
            id,
            kind: NodeKind::Space,
            parent: node.parent_id,
            after: Some(node.id),
            title: node.title.clone(),
            default_level: node.default_level,
            now,
            permission,
        };
        let copy = tree::store::insert(&tx, &member, new).await?;
        let space = spaces::Model {
            id: copy.id,
            visibility: visibility(copy.parent_id),
            revision_id: revision,
            change_requests: 0,
            change_requests_open: 0,
            change_requests_draft: 0,
            ..row
        };
        rows::insert(&tx, &space).await?;
        let origin = Origin::edits(copy.id, vec![], author);
        content.copy(&tx, revision, origin, now).await?;
        Changed::of(target(&copy), Some(copy.id)).with(json!({ "original": node.id }))
    };
    app.write(&access.caller, work).await
}

fn forbidden(error: ApiError) -> ApiError {
    if error.status() == StatusCode::NOT_FOUND {
        return ApiError::forbidden("This needs the level create on the collection of the space.");
    }
    error
}

fn visibility(parent: Option<NodeId>) -> ContentVisibility {
    match parent {
        Some(_) => ContentVisibility::InCollection,
        None => ContentVisibility::Private,
    }
}
