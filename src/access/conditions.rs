//! Conditions that decide what a visitor of a site sees.

use std::collections::BTreeSet;

use entity::publishing::sites;
use expressions::{Data, Holding, Overloaded};
use openapi::error::ApiError;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{state::AccessGuard, visitors::Visit};

/// The time after which a caller should try again, in seconds.
const RETRY_AFTER: u32 = 2;

pub fn overloaded(error: Overloaded) -> ApiError {
    ApiError::overloaded(error.to_string(), RETRY_AFTER)
}

/// The claims of a visitor, as the conditions of a site take them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VisitorClaims {
    /// Whether the site has adaptive content. `false`: there are no claims, and conditions that depend on the visitor hold for
    /// nobody.
    adaptive: bool,
    claims: Map<String, Value>,
}

impl VisitorClaims {
    /// The claims of a visit. A site without adaptive content does not know those of visitors who came when it had it.
    pub fn of(site: &sites::Model, visit: &Visit) -> Self {
        let adaptive = site.adaptive_content;
        let claims = if adaptive { visit.claims.clone() } else { Map::new() };
        Self { adaptive, claims }
    }

    /// The claims with the variables of a space and of a page, for conditions and expressions.
    pub fn data(&self, space: &Map<String, Value>, page: &Map<String, Value>) -> Data {
        match self.adaptive {
            true => Data::new(self.claims.clone(), space, page),
            false => Data::without_visitor(space, page),
        }
    }
}

impl AccessGuard {
    /// Returns those of these conditions of a site that hold for a visitor.
    pub async fn holding(&self, claims: &VisitorClaims, conditions: BTreeSet<&String>) -> Result<Holding, ApiError> {
        if conditions.is_empty() {
            return Ok(Holding::default());
        }
        let data = claims.data(&Map::new(), &Map::new());
        self.expressions.holding(conditions, &data).await.map_err(overloaded)
    }
}
