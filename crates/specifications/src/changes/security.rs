//! What callers have to prove of themselves.

use std::collections::BTreeSet;

use serde_json::Value;

/// The ways in, each as the schemes with their scopes that it asks for together. No way: anybody.
pub struct Security(BTreeSet<BTreeSet<String>>);

impl Security {
    /// Of an operation; otherwise of the whole document.
    pub fn of(document: &Value, operation: &Value) -> Self {
        let stated = operation["security"]
            .as_array()
            .or_else(|| document["security"].as_array());
        Self(stated.into_iter().flatten().map(way).collect())
    }

    /// Returns whether everybody who got in still does.
    pub fn admits(&self, former: &Self) -> bool {
        let is_open = |security: &Self| security.0.is_empty() || security.0.iter().any(BTreeSet::is_empty);
        if is_open(self) {
            return true;
        }
        let admitted = |way: &BTreeSet<String>| self.0.iter().any(|now| now.is_subset(way));
        !is_open(former) && former.0.iter().all(admitted)
    }

    pub fn is_same(&self, former: &Self) -> bool {
        self.0 == former.0
    }
}

fn way(requirement: &Value) -> BTreeSet<String> {
    let schemes = requirement.as_object().into_iter().flatten();
    let parts = schemes.flat_map(|(scheme, scopes)| {
        let scopes = scopes.as_array().into_iter().flatten().filter_map(Value::as_str);
        let scopes = scopes.map(move |scope| format!("{scheme} {scope}"));
        std::iter::once(scheme.clone()).chain(scopes)
    });
    parts.collect()
}
