//! Applying templates.

use content::{objects::Content, revisions::Origin};
use openapi::{
    error::ApiError,
    models::{ApplyTemplate, ApplyTemplateToSpace},
};
use serde_json::json;

use crate::{
    access::SpaceAccess,
    areas::{
        authoring::{
            change_requests::{self, change_request_content},
            editor::write::{NewRevision, load_head, publish_revision, require_match},
        },
        content::Contents,
        library::templates::{AppliedTemplate, Destination},
    },
};

/// The pointer to the template in the request.
const POINTER: &str = "/body";

/// Adds the content of a template to the space, or to a change request of the space.
pub async fn apply(
    contents: &Contents,
    access: SpaceAccess,
    if_match: Option<&str>,
    body: ApplyTemplateToSpace,
) -> Result<(), ApiError> {
    let ApplyTemplateToSpace {
        id,
        params,
        change_request_id,
    } = body;
    let template = ApplyTemplate { id, params };
    match change_request_id {
        Some(named) => {
            let access = change_requests::of_space(&contents.kernel, access, &named).await?;
            // On the heap: with the transaction it takes more of the stack than a thread has.
            Box::pin(change_request_content::apply_template(
                contents,
                &access,
                if_match,
                (template, POINTER),
            ))
            .await
        }
        None => Box::pin(apply_to_space(contents, &access, if_match, template)).await,
    }
}

async fn apply_to_space(
    contents: &Contents,
    access: &SpaceAccess,
    if_match: Option<&str>,
    template: ApplyTemplate,
) -> Result<(), ApiError> {
    let space = access.row.node.id;
    contents
        .write_content(space, async || {
            let head = load_head(contents, space).await?;
            require_match(if_match, head.id)?;
            let destination = Destination {
                space,
                snapshot: head.snapshot,
                pointer: POINTER,
            };
            let template = AppliedTemplate::prepare(contents, &access.member, template.clone(), destination).await?;
            let mut content = Content::new(contents.kernel.db.read(), &contents.state.objects, space);
            let draft = template.draft(&mut content).await?;
            if draft.is_empty() {
                return Ok(Some(()));
            }
            let origin = Origin::edits(space, vec![head.id], access.caller.user_id);
            let new = NewRevision {
                details: json!({ "template": template.id() }),
                ..NewRevision::by(access, origin)
            };
            let published = publish_revision(contents, &mut content, &head, draft, new);
            Ok(published.await?.map(drop))
        })
        .await
}
