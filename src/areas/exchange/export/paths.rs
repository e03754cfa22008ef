//! The paths of files. A page with pages below it is the `README.md` of its directory.

use std::collections::{HashMap, HashSet};

use content::pages::{File, Forest, Page, ReusableContent};
use entity::ids::{FileId, PageId, ReusableContentId};

use super::Exported;
use crate::areas::content::slugs::{folded, slug_of};

const ASSETS: &str = ".gitbook/assets";
const INCLUDES: &str = ".gitbook/includes";
const README: &str = "README.md";
/// The longest name in bytes, as in most file systems, with room for a number.
const MAX_NAME: usize = 240;

/// The paths that objects had in a revision before.
#[derive(Debug, Clone, Default)]
pub struct KnownPaths {
    /// The path of the file, and the slugs for which it holds. `None`: for any.
    pub pages: HashMap<PageId, (String, Option<String>)>,
    /// Pages without a file, which were entries of the table of contents only.
    pub without_file: HashSet<PageId>,
    pub files: HashMap<FileId, String>,
    pub contents: HashMap<ReusableContentId, String>,
    /// Paths of the repository that no object has.
    pub taken: Vec<String>,
}

impl KnownPaths {
    pub fn all(&self) -> impl Iterator<Item = &str> {
        let pages = self.pages.values().map(|(path, _)| path);
        pages
            .chain(self.files.values())
            .chain(self.contents.values())
            .map(String::as_str)
    }
}

/// The paths of the objects of a revision. No two of them are equal where case or composition of characters do not count.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Paths {
    pages: HashMap<PageId, String>,
    /// The slugs from the top.
    slugs: HashMap<PageId, String>,
    files: HashMap<FileId, String>,
    contents: HashMap<ReusableContentId, String>,
    taken: HashSet<String>,
}

pub(super) struct Assets<'a> {
    pub files: &'a [File],
    pub contents: &'a [ReusableContent],
}

impl Paths {
    pub(super) fn of(forest: &Forest, assets: &Assets<'_>, known: &KnownPaths) -> Self {
        let mut paths = Self::default();
        for path in ["", super::SUMMARY, super::VARIABLES]
            .into_iter()
            .chain(known.taken.iter().map(String::as_str))
        {
            paths.taken.insert(folded(path));
        }
        paths.add_slugs(forest);
        paths.keep(forest, assets, known);
        let is_first_free = !paths.taken.contains(&folded(README));
        let home = forest.below(None).iter().find(|page| Exported::has_file(page));
        if let Some(home) = home.filter(|home| {
            is_first_free && !paths.pages.contains_key(&home.id) && !known.without_file.contains(&home.id)
        }) {
            paths.add_page(home.id, README.to_owned());
        }
        paths.add_pages(forest, None, "", known);
        for file in assets.files {
            if !paths.files.contains_key(&file.id) {
                let path = paths.free(ASSETS, &safe_name(&file.name));
                paths.files.insert(file.id, path);
            }
        }
        for content in assets.contents {
            if !paths.contents.contains_key(&content.id) {
                let path = paths.free(INCLUDES, &format!("{}.md", slug_of(&content.title)));
                paths.contents.insert(content.id, path);
            }
        }
        paths
    }

    pub fn page(&self, id: PageId) -> Option<&str> {
        self.pages.get(&id).map(String::as_str)
    }

    pub fn pages(&self) -> impl Iterator<Item = (PageId, &str)> {
        self.pages.iter().map(|(id, path)| (*id, path.as_str()))
    }

    pub fn files(&self) -> impl Iterator<Item = (FileId, &str)> {
        self.files.iter().map(|(id, path)| (*id, path.as_str()))
    }

    pub fn contents(&self) -> impl Iterator<Item = (ReusableContentId, &str)> {
        self.contents.iter().map(|(id, path)| (*id, path.as_str()))
    }

    /// The slugs of a page from the top.
    pub fn slugs(&self, id: PageId) -> &str {
        self.slugs.get(&id).map(String::as_str).unwrap_or_default()
    }

    pub fn file(&self, id: FileId) -> Option<&str> {
        self.files.get(&id).map(String::as_str)
    }

    pub fn content(&self, id: ReusableContentId) -> Option<&str> {
        self.contents.get(&id).map(String::as_str)
    }

    fn add_slugs(&mut self, forest: &Forest) {
        let mut next: Vec<(&Page, String)> = forest.below(None).iter().map(|page| (page, String::new())).collect();
        while let Some((page, above)) = next.pop() {
            let slugs = joined(&above, &page.slug);
            next.extend(forest.below(Some(page.id)).iter().map(|below| (below, slugs.clone())));
            self.slugs.insert(page.id, slugs);
        }
    }

    /// Keeps the known paths of what is still there; those of pages while their slugs are the same.
    fn keep(&mut self, forest: &Forest, assets: &Assets<'_>, known: &KnownPaths) {
        for page in forest.pages().filter(|page| Exported::has_file(page)) {
            if let Some((path, slugs)) = known.pages.get(&page.id)
                && slugs.as_ref().is_none_or(|slugs| self.slugs(page.id) == slugs)
            {
                self.add_page(page.id, path.clone());
            }
        }
        for file in assets.files {
            if let Some(path) = known.files.get(&file.id) {
                self.taken.insert(folded(path));
                self.files.insert(file.id, path.clone());
            }
        }
        for content in assets.contents {
            if let Some(path) = known.contents.get(&content.id) {
                self.taken.insert(folded(path));
                self.contents.insert(content.id, path.clone());
            }
        }
    }

    fn add_page(&mut self, id: PageId, path: String) {
        self.taken.insert(folded(&path));
        self.pages.insert(id, path);
    }

    /// Gives paths to the pages below one, whose directory this is.
    fn add_pages(&mut self, forest: &Forest, parent: Option<PageId>, directory: &str, known: &KnownPaths) {
        let mut next = vec![(parent, directory.to_owned())];
        while let Some((parent, directory)) = next.pop() {
            for page in forest.below(parent) {
                let name = safe_name(&page.slug);
                let own = joined(&directory, &name);
                let has_pages = !forest.below(Some(page.id)).is_empty();
                if has_pages {
                    next.push((Some(page.id), own.clone()));
                }
                let is_text_free = page.document().is_none() && known.without_file.contains(&page.id);
                if !Exported::has_file(page) || is_text_free || self.pages.contains_key(&page.id) {
                    continue;
                }
                let path = match has_pages {
                    true => self.free(&own, README),
                    false => self.free(&directory, &format!("{name}.md")),
                };
                self.pages.insert(page.id, path);
            }
        }
    }

    /// A path of this name in a directory that nothing else has.
    fn free(&mut self, directory: &str, name: &str) -> String {
        let (stem, extension) = match name.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => (stem, format!(".{extension}")),
            _ => (name, String::new()),
        };
        let mut path = joined(directory, name);
        let mut number = 1_usize;
        while !self.taken.insert(folded(&path)) {
            path = joined(directory, &format!("{stem} ({number}){extension}"));
            number += 1;
        }
        path
    }
}

fn joined(directory: &str, name: &str) -> String {
    match directory {
        "" => name.to_owned(),
        directory => format!("{directory}/{name}"),
    }
}

/// A name that every file system takes, and that the import does not take for a hidden one.
fn safe_name(name: &str) -> String {
    let is_unsafe = |c: char| c.is_control() || matches!(c, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|');
    let name: String = name.chars().map(|c| if is_unsafe(c) { '-' } else { c }).collect();
    let name = name.trim_start_matches('.').trim_end_matches(['.', ' ']);
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) if extension.len() < 16 => (stem, format!(".{extension}")),
        _ => (name, String::new()),
    };
    let mut end = stem.len().min(MAX_NAME);
    while !stem.is_char_boundary(end) {
        end -= 1;
    }
    let stem = stem.get(..end).filter(|stem| !stem.is_empty()).unwrap_or("unnamed");
    format!("{stem}{extension}")
}
