//! Reads the contract, refuses incomplete or unsupported contracts, and generates the Rust code.
//!
//! The stages: `document` loads the files, `errors` and `implied` add what is declared once for all operations, `lower`
//! converts the files into the `model`, `publish` completes the published document, `check` validates values and limits,
//! `emit` generates code.

mod bundle;
mod check;
mod compose;
pub mod document;
mod emit;
pub mod errors;
pub mod finding;
#[path = "../../../crates/wire/src/formats.rs"]
mod formats;
pub mod gate;
mod implied;
mod lower;
pub mod model;
pub mod node;
mod publish;
pub mod scaffold;

use std::path::{Path, PathBuf};

use document::Documents;
use errors::Catalog;
use finding::Findings;
use model::Api;

/// A validated contract.
#[derive(Debug)]
pub struct Contract {
    pub api: Api,
    /// The source files of the contract.
    pub files: Vec<PathBuf>,
}

impl Contract {
    /// Reads the contract in a folder with the entry document `openapi.yaml`.
    pub fn load(folder: &Path) -> Result<Self, Findings> {
        let mut findings = Findings::default();
        let documents = Documents::load(folder, &mut findings);
        Self::read(documents, findings)
    }

    /// Reads a contract from a single file.
    pub fn parse(text: &str) -> Result<Self, Findings> {
        let mut findings = Findings::default();
        let documents = Documents::from_text(text, &mut findings);
        Self::read(documents, findings)
    }

    fn read(mut documents: Documents, mut findings: Findings) -> Result<Self, Findings> {
        let catalog = Catalog::read(&mut documents, &mut findings);
        implied::complete(&mut documents, &catalog, &mut findings);
        let api = lower::lower(&documents, catalog, &mut findings);
        if findings.is_empty() {
            check::check(&documents, &api, &mut findings);
        }
        let files = documents.paths().collect();
        findings.into_result(Self { api, files })
    }

    /// The generated files by name.
    pub fn code(&self) -> Vec<(String, String)> {
        emit::emit(&self.api)
    }

    /// The whole contract as one JSON document, on one line: each process that reads it does so at its start.
    pub fn bundle(&self) -> String {
        format!("{}\n", self.api.bundle)
    }
}
