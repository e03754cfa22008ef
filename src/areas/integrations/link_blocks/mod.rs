//! The blocks of integrations that links become.

mod pattern;

use entity::{
    ids::{NodeId, OrganizationId},
    integrations::installations::InstallationStatus,
};
use futures_util::future::{BoxFuture, FutureExt};
use openapi::{error::ApiError, models::IntegrationBlock};
use serde::Deserialize;
use url::Url;

use crate::{
    areas::{
        integrations::{integration_installations::store::installed_on, place::Place},
        publishing::link_blocks::{LinkBlock, LinkBlocks},
    },
    kernel::Kernel,
};

/// The blocks of the integrations that are installed on a space.
pub struct InstalledBlocks(pub Kernel);

impl LinkBlocks for InstalledBlocks {
    fn find<'a>(
        &'a self,
        organization: OrganizationId,
        space: NodeId,
        address: &'a Url,
    ) -> BoxFuture<'a, Result<Option<LinkBlock>, ApiError>> {
        find(&self.0, organization, space, address).boxed()
    }
}

/// The member of a manifest with the blocks.
#[derive(Deserialize)]
struct Declared {
    blocks: Vec<IntegrationBlock>,
}

/// The first block for an address, of the integration that was installed last. One query.
async fn find(
    kernel: &Kernel,
    organization: OrganizationId,
    space: NodeId,
    address: &Url,
) -> Result<Option<LinkBlock>, ApiError> {
    let installed = installed_on(kernel.db.read(), organization, Place::Space(space)).await?;
    for (integration, installation) in installed {
        if !integration.has_blocks || installation.status != InstallationStatus::Active {
            continue;
        }
        let Declared { blocks } = serde_json::from_value(integration.manifest)?;
        let is_for_address = |block: &IntegrationBlock| {
            let mut patterns = block.url_unfurl.iter().flatten();
            patterns.any(|pattern| pattern::matches(pattern, address.as_str()))
        };
        if let Some(block) = blocks.into_iter().find(is_for_address) {
            return Ok(Some(LinkBlock {
                integration: integration.name,
                block,
            }));
        }
    }
    Ok(None)
}
