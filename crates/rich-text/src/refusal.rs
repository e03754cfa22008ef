//! Why something cannot be done with a document.

use std::fmt;

/// What was refused, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The JSON pointer of the node within the document; empty for the whole.
    pub pointer: String,
    /// A stable word for programs.
    pub code: &'static str,
    /// For people.
    pub message: String,
}

impl Refusal {
    pub fn new(pointer: impl Into<String>, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            pointer: pointer.into(),
            code,
            message: message.into(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} at \"{}\")", self.message, self.code, self.pointer)
    }
}

impl std::error::Error for Refusal {}
