//! OpenAPI documents: parsed, bundled with what they refer to, checked, and upgraded to OpenAPI 3.1.
//!
//! A [`Bundle`] starts with the bytes of a document. As long as the document refers to documents that are not there, their
//! caller fetches them; then the bundle becomes one JSON document. Nothing here does input or output, and all work is bounded.

mod bundle;
mod changes;
mod descriptions;
mod finished;
mod html;
mod html_tags;
mod memory;
mod outline;
mod position;
mod problem;
mod references;
mod shape;
mod syntax;
mod upgrade;
mod validate;

#[cfg(test)]
mod tests;

pub use self::{
    bundle::Bundle,
    changes::{Change, ChangeKind, Changes, DefinitionKind, Detail, Impact, Rule, Subject},
    finished::Finished,
    html::HtmlRenderer,
    html_tags::{is_safe_as_tag, is_tag, split_tag},
    outline::{
        EntryKind, INFO_KEY, MODELS_KEY, Outline, OutlineEntry, OutlineGroup, OutlinePage, OutlineShape, PageText,
    },
    problem::{Place, Problem, Problems},
};

/// Bytes of one source document.
pub const MAX_SOURCE_BYTES: usize = 20 * 1024 * 1024;

/// Bytes of all source documents of one bundle.
const MAX_BUNDLE_BYTES: usize = 32 * 1024 * 1024;

/// Bytes of a finished document.
const MAX_RESULT_BYTES: usize = 32 * 1024 * 1024;

/// Bytes of a finished document with its descriptions as HTML.
const MAX_CONTENT_BYTES: usize = 64 * 1024 * 1024;

/// Documents that one document may refer to, directly and indirectly.
const MAX_EXTERNAL_DOCUMENTS: usize = 50;

/// Nesting of objects and arrays.
const MAX_DEPTH: usize = 100;

/// Memory of the values of all documents of one bundle, with the copies that an upgrade makes.
const MAX_MEMORY: usize = 128 * 1024 * 1024;

/// The part of it that aliases may take.
const MAX_ALIASED_MEMORY: usize = 16 * 1024 * 1024;

/// Objects that a walk over references may visit; documents are far below it.
const MAX_STEPS: usize = 20_000_000;

/// Problems of one document that are told.
const MAX_PROBLEMS: usize = 50;

/// The members of a path item that are operations.
const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// The versions of the format that are understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    Swagger20,
    OpenApi30,
    /// OpenAPI 3.2 too: what only that version has is kept as it is.
    OpenApi31,
}
