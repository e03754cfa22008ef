//! What a version of a document changes, for those who call the API that it describes.
//!
//! A change is breaking if a client of the version before may fail with the version after: what requests have to be was
//! narrowed, or what responses may be was widened or has gone. What is not understood is told as of unknown impact. What
//! references lead to is compared once for all who refer to it, and the work follows the size of both documents.

mod bodies;
mod budget;
mod comparison;
mod component;
mod effects;
mod frame;
mod node;
mod operation;
mod operations;
mod report;
mod schema;
mod security;

use serde_json::Value;

use self::comparison::Comparison;
pub use self::effects::Impact;
use crate::{memory::Memory, syntax};

/// Memory of the values of both documents of a comparison. Those of usual documents take less than ten times their bytes.
const MAX_COMPARED_MEMORY: usize = 128 * 1024 * 1024;

/// Changes that are listed.
const MAX_CHANGES: usize = 1000;

/// Details that are listed of one of them.
const MAX_DETAILS: usize = 20;

/// What changed from one document to another one.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// That of all changes, listed or not. It is not [`Impact::Compatible`] if not everything was compared.
    pub impact: Impact,
    /// Whether everything was compared.
    pub is_complete: bool,
    /// How many there are, listed or not.
    pub count: usize,
    /// Those with the most impact first, then by their subjects.
    pub changes: Vec<Change>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Change {
    pub subject: Subject,
    /// The name or path before, if it was another one.
    pub former: Option<String>,
    pub kind: ChangeKind,
    pub impact: Impact,
    /// How many details there are, listed or not.
    pub count: usize,
    /// Those with the most impact first. None for what was added or removed.
    pub details: Vec<Detail>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// What belongs to no other subject.
    Document,
    /// Without a method, all operations of the path; likewise for webhooks.
    Operation {
        path: String,
        method: Option<&'static str>,
    },
    Webhook {
        name: String,
        method: Option<&'static str>,
    },
    /// What references lead to; its name, or its JSON pointer if it has none.
    Definition {
        kind: DefinitionKind,
        name: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DefinitionKind {
    Schema,
    Parameter,
    Header,
    RequestBody,
    Response,
    Callback,
    SecurityScheme,
    Other,
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
    pub kind: ChangeKind,
    /// A JSON pointer into the document after the change; of what was removed, into the one before.
    pub pointer: String,
    /// A sentence for people.
    pub message: String,
    pub impact: Impact,
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
    Header,
    Callback,
    Security,
    Server,
    /// What a reference leads to.
    Reference,
    Property,
    Required,
    Type,
    Enum,
    Alternative,
    Limit,
    Default,
    /// What is not understood.
    Other,
}

impl Changes {
    /// Compares two finished documents. Members that are not as the format says count as absent.
    pub fn between(before: &Value, after: &Value) -> Self {
        Self::counted(before, after).0
    }

    /// Also returns the steps that were taken, and how many could have been.
    pub(crate) fn counted(before: &Value, after: &Value) -> (Self, usize, usize) {
        let mut comparison = Comparison::new(before, after);
        let roots = comparison.compare();
        let (spent, limit) = (comparison.budget.spent(), comparison.budget.limit());
        (comparison.report(roots), spent, limit)
    }

    /// Compares two documents in JSON. Those with very many values are not.
    pub fn between_texts(before: &[u8], after: &[u8]) -> serde_json::Result<Self> {
        if before == after {
            return Ok(Self {
                is_complete: true,
                ..Self::default()
            });
        }
        let mut memory = Memory::new(MAX_COMPARED_MEMORY);
        let mut read = |bytes: &[u8]| syntax::finished(bytes, &mut memory);
        match (read(before), read(after)) {
            _ if memory.is_exhausted() => Ok(Self::unknown()),
            (before, after) => Ok(Self::between(&before?, &after?)),
        }
    }

    /// That of documents that were not compared.
    pub fn unknown() -> Self {
        Self {
            impact: Impact::Unknown,
            ..Self::default()
        }
    }
}
