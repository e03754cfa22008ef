//! The blocks that links become.

use entity::ids::{NodeId, OrganizationId};
use futures_util::future::BoxFuture;
use openapi::{error::ApiError, models::IntegrationBlock};
use url::Url;

/// A block of an integration.
pub struct LinkBlock {
    /// The name of the integration.
    pub integration: String,
    pub block: IntegrationBlock,
}

/// Finds the blocks for addresses in the pages of a space. The context of integrations implements it, which this one does not know.
pub trait LinkBlocks: Send + Sync {
    fn find<'a>(
        &'a self,
        organization: OrganizationId,
        space: NodeId,
        address: &'a Url,
    ) -> BoxFuture<'a, Result<Option<LinkBlock>, ApiError>>;
}
