//! Findings about the contract: place, problem and next step.

use std::{fmt, sync::Arc};

/// The entry document of the contract.
pub const ENTRY: &str = "openapi.yaml";

/// A line of a file. The path is relative to the folder of the contract.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub file: Arc<str>,
    pub line: usize,
}

impl Place {
    /// The first line of the entry document.
    pub fn start() -> Self {
        Self {
            file: ENTRY.into(),
            line: 1,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    pub place: Place,
    pub problem: String,
    /// The next step of the author.
    pub help: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}\n    {}", self.place, self.problem, self.help)
    }
}

/// All findings of a build.
#[derive(Debug, Default)]
pub struct Findings(Vec<Finding>);

impl Findings {
    pub fn add(&mut self, place: &Place, problem: impl Into<String>, help: impl Into<String>) {
        self.0.push(Finding {
            place: place.clone(),
            problem: problem.into(),
            help: help.into(),
        });
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns `value` if there are no findings, otherwise the findings sorted by file and line.
    pub fn into_result<T>(mut self, value: T) -> Result<T, Self> {
        if self.0.is_empty() {
            return Ok(value);
        }
        self.0.sort();
        self.0.dedup();
        Err(self)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Finding> {
        self.0.iter()
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.0 {
            writeln!(f, "{finding}")?;
        }
        write!(f, "{} finding(s)", self.0.len())
    }
}

impl std::error::Error for Findings {}
