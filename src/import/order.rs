//! Which page stands where: as the table of contents says, or else as the directories are.

use std::collections::BTreeMap;

use anyhow::Context;
use entity::ids::PageId;
use rich_text::DocumentLimits;

use super::{
    Report, names,
    page_kind::PageKind,
    reading::{Directory, KEPT, Layout, Listing},
    summary::{self, Entry, To},
    texts::Texts,
    tree::{New, Tree},
};
use crate::areas::authoring::editor::has_scheme;

const SUMMARY: &str = "SUMMARY.md";

/// Characters of an address, as in the contract.
const MAX_ADDRESS: usize = 2048;

/// The table of contents.
pub struct Contents(Option<(String, Vec<Entry>)>);

impl Contents {
    pub fn find(directory: &Directory, listing: &Listing, layout: &Layout) -> anyhow::Result<Self> {
        let path = match layout.summary() {
            Some(named) => Some(named),
            None => [SUMMARY, "summary.md"]
                .into_iter()
                .find(|name| listing.contains_key(*name)),
        };
        let Some(path) = path else {
            return Ok(Self(None));
        };
        let read = || {
            let bytes = directory.read(path, u64::try_from(DocumentLimits::default().bytes)?)?;
            summary::read(&String::from_utf8(bytes)?)
        };
        let entries = read().with_context(|| format!("the table of contents {path} cannot be read"))?;
        Ok(Self(Some((path.to_owned(), entries))))
    }

    pub fn path(&self) -> Option<&str> {
        self.0.as_ref().map(|(path, _)| path.as_str())
    }
}

/// Gives every page its place.
pub fn arrange(
    tree: Tree,
    texts: &Texts,
    (layout, contents): (&Layout, &Contents),
    report: &mut Report,
    id: &mut dyn FnMut() -> PageId,
) -> Tree {
    let mut work = Work {
        tree,
        texts,
        report,
        id,
    };
    match &contents.0 {
        Some((path, entries)) => {
            work.entries(path, entries, None);
            work.unlisted(path);
        }
        None => work.directories(layout.readme()),
    }
    work.tree
}

struct Work<'w> {
    tree: Tree,
    texts: &'w Texts,
    report: &'w mut Report,
    id: &'w mut dyn FnMut() -> PageId,
}

impl Work<'_> {
    fn add(&mut self, parent: Option<usize>, title: &str, what: PageKind, hidden: bool) -> usize {
        let new = New {
            id: (self.id)(),
            parent,
            title,
            what,
            hidden,
        };
        self.tree.add(new, self.texts, self.report)
    }

    /// Lists are nested no deeper than reading them allows.
    fn entries(&mut self, summary: &str, entries: &[Entry], parent: Option<usize>) {
        for entry in entries {
            let place = match &entry.to {
                // Groups stand at the top level only, and are nothing without pages.
                To::Heading | To::Nothing if entry.children.is_empty() && entry.title.is_empty() => continue,
                To::Heading if entry.children.is_empty() => continue,
                To::Heading => Some(self.add(None, &entry.title, PageKind::Group, false)),
                To::Nothing if parent.is_none() && !entry.children.is_empty() => {
                    Some(self.add(None, &entry.title, PageKind::Group, false))
                }
                To::Nothing => Some(self.add(parent, &entry.title, PageKind::Empty, false)),
                To::Target(target) => self.target(summary, entry, target, parent),
            };
            self.entries(summary, &entry.children, place.or(parent));
        }
    }

    /// The page that an entry leads to; none if there is none.
    fn target(&mut self, summary: &str, entry: &Entry, target: &str, parent: Option<usize>) -> Option<usize> {
        if is_elsewhere(target) {
            return self.address(summary, entry, target, parent);
        }
        let Some(path) = self.text(summary, target) else {
            let message = format!("`{target}` is no text of the directory that could be read.");
            self.report.error(summary, message);
            return self.stand_in(summary, entry, parent);
        };
        if let Some(first) = self.tree.of_file(path) {
            let message = format!("`{target}` occurs more than once: the first place counts.");
            self.report.note(summary, message);
            return Some(first);
        }
        let path = path.to_owned();
        Some(self.add(parent, &entry.title, PageKind::File(path), false))
    }

    /// The text that a target in the table of contents names, itself or by its directory.
    fn text(&self, summary: &str, target: &str) -> Option<&str> {
        let path = names::local(names::directory(summary), target)?.path;
        self.texts.path(&path).or_else(|| self.texts.readme(&path))
    }

    fn address(&mut self, summary: &str, entry: &Entry, target: &str, parent: Option<usize>) -> Option<usize> {
        let scheme = target.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
        let is_usual = matches!(scheme.as_deref(), Some("http" | "https" | "mailto"));
        if !is_usual || target.chars().count() > MAX_ADDRESS {
            self.report
                .error(summary, format!("`{target}` is no address that a page can lead to."));
            return self.stand_in(summary, entry, parent);
        }
        Some(self.add(parent, &entry.title, PageKind::Address(target.to_owned()), false))
    }

    /// What lies below an entry stays together without it.
    fn stand_in(&mut self, summary: &str, entry: &Entry, parent: Option<usize>) -> Option<usize> {
        let is_needed = self.holds_pages(summary, entry);
        is_needed.then(|| self.add(parent, &entry.title, PageKind::Empty, false))
    }

    fn holds_pages(&self, summary: &str, entry: &Entry) -> bool {
        entry.children.iter().any(|child| {
            let is_page = match &child.to {
                To::Target(target) => is_elsewhere(target) || self.text(summary, target).is_some(),
                To::Heading | To::Nothing => !child.title.is_empty(),
            };
            is_page || self.holds_pages(summary, child)
        })
    }

    /// Texts that the table of contents leaves out come last, and readers do not see them in it.
    fn unlisted(&mut self, summary: &str) {
        let mut left: Vec<&String> = self.texts.paths().filter(|path| self.is_left(path)).collect();
        left.sort_by_key(|path| (names::directory(path), !names::is_readme(path), names::file_name(path)));
        for path in left {
            let directory = names::directory(path);
            let above = if names::is_readme(path) {
                parent_of(directory)
            } else {
                Some(directory)
            };
            let parent = self.nearest(above);
            self.report
                .note(path, format!("Is not in {summary}: it becomes a hidden page."));
            self.add(parent, "", PageKind::File(path.clone()), true);
        }
    }

    fn is_left(&self, path: &str) -> bool {
        let is_kept = path.split('/').next() == Some(KEPT);
        self.tree.of_file(path).is_none() && !self.texts.is_included(path) && !is_kept
    }

    /// The page of the directory, or of one above it. Below the first page of all there is nothing.
    fn nearest(&self, directory: Option<&str>) -> Option<usize> {
        let mut next = directory;
        while let Some(directory) = next.filter(|directory| !directory.is_empty()) {
            let readme = self.texts.readme(directory);
            let found = readme.and_then(|readme| self.tree.of_file(readme));
            if found.is_some() {
                return found;
            }
            next = parent_of(directory);
        }
        None
    }

    fn directories(&mut self, readme: Option<&str>) {
        let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let texts = self.texts;
        for path in texts.paths().filter(|path| self.is_left(path)) {
            let mut inside = path.as_str();
            // A directory that is known is known by those above it.
            while let Some((directory, _)) = inside
                .rsplit_once('/')
                .or_else(|| (!inside.is_empty()).then_some(("", "")))
            {
                let known = all.contains_key(directory);
                all.entry(directory).or_default().push(inside);
                if known {
                    break;
                }
                inside = directory;
            }
        }
        let first = readme.and_then(|path| texts.path(path)).or_else(|| texts.readme(""));
        if let Some(first) = first {
            self.add(None, "", PageKind::File(first.to_owned()), false);
        }
        self.directory(&all, "", None);
    }

    /// Directories are nested no deeper than listing them allows.
    fn directory(&mut self, all: &BTreeMap<&str, Vec<&str>>, directory: &str, parent: Option<usize>) {
        let mut inside = all.get(directory).cloned().unwrap_or_default();
        inside.sort_by_cached_key(|path| (names::file_name(path).to_lowercase(), (*path).to_owned()));
        for path in inside {
            if !all.contains_key(path) {
                if self.tree.of_file(path).is_none() {
                    self.add(parent, "", PageKind::File(path.to_owned()), false);
                }
                continue;
            }
            let readme = self.texts.readme(path).filter(|readme| self.is_left(readme));
            let place = match readme {
                Some(readme) => self.add(parent, "", PageKind::File(readme.to_owned()), false),
                None if parent.is_none() => self.add(
                    None,
                    &names::spoken_name(names::file_name(path)),
                    PageKind::Group,
                    false,
                ),
                None => self.add(
                    parent,
                    &names::spoken_name(names::file_name(path)),
                    PageKind::Empty,
                    false,
                ),
            };
            self.directory(all, path, Some(place));
        }
    }
}

/// Whether a target is an address, not a path.
fn is_elsewhere(target: &str) -> bool {
    has_scheme(target) || target.starts_with("//")
}

fn parent_of(directory: &str) -> Option<&str> {
    directory.rsplit_once('/').map(|(above, _)| above)
}
