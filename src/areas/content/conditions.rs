//! Conditions that decide what a visitor of a site sees.

use std::collections::BTreeSet;

use expressions::{Holding, Overloaded, VisitorClaims};
use openapi::error::ApiError;
use serde_json::Map;

use super::Contents;

/// The time after which a caller should try again, in seconds.
const RETRY_AFTER: u32 = 2;

pub fn overloaded(error: Overloaded) -> ApiError {
    ApiError::overloaded(error.to_string(), RETRY_AFTER)
}

impl Contents {
    /// Returns those of these conditions of a site that hold for a visitor.
    pub async fn holding(&self, claims: &VisitorClaims, conditions: BTreeSet<&String>) -> Result<Holding, ApiError> {
        if conditions.is_empty() {
            return Ok(Holding::default());
        }
        let data = claims.data(&Map::new(), &Map::new());
        self.expressions.holding(conditions, &data).await.map_err(overloaded)
    }
}
