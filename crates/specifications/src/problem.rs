//! What is wrong with a document, and where.

use std::fmt;

use url::Url;

/// The place of a problem.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Place {
    /// In the text; both count from 1.
    Position { line: usize, column: usize },
    /// A JSON pointer into the document.
    Pointer(String),
}

/// A reason for which a document is refused, as a sentence for people.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Problem {
    pub message: String,
    pub place: Option<Place>,
    /// `None`: the document itself; otherwise one that it refers to.
    pub document: Option<Box<Url>>,
}

impl Problem {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            place: None,
            document: None,
        }
    }

    pub(crate) fn at_position(message: impl Into<String>, line: usize, column: usize) -> Self {
        Self {
            place: Some(Place::Position { line, column }),
            ..Self::new(message)
        }
    }

    pub(crate) fn at_pointer(message: impl Into<String>, pointer: &str) -> Self {
        Self {
            place: Some(Place::Pointer(pointer.to_owned())),
            ..Self::new(message)
        }
    }

    pub(crate) fn of(mut self, document: Option<&Url>) -> Self {
        self.document = document.cloned().map(Box::new);
        self
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Position { line, column } => write!(f, "line {line}, column {column}"),
            Self::Pointer(pointer) if pointer.is_empty() => f.write_str("the top level"),
            Self::Pointer(pointer) => f.write_str(pointer),
        }
    }
}
