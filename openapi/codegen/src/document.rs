//! The files of the contract and the references between files.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use crate::{
    finding::{ENTRY, Findings, Place},
    node::{Data, Node},
};

/// All files referenced from the entry document, by path relative to the folder of the entry document.
#[derive(Debug)]
pub struct Documents {
    folder: PathBuf,
    files: BTreeMap<String, Node>,
}

/// The target of a reference.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    pub file: String,
    pub pointer: String,
}

impl Target {
    /// The name of a referenced component, and its kind: `schemas`, `responses`, `parameters` or `headers`.
    pub fn component(&self) -> Option<(&str, &str)> {
        let pointer = self.pointer.strip_prefix("/components").unwrap_or(&self.pointer);
        let (kind, name) = pointer.strip_prefix('/')?.split_once('/')?;
        let known = ["schemas", "responses", "parameters", "headers"].contains(&kind);
        (known && !name.is_empty() && !name.contains('/')).then_some((kind, name))
    }
}

impl Documents {
    pub fn load(folder: &Path, findings: &mut Findings) -> Self {
        let mut documents = Self {
            folder: folder.to_owned(),
            files: BTreeMap::new(),
        };
        documents.load_file(ENTRY, &Place::start(), findings);
        documents
    }

    /// Builds a document from strings, for the golden cases.
    pub fn from_text(text: &str, findings: &mut Findings) -> Self {
        let files = Node::parse(ENTRY, text, findings).map(|node| (ENTRY.to_owned(), node));
        Self {
            folder: PathBuf::new(),
            files: files.into_iter().collect(),
        }
    }

    fn load_file(&mut self, file: &str, from: &Place, findings: &mut Findings) {
        if self.files.contains_key(file) {
            return;
        }
        let text = match fs::read_to_string(self.folder.join(file)) {
            Ok(text) => text,
            Err(e) => return findings.add(from, format!("cannot read {file}: {e}"), "Correct the reference."),
        };
        let Some(node) = Node::parse(file, &text, findings) else {
            return;
        };
        self.files.insert(file.to_owned(), node.clone());
        let mut references = Vec::new();
        collect_references(&node, &mut references);
        for (place, reference) in references {
            if let Some(target) = target(&place, &reference) {
                self.load_file(&target.file, &place, findings);
            }
        }
    }

    pub fn entry(&self) -> Option<&Node> {
        self.files.get(ENTRY)
    }

    /// The paths of all files, for the build script to watch.
    pub fn paths(&self) -> impl Iterator<Item = PathBuf> {
        self.files.keys().map(|file| self.folder.join(file))
    }

    pub fn files(&self) -> impl Iterator<Item = (&str, &Node)> {
        self.files.iter().map(|(file, node)| (file.as_str(), node))
    }

    pub fn find(&self, target: &Target) -> Option<&Node> {
        let mut node = self.files.get(&target.file)?;
        for part in target.pointer.split('/').skip(1) {
            node = node.get(&part.replace("~1", "/").replace("~0", "~"))?;
        }
        Some(node)
    }

    pub fn find_mut(&mut self, target: &Target) -> Option<&mut Node> {
        let mut node = self.files.get_mut(&target.file)?;
        for part in target.pointer.split('/').skip(1) {
            node = node.get_mut(&part.replace("~1", "/").replace("~0", "~"))?;
        }
        Some(node)
    }

    /// Returns the node, or the target of its `$ref`. An unresolved reference is a finding.
    pub fn resolve<'a>(&'a self, node: &'a Node, findings: &mut Findings) -> Option<(&'a Node, Option<Target>)> {
        let Some(reference) = node.str("$ref") else {
            return Some((node, None));
        };
        let found = target(&node.place, reference).and_then(|target| Some((self.find(&target)?, Some(target))));
        if found.is_none() {
            findings.add(
                &node.place,
                format!("$ref `{reference}` has no target"),
                "Correct the file or the name after `#`.",
            );
        }
        found
    }
}

/// The target of a reference. Paths of files are relative to the file of the reference.
pub fn target(place: &Place, reference: &str) -> Option<Target> {
    let (file, pointer) = reference.split_once('#')?;
    let file = if file.is_empty() {
        place.file.to_string()
    } else {
        let folder = place.file.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
        for part in file.split('/') {
            match part {
                "." => {}
                ".." => drop(parts.pop()?),
                name => parts.push(name),
            }
        }
        parts.join("/")
    };
    Some(Target {
        file,
        pointer: pointer.to_owned(),
    })
}

fn collect_references(node: &Node, into: &mut Vec<(Place, String)>) {
    match &node.data {
        Data::Scalar(_) => {}
        Data::List(items) => items.iter().for_each(|item| collect_references(item, into)),
        Data::Map(map) => {
            if let Some(reference) = node.str("$ref") {
                into.push((node.place.clone(), reference.to_owned()));
            }
            map.values().for_each(|entry| collect_references(&entry.node, into));
        }
    }
}
