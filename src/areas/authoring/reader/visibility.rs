//! Pages that visitors of sites see: those whose condition, and those of the pages above them, hold.

use std::collections::BTreeSet;

use content::pages::{Forest, Page};
use entity::ids::PageId;
use expressions::Holding;
use openapi::error::ApiError;
use serde_json::Map;

use super::RevisionReader;
use crate::access::conditions::overloaded;

impl RevisionReader<'_> {
    /// The page, or 404.
    pub(super) async fn require_visible(&mut self, page: Option<Page>) -> Result<Page, ApiError> {
        let unknown = || ApiError::not_found("page");
        let page = page.ok_or_else(unknown)?;
        match self.is_visible(&page).await? {
            true => Ok(page),
            false => Err(unknown()),
        }
    }

    /// Returns whether there is a page with the id that the reader sees.
    pub async fn sees(&mut self, page: PageId) -> Result<bool, ApiError> {
        match self.compute(|pages| pages.page(page)).await? {
            Some(page) => self.is_visible(&page).await,
            None => Ok(false),
        }
    }

    async fn is_visible(&mut self, page: &Page) -> Result<bool, ApiError> {
        if self.visitor.is_none() {
            return Ok(true);
        }
        let above = self.compute(|pages| pages.ancestors(page)).await?;
        let conditions = above.iter().chain([page]).filter_map(|page| page.condition.clone());
        let conditions: BTreeSet<String> = conditions.collect();
        Ok(*self.holding(&conditions).await? == conditions)
    }

    /// Those of these conditions that hold for the visitor.
    pub(super) async fn holding(&mut self, conditions: &BTreeSet<String>) -> Result<Holding, ApiError> {
        if conditions.is_empty() {
            return Ok(Holding::default());
        }
        let data = self.data(&Map::new()).await?;
        let holding = self.app.expressions.holding(conditions.iter().collect(), &data).await;
        holding.map_err(overloaded)
    }

    /// Pages without those that the visitor does not see.
    pub(super) async fn retain_visible(&mut self, mut forest: Forest) -> Result<Forest, ApiError> {
        if self.visitor.is_none() {
            return Ok(forest);
        }
        let conditions = forest.pages().filter_map(|page| page.condition.clone());
        let conditions: BTreeSet<String> = conditions.collect();
        let holding = self.holding(&conditions).await?;
        forest.retain(|page| {
            page.condition
                .as_ref()
                .is_none_or(|condition| holding.contains(condition))
        });
        Ok(forest)
    }
}
