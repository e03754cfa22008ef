//! The page tree of an import.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use content::initial::UNTITLED;
use content::pages::{MAX_DEPTH, MAX_SLUG};
use entity::ids::PageId;

use super::{
    Report,
    existing::ExistingContent,
    names,
    page_kind::PageKind,
    texts::{SourceText, SourceTexts},
};

use crate::areas::content::slugs::slug_of;

/// Pages in the order of their siblings; a page comes after its parent.
#[derive(Default)]
pub struct PageTree {
    nodes: Vec<PageNode>,
    by_file: HashMap<String, usize>,
    slugs: HashSet<(Option<usize>, String)>,
    /// The next suffix for a slug that several siblings would have.
    numbers: HashMap<(Option<usize>, String), usize>,
    existing: Arc<ExistingContent>,
    /// The ids of existing pages that were used.
    used_ids: HashSet<PageId>,
}

pub struct PageNode {
    pub id: PageId,
    /// The index of the parent.
    pub parent: Option<usize>,
    pub title: String,
    /// The title in the table of contents, if it is another one.
    pub link_title: Option<String>,
    pub slug: String,
    pub what: PageKind,
    pub hidden: bool,
    level: usize,
}

/// A page to add to the tree.
pub struct NewPage<'n> {
    /// Unless the same page exists, whose id is kept.
    pub id: PageId,
    pub parent: Option<usize>,
    /// The title in the table of contents; may be empty.
    pub title: &'n str,
    /// The label in the table of contents; may be empty.
    pub label: &'n str,
    /// The path of a group; may be empty.
    pub slug: &'n str,
    pub what: PageKind,
    pub hidden: bool,
}

impl PageTree {
    /// Creates an empty tree that will replace this content.
    pub fn of(existing: Arc<ExistingContent>) -> Self {
        Self {
            existing,
            ..Self::default()
        }
    }

    pub fn nodes(&self) -> &[PageNode] {
        &self.nodes
    }

    pub fn node(&self, index: usize) -> Option<&PageNode> {
        self.nodes.get(index)
    }

    /// Returns the index of the page of a file.
    pub fn of_file(&self, path: &str) -> Option<usize> {
        self.by_file.get(path).copied()
    }

    /// Returns the index of the page with this path.
    pub fn of_path(&self, path: &str) -> Option<usize> {
        let mut found = None;
        for slug in path.split('/') {
            let is_next = |node: &PageNode| node.parent == found && node.slug == slug;
            found = Some(self.nodes.iter().position(is_next)?);
        }
        found
    }

    /// Adds a page after its siblings.
    pub fn add(&mut self, new: NewPage<'_>, texts: &SourceTexts, report: &mut Report) -> usize {
        let parent = self.possible_parent(new.parent);
        let title = self.title(&new, texts);
        if parent != new.parent {
            report.error(
                &title,
                format!("The page cannot be below a link or more than {MAX_DEPTH} levels deep; it is moved up."),
            );
        }
        let (id, slug) = match &new.what {
            // Links have no path, so their slug is their id.
            PageKind::Address(_) => {
                let id = self.id(&new, parent, "");
                (id, id.to_string())
            }
            PageKind::File(path) => self.id_and_slug_of_file(&new, parent, path),
            PageKind::Group if !new.slug.is_empty() => self.id_and_slug(&new, parent, new.slug),
            PageKind::Empty | PageKind::Group | PageKind::Computed(_) => self.id_and_slug(&new, parent, &title),
        };
        let index = self.nodes.len();
        if let PageKind::File(path) = &new.what {
            self.by_file.insert(path.clone(), index);
        }
        self.slugs.insert((parent, slug.clone()));
        self.nodes.push(PageNode {
            id,
            parent,
            link_title: Some(names::normalize_title(new.label)).filter(|label| !label.is_empty() && *label != title),
            title,
            slug,
            what: new.what,
            hidden: new.hidden,
            level: self.level(parent) + 1,
        });
        index
    }

    /// Returns the nearest ancestor that may have children: links have none, and the depth is limited.
    fn possible_parent(&self, mut parent: Option<usize>) -> Option<usize> {
        while let Some(node) = parent.and_then(|parent| self.nodes.get(parent)) {
            if node.level < MAX_DEPTH && !matches!(node.what, PageKind::Address(_) | PageKind::Computed(_)) {
                break;
            }
            parent = node.parent;
        }
        parent
    }

    fn level(&self, index: Option<usize>) -> usize {
        index
            .and_then(|index| self.nodes.get(index))
            .map_or(0, |node| node.level)
    }

    /// Returns the title: in the text, else in the table of contents, else from the path.
    fn title(&self, new: &NewPage<'_>, texts: &SourceTexts) -> String {
        let of_text = match &new.what {
            PageKind::File(path) => texts.get(path).and_then(SourceText::title),
            _ => None,
        };
        let derived = match &new.what {
            PageKind::File(path) => names::title_from_path(path),
            _ => UNTITLED.to_owned(),
        };
        let all = [of_text.unwrap_or_default(), names::normalize_title(new.title), derived];
        let title = all.into_iter().find(|title| !title.is_empty());
        title.unwrap_or_else(|| UNTITLED.to_owned())
    }

    /// Returns the id and the slug of a page with a path.
    fn id_and_slug(&mut self, new: &NewPage<'_>, parent: Option<usize>, text: &str) -> (PageId, String) {
        let slug = self.slug(parent, text);
        (self.id(new, parent, &slug), slug)
    }

    fn id_and_slug_of_file(&mut self, new: &NewPage<'_>, parent: Option<usize>, path: &str) -> (PageId, String) {
        let known = self.existing.of_path(path);
        let Some((id, slug)) = known.filter(|(id, _)| self.used_ids.insert(*id)) else {
            return self.id_and_slug(new, parent, names::for_slug(path));
        };
        let kept = slug.filter(|slug| !self.slugs.contains(&(parent, slug.clone())));
        let slug = kept.unwrap_or_else(|| self.slug(parent, names::for_slug(path)));
        (id, slug)
    }

    fn id(&mut self, new: &NewPage<'_>, parent: Option<usize>, slug: &str) -> PageId {
        let above = parent.and_then(|parent| self.nodes.get(parent)).map(|node| node.id);
        let known = self.existing.id(above, slug, &new.what);
        let known = known.filter(|id| !self.existing.is_known(*id));
        known.filter(|id| self.used_ids.insert(*id)).unwrap_or(new.id)
    }

    /// Returns a slug that no sibling has.
    fn slug(&mut self, parent: Option<usize>, text: &str) -> String {
        let made = slug_of(text);
        if !self.slugs.contains(&(parent, made.clone())) {
            return made;
        }
        let number = self.numbers.entry((parent, made.clone())).or_insert(2);
        loop {
            let ending = format!("-{number}");
            let length = MAX_SLUG.saturating_sub(ending.len());
            let free: String = made.chars().take(length).chain(ending.chars()).collect();
            *number += 1;
            if !self.slugs.contains(&(parent, free.clone())) {
                return free;
            }
        }
    }
}
