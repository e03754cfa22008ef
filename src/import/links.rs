//! What the links of texts lead to.

use std::collections::HashMap;

use entity::ids::ReusableContentId;
use rich_text::{LinkChange, ReferenceRole};

use super::{
    Source,
    files::Files,
    names::{self, Local},
};
use crate::{app::App, areas::authoring::editor::has_scheme};

/// Characters of an anchor that a reference can hold.
const MAX_ANCHOR: usize = 320;

/// Puts the ids of pages and files in the place of their paths.
pub struct Linker<'a> {
    app: &'a App,
    source: &'a Source,
    files: &'a mut Files,
    reusable_contents: HashMap<String, ReusableContentId>,
    pub resolved: usize,
    /// The text, and what leads nowhere.
    pub unresolved: Vec<(String, String)>,
}

impl<'a> Linker<'a> {
    pub(super) fn new(app: &'a App, source: &'a Source, files: &'a mut Files) -> Self {
        let mut kept = source.kept.reusable_contents.clone();
        let included = source.texts.included().map(|path| {
            let same = kept.remove(&source.texts.shared_title(path));
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

    /// The shared contents, with the texts that they are made of.
    pub fn reusable_contents(&self) -> Vec<(String, ReusableContentId)> {
        let mut all: Vec<_> = self
            .reusable_contents
            .iter()
            .map(|(path, id)| (path.clone(), *id))
            .collect();
        all.sort_unstable();
        all
    }

    /// A text of this file with other targets.
    pub fn retargeted(&mut self, path: &str, markdown: &str) -> String {
        let changed = rich_text::rewrite_links(markdown, &mut |target, role| match self.target(path, target, role) {
            Some(new) => LinkChange::Replace(new),
            None => LinkChange::Keep,
        });
        // It was read before, so it can be read.
        changed.unwrap_or_else(|_| markdown.to_owned())
    }

    /// What a target on the page of this file becomes; none stays as it is.
    pub fn target(&mut self, path: &str, target: &str, role: ReferenceRole) -> Option<String> {
        let is_elsewhere = target.starts_with(['#', '?']) || target.starts_with("//") || has_scheme(target);
        if is_elsewhere || role == ReferenceRole::Specification {
            return None;
        }
        let local = names::local(names::directory(path), target);
        let found = local.and_then(|local| self.find(&local, role));
        match &found {
            Some(_) => self.resolved += 1,
            None => self.unresolved.push((path.to_owned(), target.to_owned())),
        }
        found
    }

    fn find(&mut self, local: &Local, role: ReferenceRole) -> Option<String> {
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

    /// The page of a file, or of a directory, or of a file that was named without its extension.
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
        let id = self.files.want(self.app, &self.source.listing, path)?;
        Some(format!("/files/{id}"))
    }
}

fn anchor(local: &Local) -> String {
    let anchor = local
        .anchor
        .as_deref()
        .filter(|anchor| anchor.chars().count() <= MAX_ANCHOR);
    anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default()
}
