//! Conditions that decide what a visitor of a site sees.

use std::collections::BTreeSet;

use entity::sites;
use expressions::{Data, Overloaded};
use openapi::error::ApiError;
use serde_json::{Map, Value};

use super::state::AccessGuard;

/// The time after which a caller should try again, in seconds.
const RETRY_AFTER: u32 = 2;

pub fn overloaded(error: Overloaded) -> ApiError {
    ApiError::overloaded(error.to_string(), RETRY_AFTER)
}

impl AccessGuard {
    /// Returns those of these conditions that hold for a visitor of the site. In a site without adaptive content, none holds.
    pub async fn holding(
        &self,
        site: &sites::Model,
        claims: &Map<String, Value>,
        conditions: impl IntoIterator<Item = &String>,
    ) -> Result<BTreeSet<String>, ApiError> {
        if !site.adaptive_content {
            return Ok(BTreeSet::new());
        }
        let conditions: BTreeSet<String> = conditions.into_iter().cloned().collect();
        let data = Data::new(claims.clone(), &Map::new(), &Map::new());
        self.expressions.holding(conditions, &data).await.map_err(overloaded)
    }
}
