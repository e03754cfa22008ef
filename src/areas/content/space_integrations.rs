//! What content takes from the integrations of a space. The context of integrations implements it, which this one does not know.

use std::sync::Arc;

use entity::ids::{NodeId, OrganizationId};
use futures_util::future::BoxFuture;
use openapi::error::ApiError;
use rich_text::BlockLanguages;

/// Finds what the active integrations of a space declare.
pub trait SpaceIntegrations: Send + Sync {
    /// The languages of code that are blocks of integrations.
    fn languages(&self, space: NodeId) -> BoxFuture<'_, Result<Arc<BlockLanguages>, ApiError>>;

    /// The title of a content source of an integration, if the integration is active on the space, which may be a new one.
    fn content_source<'a>(
        &'a self,
        organization: OrganizationId,
        space: NodeId,
        integration: &'a str,
        source: &'a str,
    ) -> BoxFuture<'a, Result<Option<String>, ApiError>>;
}
