//! Marking spaces as templates.

use content::{
    revisions::Revision,
    template::{Parameter, Template},
};
use entity::library::templates::Model;
use openapi::error::ApiError;
use platform::db::{Tx, rows};
use serde_json::json;

use super::{source, store};

use crate::{
    access::SpaceAccess,
    areas::{
        content::{Contents, content_writes::retry_stale},
        library::tree,
    },
    kernel::{Kernel, audit::Changed},
};

/// Makes the current content of a space a template.
pub async fn mark(contents: &Contents, access: &SpaceAccess) -> Result<Model, ApiError> {
    retry_stale(async || {
        let space = access.row.node.id;
        let revision = contents.current_revision(space).await?;
        let revision = revision.ok_or_else(|| ApiError::not_found("space"))?;
        let (template, parameters) = read(contents, &revision).await?;
        let row = row(&contents.kernel, access, &revision, &template, parameters)?;
        write(&contents.kernel, access, row).await
    })
    .await
}

async fn read(contents: &Contents, revision: &Revision) -> Result<(Template, Vec<Parameter>), ApiError> {
    let template = source::load(contents, revision).await?;
    let computation = contents.kernel.work.start(template.text_bytes()).await?;
    let parameters = computation.run(|| template.parameters())?;
    drop(computation);
    Ok((template, parameters.map_err(source::unusable)?))
}

fn row(
    kernel: &Kernel,
    access: &SpaceAccess,
    revision: &Revision,
    template: &Template,
    parameters: Vec<Parameter>,
) -> Result<Model, ApiError> {
    let now = kernel.clock.now();
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
async fn write(kernel: &Kernel, access: &SpaceAccess, row: Model) -> Result<Option<Model>, ApiError> {
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
    kernel.write(&access.caller, work).await
}
