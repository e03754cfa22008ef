//! What processing found wrong, as it is stored.

use serde::{Deserialize, Serialize};
use specifications::{Place, Problem};

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
