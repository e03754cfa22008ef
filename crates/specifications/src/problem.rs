//! What is wrong with a document, and where.

use std::{
    collections::HashSet,
    fmt,
    hash::{BuildHasher, RandomState},
};

use url::Url;

use crate::MAX_PROBLEMS;

/// The place of a problem.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Place {
    /// In the text; both count from 1.
    Position { line: usize, column: usize },
    /// A JSON pointer into the document.
    Pointer(String),
}

/// A problem of a document, as a sentence for people.
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

/// The problems of a document that is read nevertheless.
#[derive(Debug, Default)]
pub struct Problems {
    /// The first ones.
    pub first: Vec<Problem>,
    seen: HashSet<u64>,
    hasher: RandomState,
}

impl Problems {
    /// The number of all problems.
    pub fn count(&self) -> usize {
        self.seen.len()
    }

    /// Adds a problem, once.
    pub(crate) fn add(&mut self, problem: Problem) {
        if self.seen.insert(self.hasher.hash_one(&problem)) && self.first.len() < MAX_PROBLEMS {
            self.first.push(problem);
        }
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
