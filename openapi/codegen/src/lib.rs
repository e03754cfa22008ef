//! Reads the contract, refuses what is incomplete or not understood, and writes the Rust code that speaks it.
//!
//! The stages: `document` loads the files, `lower` turns them into the `model`, `check` looks at values and bounds, `emit` writes code.

mod bundle;
mod check;
mod compose;
pub mod document;
mod emit;
pub mod finding;
#[path = "../../src/formats.rs"]
mod formats;
pub mod gate;
mod lower;
pub mod model;
pub mod node;
pub mod scaffold;

use std::path::{Path, PathBuf};

use document::Documents;
use finding::Findings;
use model::Api;

/// The contract, read and checked.
#[derive(Debug)]
pub struct Contract {
    pub api: Api,
    /// The files it was read from.
    pub files: Vec<PathBuf>,
}

impl Contract {
    /// Reads the contract of a folder; its entry is `openapi.yaml`.
    pub fn load(folder: &Path) -> Result<Self, Findings> {
        let mut findings = Findings::default();
        let documents = Documents::load(folder, &mut findings);
        Self::read(&documents, findings)
    }

    /// Reads a contract of a single file.
    pub fn parse(text: &str) -> Result<Self, Findings> {
        let mut findings = Findings::default();
        let documents = Documents::from_text(text, &mut findings);
        Self::read(&documents, findings)
    }

    fn read(documents: &Documents, mut findings: Findings) -> Result<Self, Findings> {
        let api = lower::lower(documents, &mut findings);
        if findings.is_empty() {
            check::check(documents, &api, &mut findings);
        }
        let files = documents.paths().collect();
        findings.into_result(Self { api, files })
    }

    /// The generated files by name.
    pub fn code(&self) -> Vec<(String, String)> {
        emit::emit(&self.api)
    }

    /// The whole contract as one JSON document.
    pub fn bundle(&self) -> String {
        format!("{:#}\n", self.api.bundle)
    }
}
