//! Resolution of the links of texts.

use std::collections::HashMap;

use entity::ids::ReusableContentId;
use rich_text::{LinkChange, ReferenceRole};

use super::{
    Source,
    files::Files,
    names::{self, LocalTarget},
};
use crate::{app::App, areas::authoring::editor::has_scheme};

/// The longest anchor of a reference, in characters, as in the contract.
const MAX_ANCHOR: usize = 320;

/// Replaces paths of pages and files by references.
pub struct Linker<'a> {
    app: &'a App,
    source: &'a Source,
    files: &'a mut Files,
    reusable_contents: HashMap<String, ReusableContentId>,
    pub resolved: usize,
    /// The path of the text, and its broken target.
    pub unresolved: Vec<(String, String)>,
}

impl<'a> Linker<'a> {
    pub(super) fn new(app: &'a App, source: &'a Source, files: &'a mut Files) -> Self {
        let mut existing = source.existing.reusable_contents.clone();
        let included = source.texts.included().map(|path| {
            let same = existing.remove(&source.texts.shared_title(path));
            (path.clone(), same.unwrap_or_else(|| app.ids.next()))
        });
        Self {
            app,
            source,
            files,
            reusable_contents: included.collect(),
            resolved: 0,
            unresolved: Vec::new(),
        }
    }

    /// Returns the shared contents with the paths of their texts.
    pub fn reusable_contents(&self) -> Vec<(String, ReusableContentId)> {
        let mut all: Vec<_> = self
            .reusable_contents
            .iter()
            .map(|(path, id)| (path.clone(), *id))
            .collect();
        all.sort_unstable();
        all
    }

    /// Returns the text of a file with resolved targets.
    pub fn resolve_links(&mut self, path: &str, markdown: &str) -> String {
        let changed = rich_text::rewrite_links(markdown, &mut |target, role| match self.resolve(path, target, role) {
            Some(new) => LinkChange::Replace(new),
            None => LinkChange::Keep,
        });
        // The text was parsed before.
        changed.unwrap_or_else(|_| markdown.to_owned())
    }

    /// Resolves a link target of a file. `None`: the target stays as it is.
    pub fn resolve(&mut self, path: &str, target: &str, role: ReferenceRole) -> Option<String> {
        let is_external = target.starts_with(['#', '?']) || target.starts_with("//") || has_scheme(target);
        if is_external || role == ReferenceRole::Specification {
            return None;
        }
        let local = names::parse_target(names::directory(path), target);
        let resolved = local.and_then(|local| self.find(&local, role));
        match &resolved {
            Some(_) => self.resolved += 1,
            None => self.unresolved.push((path.to_owned(), target.to_owned())),
        }
        resolved
    }

    fn find(&mut self, local: &LocalTarget, role: ReferenceRole) -> Option<String> {
        let path = local.path.as_str();
        match role {
            ReferenceRole::ReusableContent => {
                let id = self.reusable_contents.get(path)?;
                Some(format!("/reusable-contents/{id}"))
            }
            ReferenceRole::Link => self
                .page(path)
                .map(|page| page + &anchor(local))
                .or_else(|| self.file(path)),
            ReferenceRole::Media | ReferenceRole::File => self.file(path),
            ReferenceRole::Specification => None,
        }
    }

    /// Returns the page of a file, a directory, or a file named without its extension.
    fn page(&self, path: &str) -> Option<String> {
        let (tree, texts) = (&self.source.tree, &self.source.texts);
        let of_directory = || tree.of_file(texts.readme(path)?);
        let of_short = || match self.source.listing.contains_key(path) {
            true => None,
            false => tree.of_file(&format!("{path}.md")),
        };
        let index = tree.of_file(path).or_else(of_directory).or_else(of_short)?;
        Some(format!("/pages/{}", tree.node(index)?.id))
    }

    fn file(&mut self, path: &str) -> Option<String> {
        let id = self.files.add(self.app, &self.source.listing, path)?;
        Some(format!("/files/{id}"))
    }
}

fn anchor(local: &LocalTarget) -> String {
    let anchor = local
        .anchor
        .as_deref()
        .filter(|anchor| anchor.chars().count() <= MAX_ANCHOR);
    anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default()
}
