//! Any content, and anything that somebody may do to it.

use std::collections::HashMap;

use entity::{ids::PageId, timestamp::Timestamp};
use proptest::prelude::*;

use super::support::{Edit, edited, file, file_id, id, reusable};
use crate::{
    objects::Objects,
    pages::{MAX_DEPTH, Page, PageContent, Pages, Snapshot},
};

/// A step of an edit. Numbers choose among what there is at that moment.
#[derive(Debug, Clone)]
pub enum Step {
    Insert { below: usize, slug: u8 },
    Delete { page: usize },
    Move { page: usize, below: usize, at: usize },
    Reorder { page: usize, at: usize },
    Title { page: usize, to: u8 },
    Slug { page: usize, to: u8 },
    Metadata { page: usize, to: u8 },
    InsertLine { page: usize, at: usize, line: u8 },
    RemoveLine { page: usize, at: usize },
    Group { page: usize },
    File { file: u8, to: u8 },
    Reusable { content: u8, to: u8 },
}

pub fn steps() -> impl Strategy<Value = Vec<Step>> {
    let (at, to) = (0..1_000_usize, 0..6_u8);
    let step = prop_oneof![
        4 => (at.clone(), to.clone()).prop_map(|(below, slug)| Step::Insert { below, slug: slug % 2 }),
        2 => at.clone().prop_map(|page| Step::Delete { page }),
        4 => (at.clone(), at.clone(), 0..4_usize).prop_map(|(page, below, at)| Step::Move { page, below, at }),
        2 => (at.clone(), 0..4_usize).prop_map(|(page, at)| Step::Reorder { page, at }),
        2 => (at.clone(), to.clone()).prop_map(|(page, to)| Step::Title { page, to }),
        2 => (at.clone(), to.clone()).prop_map(|(page, to)| Step::Slug { page, to }),
        2 => (at.clone(), to.clone()).prop_map(|(page, to)| Step::Metadata { page, to }),
        4 => (at.clone(), at.clone(), any::<u8>()).prop_map(|(page, at, line)| Step::InsertLine { page, at, line }),
        3 => (at.clone(), at.clone()).prop_map(|(page, at)| Step::RemoveLine { page, at }),
        1 => at.prop_map(|page| Step::Group { page }),
        1 => (0..4_u8, to.clone()).prop_map(|(file, to)| Step::File { file, to }),
        1 => (0..4_u8, to).prop_map(|(content, to)| Step::Reusable { content, to }),
    ];
    let (page, below) = (0..1_000_usize, 0..1_000_usize);
    let relocate = (page, below, 0..4_usize).prop_map(|(page, below, at)| Step::Move { page, below, at });
    let moves = proptest::collection::vec(relocate, 1..8);
    prop_oneof![2 => proptest::collection::vec(step, 0..14), 1 => moves]
}

/// The pages above each page of a content: few long ways, or a bush.
pub fn parents() -> impl Strategy<Value = Vec<Option<usize>>> {
    let bush = proptest::collection::vec(proptest::option::weighted(0.8, 0..1_000_usize), 1..16);
    let ways = proptest::collection::vec(proptest::option::weighted(0.95, Just(0)), 20..60);
    prop_oneof![4 => bush, 1 => ways]
}

pub fn content(objects: &Objects, parents: &[Option<usize>]) -> Snapshot {
    edited(objects, Snapshot::default(), |it| {
        for (number, parent) in (1_u128..).zip(parents) {
            let parent = parent
                .filter(|_| number > 1)
                .map(|parent| number - 1 - (parent as u128) % (number - 1));
            let parent = parent.filter(|parent| depth(&it.0, Some(id(*parent))) < MAX_DEPTH);
            it.add(number, parent);
            let lines = (0..number % 7).map(|line| format!("{number}.{line}\n\n"));
            it.write(number, &lines.collect::<String>());
        }
        for number in 1..3 {
            it.0.put_file(file(number, "a.png", "bytes"));
            it.0.put_reusable_content(reusable(objects, number, "Shared", "one\n\ntwo\n\nthree\n"));
        }
    })
}

fn depth(pages: &Pages<'_>, page: Option<PageId>) -> usize {
    let page = page.and_then(|id| pages.page(id).unwrap());
    page.map_or(0, |page| pages.ancestors(&page).unwrap().len() + 1)
}

/// One side. Its new pages and lines are those of nobody else, but for every other line.
pub struct Side<'o> {
    edit: Edit<'o>,
    name: &'static str,
    next: u128,
}

pub fn side(objects: &Objects, base: Snapshot, name: &'static str, steps: &[Step]) -> Snapshot {
    let mut side = Side {
        edit: Edit(Pages::of(objects, base)),
        name,
        next: if name == "ours" { 1_000 } else { 1_001 },
    };
    for step in steps {
        side.take(step);
    }
    side.edit.0.finish().unwrap()
}

impl Side<'_> {
    fn take(&mut self, step: &Step) {
        match *step {
            Step::Insert { below, slug } => self.insert(below, slug),
            Step::Move { page, below, at } => self.relocate(page, below, at),
            Step::File { file: number, to } => self.file(number, to),
            Step::Reusable { content, to } => {
                let text = [
                    "one\n\ntwo\n\nthree\n",
                    "ONE\n\ntwo\n\nthree\n",
                    "one\n\ntwo\n\nTHREE\n",
                ];
                let content = reusable(
                    self.edit.0.objects(),
                    content.into(),
                    "Shared",
                    text[usize::from(to) % 3],
                );
                self.edit.0.put_reusable_content(content);
            }
            Step::Delete { page }
            | Step::Reorder { page, .. }
            | Step::Title { page, .. }
            | Step::Slug { page, .. }
            | Step::Metadata { page, .. }
            | Step::InsertLine { page, .. }
            | Step::RemoveLine { page, .. }
            | Step::Group { page } => {
                if let Some(page) = self.choose(page) {
                    self.change(page, step);
                }
            }
        }
    }

    fn all(&self) -> Vec<Page> {
        let mut all: Vec<Page> = self.edit.0.forest().unwrap().pages().cloned().collect();
        all.sort_by_key(|page| page.id);
        all
    }

    fn choose(&self, number: usize) -> Option<Page> {
        let mut all = self.all();
        (!all.is_empty()).then(|| all.swap_remove(number % all.len()))
    }

    fn is_free(&self, parent: Option<PageId>, slug: &str) -> bool {
        self.edit.0.page_at(parent, slug).unwrap().is_none()
    }

    fn insert(&mut self, below: usize, slug: u8) {
        let parent = self
            .choose(below)
            .filter(|_| !below.is_multiple_of(5))
            .map(|page| page.id);
        let slug = format!("new-{slug}");
        if depth(&self.edit.0, parent) < MAX_DEPTH && self.is_free(parent, &slug) {
            let number = self.next;
            self.next += 2;
            self.edit.add(number, parent.map(|id| id.as_uuid().as_u128()));
            self.edit.slug(number, &slug);
            self.edit.write(number, &format!("{} {number}\n", self.name));
        }
    }

    fn relocate(&mut self, page: usize, below: usize, at: usize) {
        let Some(mut page) = self.choose(page) else { return };
        let parent = self.choose(below).filter(|_| !below.is_multiple_of(5));
        let way = parent
            .iter()
            .flat_map(|it| self.edit.0.ancestors(it).unwrap().into_iter().chain([it.clone()]));
        let mut way: Vec<PageId> = way.map(|page| page.id).collect();
        let parent = way.last().copied();
        let subtree = self.edit.0.subtree(&page).unwrap();
        let mut height = 1;
        let mut level = subtree.below(Some(page.id)).to_vec();
        while !level.is_empty() {
            height += 1;
            level = level
                .iter()
                .flat_map(|page| subtree.below(Some(page.id)).to_vec())
                .collect();
        }
        way.retain(|id| *id == page.id);
        let fits = way.is_empty() && depth(&self.edit.0, parent) + height <= MAX_DEPTH;
        if fits && (page.parent == parent || self.is_free(parent, &page.slug)) {
            page.order = self.edit.0.order_at(parent, Some(at), Some(page.id)).unwrap();
            page.parent = parent;
            self.edit.0.put(page).unwrap();
        }
    }

    fn file(&mut self, number: u8, to: u8) {
        let names = ["a.png", "b.png"];
        match to {
            0 => self.edit.0.remove_file(file_id(number.into())),
            to => {
                let file = file(number.into(), names[usize::from(to) % 2], &format!("bytes {}", to / 2));
                self.edit.0.put_file(file);
            }
        }
    }

    fn change(&mut self, mut page: Page, step: &Step) {
        match *step {
            Step::Delete { .. } => {
                self.edit.0.remove_subtree(&page).unwrap();
                return;
            }
            Step::Reorder { at, .. } => {
                page.order = self.edit.0.order_at(page.parent, Some(at), Some(page.id)).unwrap();
            }
            Step::Title { to, .. } => page.title = format!("Title {to}"),
            Step::Slug { to, .. } => {
                let slug = format!("new-{to}");
                if self.is_free(page.parent, &slug) {
                    page.slug = slug;
                }
            }
            Step::Metadata { to, .. } => match to {
                0 => page.hidden = !page.hidden,
                1 => page.no_index = !page.no_index,
                2 => page.description = Some(self.name.to_owned()),
                to => {
                    page.updated_at = Some(Timestamp::from_millis(to.into()));
                    page.emoji = Some(format!("1f60{to}"));
                }
            },
            Step::Group { .. } => page.content = PageContent::Group,
            Step::InsertLine { at, line, .. } => self.edit_lines(&mut page, |lines, name| {
                let line = if line % 2 == 0 {
                    format!("both {line}\n")
                } else {
                    format!("{name} {line}\n")
                };
                lines.insert(at % (lines.len() + 1), line);
            }),
            Step::RemoveLine { at, .. } => self.edit_lines(&mut page, |lines, _| {
                if !lines.is_empty() {
                    lines.remove(at % lines.len());
                }
            }),
            Step::Insert { .. } | Step::Move { .. } | Step::File { .. } | Step::Reusable { .. } => {}
        }
        self.edit.0.put(page).unwrap();
    }

    fn edit_lines(&self, page: &mut Page, change: impl FnOnce(&mut Vec<String>, &str)) {
        let PageContent::Document { document, .. } = &mut page.content else {
            return;
        };
        let objects = self.edit.0.objects();
        let text = document.map_or_else(String::new, |hash| objects.text(&hash).unwrap());
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        change(&mut lines, self.name);
        let text = lines.concat();
        *document = (!text.is_empty()).then(|| objects.put_text(&text));
    }
}

/// All pages of a content, by their ids.
pub fn pages(objects: &Objects, snapshot: Snapshot) -> HashMap<PageId, Page> {
    let forest = Pages::of(objects, snapshot).forest().unwrap();
    forest.pages().map(|page| (page.id, page.clone())).collect()
}
