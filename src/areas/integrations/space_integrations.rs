//! What the content of spaces takes from integrations.

use std::sync::Arc;

use entity::ids::{NodeId, OrganizationId};
use futures_util::future::{BoxFuture, FutureExt};
use openapi::{
    error::ApiError,
    models::{IntegrationBlock, IntegrationContentSource},
};
use rich_text::{BlockLanguage, BlockLanguages};
use serde::Deserialize;

use crate::{
    areas::{content::space_integrations::SpaceIntegrations, integrations::integration_installations::store},
    kernel::Kernel,
};

/// The integrations that are installed on spaces.
pub struct InstalledOnSpaces {
    kernel: Kernel,
}

/// The members of a manifest with what is in content.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Declared {
    blocks: Vec<IntegrationBlock>,
    content_sources: Vec<IntegrationContentSource>,
}

impl InstalledOnSpaces {
    pub fn new(kernel: &Kernel) -> Self {
        Self { kernel: kernel.clone() }
    }

    async fn load_languages(&self, space: NodeId) -> Result<Arc<BlockLanguages>, ApiError> {
        let mut languages = Vec::new();
        // The newest installations come first.
        for (integration, manifest) in store::manifests_with_blocks(self.kernel.db.read(), space).await? {
            let Declared { blocks, .. } = serde_json::from_value(manifest)?;
            for block in blocks {
                if let Some(markdown) = block.markdown {
                    languages.push(BlockLanguage {
                        language: markdown.codeblock,
                        integration: integration.clone(),
                        block: block.id,
                        property: markdown.body,
                    });
                }
            }
        }
        Ok(Arc::new(languages.into_iter().collect()))
    }

    async fn find_source(
        &self,
        organization: OrganizationId,
        space: NodeId,
        integration: &str,
        source: &str,
    ) -> Result<Option<String>, ApiError> {
        let manifest = store::manifest_with_sources(self.kernel.db.read(), organization, space, integration).await?;
        let Some(manifest) = manifest else {
            return Ok(None);
        };
        let Declared { content_sources, .. } = serde_json::from_value(manifest)?;
        let found = content_sources.into_iter().find(|declared| declared.id == source);
        Ok(found.map(|declared| declared.title))
    }
}

impl SpaceIntegrations for InstalledOnSpaces {
    fn languages(&self, space: NodeId) -> BoxFuture<'_, Result<Arc<BlockLanguages>, ApiError>> {
        self.load_languages(space).boxed()
    }

    fn content_source<'a>(
        &'a self,
        organization: OrganizationId,
        space: NodeId,
        integration: &'a str,
        source: &'a str,
    ) -> BoxFuture<'a, Result<Option<String>, ApiError>> {
        self.find_source(organization, space, integration, source).boxed()
    }
}
