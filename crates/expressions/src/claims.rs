//! The claims of visitors, over which conditions and expressions are evaluated.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::Data;

/// The claims of a visitor, as the conditions of a site take them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VisitorClaims {
    /// The organization of the site.
    tenant: Uuid,
    /// `true`: the site has adaptive content. `false`: there are no claims, and conditions that depend on the visitor never hold.
    adaptive: bool,
    claims: Map<String, Value>,
}

impl VisitorClaims {
    /// The claims on a site. A site without adaptive content does not know those of visitors who came when it had it.
    pub fn new(tenant: Uuid, adaptive: bool, claims: &Map<String, Value>) -> Self {
        let claims = if adaptive { claims.clone() } else { Map::new() };
        Self {
            tenant,
            adaptive,
            claims,
        }
    }

    /// The claims with the variables of a space and of a page, for conditions and expressions.
    pub fn data(&self, space: &Map<String, Value>, page: &Map<String, Value>) -> Data {
        match self.adaptive {
            true => Data::new(self.claims.clone(), space, page).of_tenant(self.tenant),
            false => self.without_claims(space, page),
        }
    }

    /// The same without what is known of the visitor.
    pub fn without_claims(&self, space: &Map<String, Value>, page: &Map<String, Value>) -> Data {
        Data::without_visitor(space, page).of_tenant(self.tenant)
    }
}
