//! Which schemas requests and responses use, directly and through other schemas.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use super::{
    operation::Operations,
    schemas::{Comparison, Uses},
    view::{name_of_reference, resolve},
};

/// References that lead from one thing without a name to the next.
const MAX_DEPTH: usize = 20;

/// The schemas with names, and who uses them in either document.
pub struct Reach {
    /// By name, the names that a schema refers to.
    edges: HashMap<String, BTreeSet<String>>,
    uses: HashMap<String, Uses>,
}

impl Reach {
    pub fn new(comparison: &Comparison<'_>) -> Self {
        let mut reach = Self {
            edges: HashMap::new(),
            uses: HashMap::new(),
        };
        for document in [comparison.before, comparison.after] {
            let schemas = document["components"]["schemas"].as_object();
            for (name, schema) in schemas.into_iter().flatten() {
                let names = names_in(comparison, document, schema);
                reach.edges.entry(name.clone()).or_default().extend(names);
            }
        }
        for document in [comparison.before, comparison.after] {
            let (mut requests, mut responses) = (BTreeSet::new(), BTreeSet::new());
            for operation in Operations::of(document).all() {
                requests.extend(names_in(comparison, document, &operation.request_parts()));
                responses.extend(names_in(comparison, document, operation.responses()));
            }
            for name in reach.from(comparison, requests) {
                reach.uses.entry(name).or_default().in_requests = true;
            }
            for name in reach.from(comparison, responses) {
                reach.uses.entry(name).or_default().in_responses = true;
            }
        }
        reach
    }

    pub fn uses(&self, name: &str) -> Uses {
        self.uses.get(name).copied().unwrap_or_default()
    }

    /// The names, and all that can be reached from them.
    pub fn from(&self, comparison: &Comparison<'_>, names: BTreeSet<String>) -> BTreeSet<String> {
        let mut open: Vec<String> = names.iter().cloned().collect();
        let mut reached = names;
        while let Some(name) = open.pop() {
            for next in self.edges.get(&name).into_iter().flatten() {
                if comparison.step() && reached.insert(next.clone()) {
                    open.push(next.clone());
                }
            }
        }
        reached
    }
}

/// The names of schemas that a part of a document refers to; other references are followed.
pub fn names_in(comparison: &Comparison<'_>, document: &Value, part: &Value) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut open = vec![(part, 0)];
    let mut followed = BTreeSet::new();
    while let Some((value, depth)) = open.pop() {
        if !comparison.step() {
            break;
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth))),
            Value::Object(members) => {
                if let Some(name) = name_of_reference(value) {
                    names.insert(name);
                } else if let Some(reference) = value["$ref"].as_str()
                    && depth < MAX_DEPTH
                    && followed.insert(reference)
                    && let Some(target) = resolve(document, value)
                {
                    open.push((target, depth + 1));
                }
                // Examples are data, and not part of the contract.
                let members = members
                    .iter()
                    .filter(|(name, _)| !matches!(name.as_str(), "example" | "examples"));
                open.extend(members.map(|(_, member)| (member, depth)));
            }
            _ => {}
        }
    }
    names
}
