//! New change requests.

use entity::change_requests::Model;
use openapi::{
    error::ApiError,
    models::{ChangeRequest, CreateChangeRequest},
};
use platform::db::rows;
use serde_json::json;

use crate::{
    access::SpaceAccess,
    app::{App, audit::Changed},
    areas::library::{spaces::unknown_template, tree},
};

use super::{Status, counters, load, target};

/// Creates a draft that starts from the current revision of the space.
pub async fn create(
    app: &App,
    access: &SpaceAccess,
    body: Option<CreateChangeRequest>,
) -> Result<ChangeRequest, ApiError> {
    let (subject, template) = body.map(|body| (body.subject, body.template)).unwrap_or_default();
    if template.is_some() {
        return Err(unknown_template());
    }
    let subject = subject.unwrap_or_default();
    let (node, creator) = (access.row.node.clone(), access.caller.user_id);
    let (id, now, space) = (app.ids.next(), app.clock.now(), node.id);
    let work = move |tx| async move {
        tree::reload(&tx, &node).await?;
        let counted = counters::count_new(&tx, node.id).await?;
        let request = Model {
            id,
            space_id: node.id,
            number: counted.change_requests,
            status: Status::Draft,
            subject,
            description: None,
            created_by: creator,
            created_at: now,
            updated_at: now,
            revision_id: counted.revision_id,
            initial_id: counted.revision_id,
            ancestor_id: None,
            merged_id: None,
            organization_id: node.organization_id,
        };
        rows::insert(&tx, &request).await?;
        Changed::of(target(&node, &request), ()).with(json!({ "space": node.id, "number": request.number }))
    };
    app.write(&access.caller, work).await?;
    load(app, space, id).await
}
