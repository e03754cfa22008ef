//! Conditions that decide what a visitor of a site sees.

use std::collections::BTreeSet;

use entity::sites;
use expressions::{Data, Holding, Overloaded};
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
        conditions: BTreeSet<&String>,
    ) -> Result<Holding, ApiError> {
        if !site.adaptive_content || conditions.is_empty() {
            return Ok(Holding::default());
        }
        let data = Data::new(claims.clone(), &Map::new(), &Map::new());
        self.expressions.holding(conditions, &data).await.map_err(overloaded)
    }
}
