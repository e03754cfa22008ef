//! The order of pages: by the table of contents, otherwise by directories.

use std::collections::BTreeMap;

use anyhow::Context;
use content::summary::{self, EntryTarget, Summary, SummaryEntry};
use entity::ids::PageId;
use rich_text::{DocumentLimits, has_scheme};

use super::{
    Report,
    layout::RepositoryLayout,
    names,
    page_kind::PageKind,
    report::INVISIBLE,
    repository::{ASSETS_ROOT, Listing, Repository},
    texts::SourceTexts,
    tree::{NewPage, PageTree},
};

const SUMMARY: &str = "SUMMARY.md";

/// The longest address in characters, as in the contract.
const MAX_ADDRESS: usize = 2048;

/// The table of contents.
pub struct Contents(Option<(String, Summary)>);

impl Contents {
    pub fn find(repository: &Repository, listing: &Listing, layout: &RepositoryLayout) -> anyhow::Result<Self> {
        // "SUMMARY.md" comes before "summary.md".
        let usual = || {
            listing
                .keys()
                .map(String::as_str)
                .find(|path| path.eq_ignore_ascii_case(SUMMARY))
        };
        let Some(path) = layout.summary().or_else(usual) else {
            return Ok(Self(None));
        };
        let read = || {
            let bytes = repository.read(path, u64::try_from(DocumentLimits::default().bytes)?)?;
            summary::read(&String::from_utf8(bytes)?)
        };
        let summary = read().with_context(|| format!("cannot read the table of contents {path}"))?;
        Ok(Self(Some((path.to_owned(), summary))))
    }

    pub fn path(&self) -> Option<&str> {
        self.0.as_ref().map(|(path, _)| path.as_str())
    }
}

/// Adds every page to the tree.
pub fn arrange(
    tree: PageTree,
    texts: &SourceTexts,
    (layout, contents): (&RepositoryLayout, &Contents),
    report: &mut Report,
    id: &mut dyn FnMut() -> PageId,
) -> PageTree {
    let mut work = Arrangement {
        tree,
        texts,
        report,
        id,
    };
    match &contents.0 {
        Some((path, summary)) => {
            for line in &summary.repaired {
                work.report.note_at(path, Some(*line), INVISIBLE);
            }
            work.entries(path, &summary.entries, None);
            work.unlisted(path);
        }
        None => work.directories(layout.readme()),
    }
    work.tree
}

struct Arrangement<'w> {
    tree: PageTree,
    texts: &'w SourceTexts,
    report: &'w mut Report,
    id: &'w mut dyn FnMut() -> PageId,
}

impl Arrangement<'_> {
    fn add(&mut self, parent: Option<usize>, title: &str, what: PageKind, hidden: bool) -> usize {
        let entry = SummaryEntry {
            title: title.to_owned(),
            ..SummaryEntry::default()
        };
        self.add_entry(parent, &entry, what, hidden)
    }

    fn add_entry(&mut self, parent: Option<usize>, entry: &SummaryEntry, what: PageKind, hidden: bool) -> usize {
        let new = NewPage {
            id: (self.id)(),
            parent,
            title: &entry.title,
            label: &entry.label,
            slug: &entry.slug,
            what,
            hidden,
        };
        self.tree.add(new, self.texts, self.report)
    }

    /// The recursion is bounded by the depth limit of lists.
    fn entries(&mut self, summary: &str, entries: &[SummaryEntry], parent: Option<usize>) {
        for entry in entries {
            let place = match &entry.to {
                // Groups exist at the top level only, and not without pages.
                EntryTarget::Heading | EntryTarget::None if entry.children.is_empty() && entry.title.is_empty() => {
                    continue;
                }
                EntryTarget::Heading if entry.children.is_empty() => continue,
                EntryTarget::Heading => Some(self.add_entry(None, entry, PageKind::Group, false)),
                EntryTarget::None if is_like_link(&entry.title) => {
                    let message = format!("The entry `{}` is not understood as a link.", entry.title);
                    self.report.error_at(summary, Some(entry.line), message);
                    self.add_placeholder(summary, entry, parent)
                }
                EntryTarget::None if parent.is_none() && !entry.children.is_empty() => {
                    Some(self.add(None, &entry.title, PageKind::Group, false))
                }
                EntryTarget::None => Some(self.add(parent, &entry.title, PageKind::Empty, false)),
                EntryTarget::Target(target) => self.target(summary, entry, target, parent),
                EntryTarget::Unknown => {
                    let message = "The lines are not understood as entries.";
                    self.report.error_at(summary, Some(entry.line), message);
                    None
                }
                EntryTarget::Computed(source) => {
                    Some(self.add_entry(parent, entry, PageKind::Computed(source.clone()), false))
                }
            };
            self.entries(summary, &entry.children, place.or(parent));
        }
    }

    /// Adds the page of an entry with a target. `None`: the entry has no page.
    fn target(&mut self, summary: &str, entry: &SummaryEntry, target: &str, parent: Option<usize>) -> Option<usize> {
        if is_address(target) {
            return self.address(summary, entry, target, parent);
        }
        let Some(path) = self.text(summary, target) else {
            let message = format!("The target `{target}` is not a readable Markdown file of the directory.");
            self.report.error_at(summary, Some(entry.line), message);
            return self.add_placeholder(summary, entry, parent);
        };
        if let Some(first) = self.tree.of_file(path) {
            let message = format!("The target `{target}` is listed more than once; its first entry is used.");
            self.report.note_at(summary, Some(entry.line), message);
            return Some(first);
        }
        let path = path.to_owned();
        Some(self.add_entry(parent, entry, PageKind::File(path), false))
    }

    /// Returns the text that a target of the table of contents names, directly or by its directory.
    fn text(&self, summary: &str, target: &str) -> Option<&str> {
        let path = names::parse_target(names::directory(summary), target)?.path;
        self.texts.path(&path).or_else(|| self.texts.readme(&path))
    }

    fn address(&mut self, summary: &str, entry: &SummaryEntry, target: &str, parent: Option<usize>) -> Option<usize> {
        let scheme = target.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
        let is_usual = matches!(scheme.as_deref(), Some("http" | "https" | "mailto"));
        if !is_usual || target.chars().count() > MAX_ADDRESS {
            self.report.error_at(
                summary,
                Some(entry.line),
                format!(
                    "The address `{target}` must be an http, https or mailto URL of at most {MAX_ADDRESS} characters."
                ),
            );
            return self.add_placeholder(summary, entry, parent);
        }
        Some(self.add_entry(parent, entry, PageKind::Address(target.to_owned()), false))
    }

    /// Adds an empty page in place of an entry that has no page but children.
    fn add_placeholder(&mut self, summary: &str, entry: &SummaryEntry, parent: Option<usize>) -> Option<usize> {
        let is_needed = self.holds_pages(summary, entry);
        is_needed.then(|| self.add(parent, &entry.title, PageKind::Empty, false))
    }

    fn holds_pages(&self, summary: &str, entry: &SummaryEntry) -> bool {
        entry.children.iter().any(|child| {
            let is_page = match &child.to {
                EntryTarget::Target(target) => is_address(target) || self.text(summary, target).is_some(),
                EntryTarget::Heading | EntryTarget::None | EntryTarget::Computed(_) => !child.title.is_empty(),
                EntryTarget::Unknown => false,
            };
            is_page || self.holds_pages(summary, child)
        })
    }

    /// Adds texts that are not in the table of contents as hidden pages at the end.
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
                .note(path, format!("The file is not in {summary} and becomes a hidden page."));
            self.add(parent, "", PageKind::File(path.clone()), true);
        }
    }

    fn is_left(&self, path: &str) -> bool {
        let is_kept = path.split('/').next() == Some(ASSETS_ROOT);
        self.tree.of_file(path).is_none() && !self.texts.is_included(path) && !is_kept
    }

    /// Returns the page of the directory, or of the nearest directory above it, except the root.
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
            // A known directory is already listed in its parents.
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

    /// The recursion is bounded by the depth limit of directories.
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
                    &names::title_from_name(names::file_name(path)),
                    PageKind::Group,
                    false,
                ),
                None => self.add(
                    parent,
                    &names::title_from_name(names::file_name(path)),
                    PageKind::Empty,
                    false,
                ),
            };
            self.directory(all, path, Some(place));
        }
    }
}

/// Returns whether a target is an address, not a path.
fn is_address(target: &str) -> bool {
    has_scheme(target) || target.starts_with("//")
}

/// Returns whether a title without a target seems to be a link that somebody wrote incompletely.
fn is_like_link(title: &str) -> bool {
    title.contains("](") || (title.starts_with('[') && title.contains(".md"))
}

fn parent_of(directory: &str) -> Option<&str> {
    directory.rsplit_once('/').map(|(above, _)| above)
}
