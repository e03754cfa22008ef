//! The error of parsing, rendering or editing a document.

use std::fmt;

use openapi::{enums::Enumeration, error::ErrorRule};

/// A rule that a document breaks, and the node that breaks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentError {
    /// JSON pointer of the node within the document; empty for the whole document.
    pub pointer: String,
    pub code: ErrorRule,
    /// Sentence for people.
    pub message: String,
}

impl DocumentError {
    pub fn new(pointer: impl Into<String>, code: ErrorRule, message: impl Into<String>) -> Self {
        Self {
            pointer: pointer.into(),
            code,
            message: message.into(),
        }
    }
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} at \"{}\")", self.message, self.code.as_str(), self.pointer)
    }
}

impl std::error::Error for DocumentError {}
