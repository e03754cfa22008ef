//! What an import has made, as it is stored.

use std::collections::HashMap;

use entity::ids::PageId;
use serde::{Deserialize, Serialize};

use crate::areas::exchange::import::{KnownFiles, Report};

/// The most pages of a website, and pages and problems that are stored.
pub const MAX_PAGES: usize = 500;
pub const MAX_PROBLEMS: usize = 100;

#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Outcome {
    pub pages: Vec<OutcomePage>,
    pub problems: Vec<OutcomeProblem>,
}

#[derive(Clone, Serialize, Deserialize)]
pub struct OutcomePage {
    pub id: PageId,
    /// The address of the page, or the path of its file.
    pub source: String,
}

#[derive(Clone, Serialize, Deserialize)]
pub struct OutcomeProblem {
    pub path: String,
    pub line: Option<u64>,
    pub message: String,
}

impl Outcome {
    /// `addresses` are those of the files of a website, whose lines nobody knows.
    pub fn of(
        files: &KnownFiles,
        report: &Report,
        addresses: &HashMap<String, String>,
        problems: Vec<OutcomeProblem>,
    ) -> Self {
        let source = |path: &str| addresses.get(path).map_or(path, String::as_str).to_owned();
        let mut pages: Vec<(&String, PageId)> = files.pages.iter().map(|(path, page)| (path, page.id)).collect();
        pages.sort();
        let pages = pages.into_iter().take(MAX_PAGES).map(|(path, id)| OutcomePage {
            id,
            source: source(path),
        });
        let of_import = report.problems.iter().map(|problem| OutcomeProblem {
            path: source(&problem.path),
            line: problem
                .line
                .filter(|_| !addresses.contains_key(&problem.path))
                .and_then(|line| u64::try_from(line).ok()),
            message: problem.message.clone(),
        });
        Self {
            pages: pages.collect(),
            problems: problems.into_iter().chain(of_import).take(MAX_PROBLEMS).collect(),
        }
    }
}
