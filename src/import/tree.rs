//! The places of pages.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use content::initial::UNTITLED;
use content::pages::{MAX_DEPTH, MAX_SLUG};
use entity::ids::PageId;

use super::{
    Report,
    kept::Kept,
    names,
    page_kind::PageKind,
    texts::{Read, Texts},
};
use crate::areas::authoring::editor::slug_of;

/// Pages in the order of their siblings; a page comes after the one above it.
#[derive(Default)]
pub struct Tree {
    nodes: Vec<Node>,
    by_file: HashMap<String, usize>,
    slugs: HashSet<(Option<usize>, String)>,
    /// The next number for a slug that several siblings would have.
    numbers: HashMap<(Option<usize>, String), usize>,
    kept: Arc<Kept>,
    /// The ids of the pages that have been there before.
    again: HashSet<PageId>,
}

pub struct Node {
    pub id: PageId,
    /// The index of the page above.
    pub parent: Option<usize>,
    pub title: String,
    pub slug: String,
    pub what: PageKind,
    pub hidden: bool,
    level: usize,
}

/// A page that gets a place.
pub struct New<'n> {
    /// Unless a page at its place has one.
    pub id: PageId,
    pub parent: Option<usize>,
    /// What the table of contents calls it; may be empty.
    pub title: &'n str,
    pub what: PageKind,
    pub hidden: bool,
}

impl Tree {
    /// A tree without pages, to take the place of what there is.
    pub fn of(kept: Arc<Kept>) -> Self {
        Self {
            kept,
            ..Self::default()
        }
    }

    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub fn node(&self, index: usize) -> Option<&Node> {
        self.nodes.get(index)
    }

    /// The page of a file.
    pub fn of_file(&self, path: &str) -> Option<usize> {
        self.by_file.get(path).copied()
    }

    /// Puts a page behind the siblings that are there.
    pub fn add(&mut self, new: New<'_>, texts: &Texts, report: &mut Report) -> usize {
        let parent = self.possible_parent(new.parent);
        let title = self.title(&new, texts);
        if parent != new.parent {
            report.error(
                &title,
                "Cannot be below the page that it should be below: it is beside it.",
            );
        }
        let (id, slug) = match &new.what {
            // Nobody asks for one of these by its path.
            PageKind::Address(_) => {
                let id = self.id(&new, parent, "");
                (id, id.to_string())
            }
            PageKind::File(path) => self.named(&new, parent, names::for_slug(path)),
            PageKind::Empty | PageKind::Group => self.named(&new, parent, &title),
        };
        let index = self.nodes.len();
        if let PageKind::File(path) = &new.what {
            self.by_file.insert(path.clone(), index);
        }
        self.slugs.insert((parent, slug.clone()));
        self.nodes.push(Node {
            id,
            parent,
            title,
            slug,
            what: new.what,
            hidden: new.hidden,
            level: self.level(parent) + 1,
        });
        index
    }

    /// Pages are nested so deep at most, and there is nothing below addresses.
    fn possible_parent(&self, mut parent: Option<usize>) -> Option<usize> {
        while let Some(node) = parent.and_then(|parent| self.nodes.get(parent)) {
            if node.level < MAX_DEPTH && !matches!(node.what, PageKind::Address(_)) {
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

    /// What the text calls itself comes before what the table of contents calls it.
    fn title(&self, new: &New<'_>, texts: &Texts) -> String {
        let of_text = match &new.what {
            PageKind::File(path) => texts.get(path).and_then(Read::title),
            _ => None,
        };
        let spoken = match &new.what {
            PageKind::File(path) => names::spoken(path),
            _ => UNTITLED.to_owned(),
        };
        let all = [
            of_text.unwrap_or_default(),
            names::title(new.title),
            names::title(&spoken),
        ];
        let title = all.into_iter().find(|title| !title.is_empty());
        title.unwrap_or_else(|| UNTITLED.to_owned())
    }

    /// The id and the slug of a page that has a path.
    fn named(&mut self, new: &New<'_>, parent: Option<usize>, text: &str) -> (PageId, String) {
        let slug = self.slug(parent, text);
        (self.id(new, parent, &slug), slug)
    }

    fn id(&mut self, new: &New<'_>, parent: Option<usize>, slug: &str) -> PageId {
        let above = parent.and_then(|parent| self.nodes.get(parent)).map(|node| node.id);
        let known = self.kept.id(above, slug, &new.what);
        known.filter(|id| self.again.insert(*id)).unwrap_or(new.id)
    }

    /// A slug that no sibling has.
    fn slug(&mut self, parent: Option<usize>, text: &str) -> String {
        let made = slug_of(text);
        if !self.slugs.contains(&(parent, made.clone())) {
            return made;
        }
        let number = self.numbers.entry((parent, made.clone())).or_insert(2);
        loop {
            let ending = format!("-{number}");
            let kept = MAX_SLUG.saturating_sub(ending.len());
            let free: String = made.chars().take(kept).chain(ending.chars()).collect();
            *number += 1;
            if !self.slugs.contains(&(parent, free.clone())) {
                return free;
            }
        }
    }
}
