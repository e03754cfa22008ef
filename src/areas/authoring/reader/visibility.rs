//! Pages that visitors of sites see: those whose condition, and those of the pages above them, hold.

use std::collections::BTreeSet;

use content::pages::{Forest, Page};
use openapi::error::ApiError;

use serde_json::Map;

use super::{RevisionReader, evaluation};

impl RevisionReader<'_> {
    /// The page, or 404.
    pub(super) async fn require_visible(&mut self, page: Option<Page>) -> Result<Page, ApiError> {
        let unknown = || ApiError::not_found("page");
        let page = page.ok_or_else(unknown)?;
        if self.visitor.is_none() {
            return Ok(page);
        }
        let above = self.compute(|pages| pages.ancestors(&page)).await?;
        let conditions = above.iter().chain([&page]).filter_map(|page| page.condition.clone());
        let conditions: BTreeSet<String> = conditions.collect();
        if self.holding(conditions.clone()).await? == conditions {
            return Ok(page);
        }
        Err(unknown())
    }

    /// Those of these conditions that hold for the visitor.
    async fn holding(&mut self, conditions: BTreeSet<String>) -> Result<BTreeSet<String>, ApiError> {
        if conditions.is_empty() {
            return Ok(conditions);
        }
        let data = self.data(&Map::new()).await?;
        evaluation::holding(self.app, conditions, &data).await
    }

    /// Pages without those that the visitor does not see.
    pub(super) async fn retain_visible(&mut self, mut forest: Forest) -> Result<Forest, ApiError> {
        if self.visitor.is_none() {
            return Ok(forest);
        }
        let conditions = forest.pages().filter_map(|page| page.condition.clone());
        let conditions: BTreeSet<String> = conditions.collect();
        let holding = self.holding(conditions).await?;
        forest.retain(|page| {
            page.condition
                .as_ref()
                .is_none_or(|condition| holding.contains(condition))
        });
        Ok(forest)
    }
}
