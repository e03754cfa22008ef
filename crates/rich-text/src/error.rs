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

    /// `path` leads to the node that breaks the rule.
    pub(super) fn at(path: &[(&'static str, usize)], code: ErrorRule, message: impl Into<String>) -> Self {
        let steps = path.iter().map(|(member, index)| format!("/{member}/{index}"));
        Self::new(steps.collect::<String>(), code, message)
    }

    /// `path` leads to a node with a target that could run in a browser.
    pub(super) fn unsafe_target(path: &[(&'static str, usize)]) -> Self {
        let message = "The scheme of this target is not allowed. Allowed are http, https, mailto, tel, sms and ftp; for images and embeds http and https.";
        Self::at(path, ErrorRule::UnsafeTarget, message)
    }
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} at \"{}\")", self.message, self.code.as_str(), self.pointer)
    }
}

impl std::error::Error for DocumentError {}
