//! The report and the progress of an import.

use entity::ids::{NodeId, RevisionId};

/// The note on a line of the table of contents or of the settings.
pub(super) const INVISIBLE: &str = "The line has invisible characters, which are ignored.";

/// The result of an import.
#[derive(Debug, Default)]
pub struct Report {
    pub problems: Vec<Problem>,
    pub counts: Counts,
    /// `None`: nothing was written, because of a dry run or a strict import with errors.
    pub written: Option<(NodeId, RevisionId)>,
}

/// A finding about one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Relative to the directory.
    pub path: String,
    /// The line of the file, from 1. `None`: the problem is about the whole file.
    pub line: Option<usize>,
    pub message: String,
    /// Content is lost, or a link is broken.
    pub is_error: bool,
}

/// The numbers of imported objects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pages with a text, and pages that only hold others.
    pub pages: usize,
    /// Hidden ones among the pages, hidden by their settings or because no table of contents lists them.
    pub hidden: usize,
    pub groups: usize,
    /// Pages that are links to addresses.
    pub addresses: usize,
    /// Placeholders for pages that are computed.
    pub computed: usize,
    pub reusable_contents: usize,
    pub files: usize,
    /// The total size of the files.
    pub bytes: u64,
    /// Different link targets of each text that became references.
    pub resolved: usize,
    /// Broken link targets and anchors, and removed targets.
    pub unresolved: usize,
}

/// Receives the progress of an import.
pub trait Progress: Send + Sync {
    /// Starts a phase of `steps` steps; 0 if unknown.
    fn start_phase(&self, phase: &'static str, steps: usize);
    fn step(&self);
}

impl Report {
    /// Adds a problem with a loss.
    pub(super) fn error(&mut self, path: &str, message: impl Into<String>) {
        self.add(path, None, message.into(), true);
    }

    /// Adds a problem with a loss at a line.
    pub(super) fn error_at(&mut self, path: &str, line: Option<usize>, message: impl Into<String>) {
        self.add(path, line, message.into(), true);
    }

    /// Adds a note about something unexpected without a loss.
    pub(super) fn note(&mut self, path: &str, message: impl Into<String>) {
        self.add(path, None, message.into(), false);
    }

    /// Adds a note at a line.
    pub(super) fn note_at(&mut self, path: &str, line: Option<usize>, message: impl Into<String>) {
        self.add(path, line, message.into(), false);
    }

    fn add(&mut self, path: &str, line: Option<usize>, message: String, is_error: bool) {
        self.problems.push(Problem {
            path: path.to_owned(),
            line,
            message,
            is_error,
        });
    }

    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(|problem| problem.is_error)
    }
}
