//! New spaces, and copies of existing ones.

use entity::{
    ids::{NodeId, RevisionId},
    library::{nodes::NodeKind, spaces},
};
use openapi::{
    error::ApiError,
    models::{CreateSpace, MergeRules, MergeRulesInherit},
};
use serde_json::json;

use super::{
    copies::{ReadyCopy, SpaceCopy, copied_settings, visibility},
    new_space::{FirstContent, NewSpace},
};
use crate::{
    access::{SpaceAccess, TargetAccess},
    areas::{
        content::Contents,
        library::{
            Library,
            tree::{self, store::NewNode, target},
        },
    },
    kernel::{audit::Changed, hooks::ContentChange, wire::ToStored},
};

pub async fn create(library: &Library, access: TargetAccess, body: Option<CreateSpace>) -> Result<NodeId, ApiError> {
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
    let node = NewNode::new(&library.kernel, NodeKind::Space, parent, body.title.unwrap_or_default());
    let row = spaces::Model {
        emoji: body.emoji,
        edit_mode: body.edit_mode.to_stored(),
        language: body.language.map(ToStored::to_stored),
        ..new_row(node.id, parent, library.kernel.ids.next())?
    };
    let content = if let Some(template) = body.template {
        FirstContent::Template(template, "/body/template")
    } else if let Some(source) = body.computed_source {
        let place = (node.id, member.organization);
        let (title, pages) = library
            .contents
            .known_pages(place, "/body/computedSource", source)
            .await?;
        FirstContent::Computed(title, pages)
    } else if body.empty.is_some() {
        FirstContent::Nothing
    } else {
        FirstContent::Page
    };
    let change = ContentChange {
        space: node.id,
        revision: row.revision_id,
        author: Some(member.user),
    };
    let is_computed = matches!(content, FirstContent::Computed(..));
    let hooks = library.kernel.hooks.clone();
    let space = NewSpace::prepare(&library.contents, &member, (node, row), content).await?;
    let work = move |tx| async move {
        tree::reload_parent(&tx, place.as_ref()).await?;
        let node = space.insert(&tx, &member).await?;
        if is_computed {
            // Integrations compute their pages after a change.
            hooks.content_changed(&tx, change).await?;
        }
        Changed::of(target(&node), node.id).with(space.details)
    };
    let created = library.kernel.write(&caller, work).await?;
    library.kernel.jobs.wake();
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
        git_tag: None,
    })
}

/// Copies a space directly behind the original, with its settings and content, but without its permissions.
pub async fn duplicate(contents: &Contents, access: SpaceAccess) -> Result<NodeId, ApiError> {
    let original = access.row.node;
    let copy = SpaceCopy {
        contents,
        creator: access.member,
        title: None,
        settings: copied_settings(),
        original,
    };
    let (caller, original) = (access.caller, copy.original.id);
    let write = |copy: ReadyCopy| {
        let work = move |tx| async move {
            match copy.insert(&tx).await? {
                Some(node) => Changed::of(target(&node), Some(node.id)).with(json!({ "original": original })),
                None => Ok(Changed::nothing(None)),
            }
        };
        contents.kernel.write(&caller, work)
    };
    copy.make(write).await
}
