//! Marking spaces as templates.

use content::{
    revisions::Revision,
    template::{Parameter, Template},
};
use entity::templates::Model;
use openapi::error::ApiError;
use platform::db::{Tx, rows};
use serde_json::json;

use super::{source, store};
use crate::{
    access::SpaceAccess,
    app::{App, audit::Changed, content_writes::retry_stale},
    areas::library::tree,
};

/// Makes the current content of a space a template.
pub async fn mark(app: &App, access: &SpaceAccess) -> Result<Model, ApiError> {
    retry_stale(async || {
        let space = access.row.node.id;
        let revision = app.current_revision(space).await?;
        let revision = revision.ok_or_else(|| ApiError::not_found("space"))?;
        let (template, parameters) = read(app, &revision).await?;
        let row = row(app, access, &revision, &template, parameters)?;
        write(app, access, row).await
    })
    .await
}

async fn read(app: &App, revision: &Revision) -> Result<(Template, Vec<Parameter>), ApiError> {
    let template = source::load(app, revision).await?;
    let computation = app.work.start(template.memory()).await?;
    let parameters = computation.run(|| template.parameters())?;
    drop(computation);
    Ok((template, parameters.map_err(source::unusable)?))
}

fn row(
    app: &App,
    access: &SpaceAccess,
    revision: &Revision,
    template: &Template,
    parameters: Vec<Parameter>,
) -> Result<Model, ApiError> {
    let now = app.clock.now();
    Ok(Model {
        space_id: revision.space,
        organization_id: access.row.node.organization_id,
        revision_id: revision.id,
        pages: i32::try_from(template.page_count()).unwrap_or(i32::MAX),
        parameters: serde_json::to_value(parameters)?,
        created_at: now,
        updated_at: now,
    })
}

/// `None`: the content of the space has changed since it was read.
async fn write(app: &App, access: &SpaceAccess, row: Model) -> Result<Option<Model>, ApiError> {
    let node = access.row.node.clone();
    let work = move |tx: Tx| async move {
        let node = tree::reload(&tx, &node).await?;
        if store::current_revision(&tx, node.id).await? != Some(row.revision_id) {
            return Ok(Changed::nothing(None));
        }
        let present = rows::find(&tx, store::of(node.organization_id), node.id).await?;
        let row = match present {
            Some(present) if present.revision_id == row.revision_id => return Ok(Changed::nothing(Some(present))),
            Some(present) => Model {
                created_at: present.created_at,
                ..row
            },
            None => row,
        };
        rows::put(&tx, &row).await?;
        let details = json!({ "revision": row.revision_id, "parameters": row.parameters });
        Changed::of(tree::target(&node), Some(row)).with(details)
    };
    app.write(&access.caller, work).await
}
