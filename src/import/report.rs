//! What an import says to whoever started it.

use entity::ids::{NodeId, RevisionId};

/// What came of an import.
#[derive(Debug, Default)]
pub struct Report {
    pub problems: Vec<Problem>,
    pub counts: Counts,
    /// None if nothing was to be written.
    pub written: Option<(NodeId, RevisionId)>,
}

/// Something that people may want to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Below the directory.
    pub path: String,
    pub message: String,
    /// Whether something is lost, or does not lead where it should.
    pub is_error: bool,
}

/// How much there is of everything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Those with a text.
    pub pages: usize,
    /// Of the pages.
    pub hidden: usize,
    pub groups: usize,
    /// Pages that only lead elsewhere.
    pub addresses: usize,
    pub reusable_contents: usize,
    pub files: usize,
    /// Of all files together.
    pub bytes: u64,
    /// Different targets of each text which are pages, files or shared contents now.
    pub resolved: usize,
    /// Those that lead nowhere.
    pub unresolved: usize,
}

/// Is told how far an import is.
pub trait Progress: Send + Sync {
    /// Something new begins, of so many steps; none is that nobody knows how many.
    fn begin(&self, what: &'static str, steps: usize);
    fn step(&self);
}

impl Report {
    /// Something is lost.
    pub(super) fn error(&mut self, path: &str, message: impl Into<String>) {
        self.add(path, message.into(), true);
    }

    /// Something is not as people may think, but nothing is lost.
    pub(super) fn note(&mut self, path: &str, message: impl Into<String>) {
        self.add(path, message.into(), false);
    }

    fn add(&mut self, path: &str, message: String, is_error: bool) {
        self.problems.push(Problem {
            path: path.to_owned(),
            message,
            is_error,
        });
    }

    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(|problem| problem.is_error)
    }
}
