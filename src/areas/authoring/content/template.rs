//! Applying templates.

use content::{index::SearchUpdate, objects::Content, revisions::Origin};
use openapi::{
    error::ApiError,
    models::{ApplyTemplate, ApplyTemplateToSpace},
};
use serde_json::json;

use crate::{
    access::SpaceAccess,
    app::App,
    areas::{
        authoring::{
            change_request_content, change_requests,
            editor::write::{self, load_head, publish_revision, require_match},
        },
        library::templates::{AppliedTemplate, Destination},
    },
};

/// The pointer to the template in the request.
const POINTER: &str = "/body";

/// Adds the content of a template to the space, or to a change request of the space.
pub async fn apply(
    app: &App,
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
            let access = change_requests::of_space(app, access, &named).await?;
            // On the heap: with the transaction it takes more of the stack than a thread has.
            Box::pin(change_request_content::apply_template(
                app,
                &access,
                if_match,
                (template, POINTER),
            ))
            .await
        }
        None => Box::pin(apply_to_space(app, &access, if_match, template)).await,
    }
}

async fn apply_to_space(
    app: &App,
    access: &SpaceAccess,
    if_match: Option<&str>,
    template: ApplyTemplate,
) -> Result<(), ApiError> {
    let space = access.row.node.id;
    app.write_content(space, async || {
        let head = load_head(app, space).await?;
        require_match(if_match, head.id)?;
        let destination = Destination {
            space,
            snapshot: head.snapshot,
            pointer: POINTER,
        };
        let template = AppliedTemplate::prepare(app, &access.member, template.clone(), destination).await?;
        let mut content = Content::new(app.db.read(), &app.content.objects, space);
        let draft = template.draft(&mut content).await?;
        if draft.is_empty() {
            return Ok(Some(()));
        }
        let origin = Origin::edits(space, vec![head.id], access.caller.user_id);
        let published = publish_revision(
            app,
            write::actor_and_target(access),
            &mut content,
            &head,
            draft,
            (origin, SearchUpdate::Bounded),
            json!({ "template": template.id() }),
        );
        Ok(published.await?.map(drop))
    })
    .await
}
