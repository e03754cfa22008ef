//! What a version of a document changes, for those who call the API that it describes.
//!
//! A change is breaking if a client of the version before may fail with the version after: what requests have to be was
//! narrowed, or what responses may be was widened or has gone. Schemas with names are compared once; operations refer to them.

mod operation;
mod operations;
mod reach;
mod schemas;
mod security;
mod view;

use std::collections::BTreeMap;

use serde_json::Value;

use self::{reach::Reach, schemas::Comparison};

/// Operations, webhooks and schemas that are told.
const MAX_CHANGES: usize = 1000;

/// What is told of one of them.
const MAX_DETAILS: usize = 20;

/// What changed from one document to another one.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Operations, then webhooks, then schemas, each in the order of their names.
    pub changes: Vec<Change>,
    /// Whether everything was compared and is told.
    pub is_complete: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Change {
    pub subject: Subject,
    pub kind: ChangeKind,
    pub is_breaking: bool,
    /// None for what was added or removed.
    pub details: Vec<Detail>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    Operation { path: String, method: &'static str },
    Webhook { name: String, method: &'static str },
    Schema { name: String },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    Added,
    Removed,
    Changed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detail {
    pub rule: Rule,
    /// A JSON pointer into the document after the change; of what was removed, where it would be.
    pub pointer: String,
    /// A sentence for people.
    pub message: String,
    pub is_breaking: bool,
}

/// What a detail is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    Deprecated,
    Documentation,
    Parameter,
    RequestBody,
    MediaType,
    Response,
    Security,
    Schema,
    Property,
    Required,
    Type,
    Enum,
    Alternative,
    Limit,
    Default,
}

impl Changes {
    /// Compares two finished documents. Members that are not as the format says count as absent.
    pub fn between(before: &Value, after: &Value) -> Self {
        let comparison = Comparison::new(before, after);
        let schemas = schemas::of_names(&comparison);
        let reach = Reach::new(&comparison);
        let mut found = BTreeMap::new();
        operations::compare(&comparison, &schemas, &reach, &mut found);
        for (name, change) in schemas {
            let used = reach.uses(&name);
            let subject = Subject::Schema { name };
            let change = change.of_subject(subject.clone(), used);
            found.insert(subject, change);
        }
        let is_complete = comparison.is_complete() && found.len() <= MAX_CHANGES;
        Self {
            changes: found.into_values().take(MAX_CHANGES).collect(),
            is_complete,
        }
    }

    /// Compares two documents in JSON.
    pub fn between_texts(before: &[u8], after: &[u8]) -> serde_json::Result<Self> {
        Ok(Self::between(
            &serde_json::from_slice(before)?,
            &serde_json::from_slice(after)?,
        ))
    }

    pub fn is_breaking(&self) -> bool {
        self.changes.iter().any(|change| change.is_breaking)
    }
}
