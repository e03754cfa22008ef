//! Pages that visitors of sites see: those whose condition, and those of the pages above them, hold.

use std::{collections::BTreeSet, sync::Arc};

use content::pages::Forest;
use entity::ids::PageId;
use expressions::{Data, Holding};
use openapi::error::ApiError;
use serde_json::{Map, Value};

use super::RevisionReader;

use crate::areas::{
    authoring::{
        Authoring,
        located_pages::{LocatedPage, PageKey, PageName},
    },
    content::conditions::overloaded,
};

/// Conditions that are evaluated together, which takes a limited time.
const CONDITIONS_AT_ONCE: usize = 100;

impl RevisionReader<'_> {
    /// The page with this name that the reader sees, or 404.
    pub(super) async fn require_page(&mut self, name: PageName) -> Result<Arc<LocatedPage>, ApiError> {
        let found = self.find_page(name).await?;
        found.ok_or_else(|| ApiError::not_found("page"))
    }

    /// Returns whether there is a page with the id that the reader sees.
    pub async fn sees(&mut self, page: PageId) -> Result<bool, ApiError> {
        Ok(self.find_page(PageName::Id(page)).await?.is_some())
    }

    pub(super) async fn find_page(&mut self, name: PageName) -> Result<Option<Arc<LocatedPage>>, ApiError> {
        let key = PageKey {
            revision: self.revision.id,
            computed: self.computed().map(|computed| computed.digest),
            name,
        };
        let found = match self.authoring.located_pages.get(&key) {
            Some(found) => found,
            None => match self.compute(|pages| LocatedPage::find(pages, &key.name)).await? {
                Some(found) => {
                    let found = Arc::new(found);
                    self.authoring.located_pages.insert(key, Arc::clone(&found));
                    found
                }
                None => return Ok(None),
            },
        };
        let is_visible = match self.visitor {
            Some(_) => *self.holding(&found.conditions).await? == found.conditions,
            None => true,
        };
        Ok(Some(found).filter(|_| is_visible))
    }

    /// Those of these conditions that hold for the visitor.
    pub(super) async fn holding(&mut self, conditions: &BTreeSet<String>) -> Result<Holding, ApiError> {
        self.holding_on(&Map::new(), conditions).await
    }

    /// Those of these conditions that hold for the visitor on a page with these variables.
    pub(super) async fn holding_on(
        &mut self,
        page: &Map<String, Value>,
        conditions: &BTreeSet<String>,
    ) -> Result<Holding, ApiError> {
        if conditions.is_empty() {
            return Ok(Holding::default());
        }
        let data = self.data(page, false).await?;
        holding(self.authoring, conditions, &data).await
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

/// Those of these conditions that hold with these data.
pub(super) async fn holding(
    authoring: &Authoring,
    conditions: &BTreeSet<String>,
    data: &Data,
) -> Result<Holding, ApiError> {
    let evaluator = &authoring.contents.expressions;
    if conditions.len() <= CONDITIONS_AT_ONCE {
        let found = evaluator.holding(conditions.iter().collect(), data).await;
        return found.map_err(overloaded);
    }
    let all: Vec<&String> = conditions.iter().collect();
    let mut holding = BTreeSet::new();
    for batch in all.chunks(CONDITIONS_AT_ONCE) {
        let found = evaluator.holding(batch.iter().copied().collect(), data).await;
        holding.extend(found.map_err(overloaded)?.iter().cloned());
    }
    Ok(holding.into())
}
