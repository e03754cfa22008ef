//! The development mode: events go to a tunnel instead of the script.

use entity::integrations::ActiveModel;
use openapi::{
    error::{ApiError, ErrorRule},
    models::IntegrationDevelopmentMode,
};
use platform::{
    db::{Tx, rows},
    outbound::without_query,
};
use sea_orm::{ActiveModelTrait, ActiveValue::Set};
use serde_json::json;

use super::store;

use crate::{
    areas::integrations::integration_access::IntegrationAccess,
    kernel::{Kernel, audit::Changed},
};

/// Sends events to a tunnel. Its address is checked as far as its text decides; the rest is checked at each request to it.
pub async fn start(
    kernel: &Kernel,
    access: &IntegrationAccess,
    body: IntegrationDevelopmentMode,
) -> Result<(), ApiError> {
    let IntegrationDevelopmentMode { tunnel_url, all } = body;
    kernel.outbound.check(&tunnel_url).map_err(|error| {
        let message = format!("`tunnelUrl` {error}.");
        ApiError::invalid_member("/body/tunnelUrl", ErrorRule::Address, message)
    })?;
    set(kernel, access, Some(tunnel_url), all).await
}

/// Sends events to the script again.
pub async fn end(kernel: &Kernel, access: &IntegrationAccess) -> Result<(), ApiError> {
    set(kernel, access, None, false).await
}

async fn set(
    kernel: &Kernel,
    access: &IntegrationAccess,
    tunnel_url: Option<String>,
    tunnel_all: bool,
) -> Result<(), ApiError> {
    let (organization, integration, now) = (access.row.organization_id, access.row.id, kernel.clock.now());
    let work = move |tx: Tx| async move {
        let row = rows::find(&tx, store::of(organization), integration).await?;
        let row = row.ok_or_else(|| ApiError::not_found("integration"))?;
        if row.tunnel_url == tunnel_url && row.tunnel_all == tunnel_all {
            return Ok(Changed::nothing(()));
        }
        let details = json!({ "tunnelUrl": tunnel_url.as_deref().map(without_query), "all": tunnel_all });
        let target = store::target(&row);
        let mut changed = ActiveModel::from(row);
        changed.tunnel_url = Set(tunnel_url);
        changed.tunnel_all = Set(tunnel_all);
        changed.updated_at = Set(now);
        changed.update(&tx).await?;
        Changed::of(target, ()).with(details)
    };
    kernel.write(&access.caller, work).await
}
