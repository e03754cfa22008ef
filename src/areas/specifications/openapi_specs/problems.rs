//! What processing found wrong, as it is stored.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use specifications::{Place, Problem, Problems};

/// The first problems, and how many there are.
#[derive(Clone)]
pub struct StoredProblems {
    pub first: Value,
    pub count: i32,
}

impl StoredProblems {
    pub fn none() -> Self {
        Self {
            first: json!([]),
            count: 0,
        }
    }

    /// Problems that are all there are.
    pub fn all(problems: Vec<StoredProblem>) -> serde_json::Result<Self> {
        Ok(Self {
            count: count(problems.len()),
            first: serde_json::to_value(problems)?,
        })
    }

    /// The problems of a document that was read nevertheless.
    pub fn reported(problems: Problems) -> serde_json::Result<Self> {
        let count = count(problems.count());
        let first = problems.first.into_iter().map(StoredProblem::from).collect();
        Ok(Self {
            count,
            ..Self::all(first)?
        })
    }
}

fn count(length: usize) -> i32 {
    i32::try_from(length).unwrap_or(i32::MAX)
}

#[derive(Serialize, Deserialize)]
pub struct StoredProblem {
    pub message: String,
    pub pointer: Option<String>,
    pub line: Option<i64>,
    pub column: Option<i64>,
    pub document: Option<String>,
}

impl StoredProblem {
    pub fn new(message: String) -> Self {
        Self {
            message,
            pointer: None,
            line: None,
            column: None,
            document: None,
        }
    }
}

impl From<Problem> for StoredProblem {
    fn from(problem: Problem) -> Self {
        let number = |number: usize| i64::try_from(number).ok();
        let mut stored = Self {
            document: problem.document.map(|address| String::from(*address)),
            ..Self::new(problem.message)
        };
        match problem.place {
            None => {}
            Some(Place::Pointer(pointer)) => stored.pointer = Some(pointer),
            Some(Place::Position { line, column }) => {
                stored.line = number(line);
                stored.column = number(column);
            }
        }
        stored
    }
}
