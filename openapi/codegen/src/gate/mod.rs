//! Gates for the code: handlers, stored columns, layers and cycles.

mod handlers;
pub mod layers;
mod modules;
pub mod storage;
mod tables;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    finding::{Findings, Place},
    model::Api,
};

/// Crates that are not below `crates/`. The server is checked with its layers; entities of one context refer to those of others.
const OTHER_CRATES: [&str; 3] = ["migration", "openapi", "openapi/codegen"];

/// The folders of the crates without cycles between modules, in the workspace with this root.
pub fn crates(root: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(root.join("crates")).into_iter().flatten().flatten();
    let others = OTHER_CRATES.iter().map(|name| root.join(name));
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).chain(others).collect();
    folders.sort();
    folders
}

/// Checks the sources of the server: handlers against the contract, the order of layers, and cycles.
pub fn check_server(api: &Api, folder: &Path, findings: &mut Findings) {
    let sources = sources(folder, findings);
    handlers::check(api, folder, &sources, findings);
    layers::check(folder, &sources, findings);
    tables::check(&folder.join("areas").display().to_string(), &sources, findings);
}

/// A parsed Rust file.
struct Source {
    name: Arc<str>,
    file: syn::File,
}

impl Source {
    fn place(&self, span: proc_macro2::Span) -> Place {
        Place {
            file: self.name.clone(),
            line: span.start().line,
        }
    }
}

/// All Rust files below a folder, sorted by path.
fn sources(folder: &Path, findings: &mut Findings) -> Vec<Source> {
    let mut paths = Vec::new();
    collect(folder, &mut paths);
    paths.sort();
    let mut sources = Vec::new();
    for path in paths {
        let name: Arc<str> = path.display().to_string().into();
        let parsed = fs::read_to_string(&path).map_err(|e| e.to_string());
        match parsed.and_then(|text| syn::parse_file(&text).map_err(|e| e.to_string())) {
            Ok(file) => sources.push(Source { name, file }),
            Err(e) => findings.add(
                &Place { file: name, line: 1 },
                format!("cannot parse the file: {e}"),
                "Correct the file.",
            ),
        }
    }
    sources
}

fn collect(folder: &Path, into: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}
