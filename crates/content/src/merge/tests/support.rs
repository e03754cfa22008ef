//! Small contents, written down in a line or two.

use entity::{
    authoring::change_requests::conflicts::ConflictKind,
    ids::{FileId, PageId, ReusableContentId},
};
use uuid::Uuid;

use super::super::{ConflictObject, MergeConflict, Merged, merge};
use crate::{
    objects::{Hash, Objects},
    pages::{File, Page, PageContent, Pages, ReusableContent, Snapshot, spread},
};

pub fn id(number: u128) -> PageId {
    PageId::from_uuid(Uuid::from_u128(number))
}

pub fn file_id(number: u128) -> FileId {
    FileId::from_uuid(Uuid::from_u128(number))
}

pub fn reusable_id(number: u128) -> ReusableContentId {
    ReusableContentId::from_uuid(Uuid::from_u128(number))
}

pub fn file(number: u128, name: &str, bytes: &str) -> File {
    File {
        id: file_id(number),
        name: name.to_owned(),
        content_type: "image/png".to_owned(),
        size: bytes.len() as u64,
        dimensions: None,
        blob: Hash::of(bytes.as_bytes()),
    }
}

pub fn reusable(objects: &Objects, number: u128, title: &str, text: &str) -> ReusableContent {
    ReusableContent {
        id: reusable_id(number),
        title: title.to_owned(),
        document: Some(objects.put_text(text)),
    }
}

pub fn document(objects: &Objects, text: &str) -> PageContent {
    let document = (!text.is_empty()).then(|| objects.put_text(text));
    PageContent::of(document)
}

/// What is done to a content in tests.
pub struct Edit<'o>(pub Pages<'o>);

impl Edit<'_> {
    /// A new page behind its siblings.
    pub fn add(&mut self, number: u128, parent: Option<u128>) {
        let order = self.0.order_at(parent.map(id), None, None).unwrap();
        let page = Page::empty(id(number), order, format!("Page {number}"), format!("page-{number}"));
        let parent = parent.map(id);
        self.0.put(Page { parent, ..page }).unwrap();
    }

    pub fn change(&mut self, number: u128, change: impl FnOnce(&mut Page)) {
        let mut page = self.0.page(id(number)).unwrap().unwrap();
        change(&mut page);
        self.0.put(page).unwrap();
    }

    pub fn write(&mut self, number: u128, text: &str) {
        let content = document(self.0.objects(), text);
        self.change(number, |page| page.content = content);
    }

    pub fn title(&mut self, number: u128, title: &str) {
        self.change(number, |page| page.title = title.to_owned());
    }

    pub fn slug(&mut self, number: u128, slug: &str) {
        self.change(number, |page| page.slug = slug.to_owned());
    }

    /// Below another page, behind those that are there.
    pub fn move_below(&mut self, number: u128, parent: Option<u128>) {
        let parent = parent.map(id);
        let order = self.0.order_at(parent, None, Some(id(number))).unwrap();
        self.change(number, |page| {
            page.parent = parent;
            page.order = order;
        });
    }

    /// Before all of its siblings.
    pub fn put_first(&mut self, number: u128) {
        let parent = self.0.page(id(number)).unwrap().unwrap().parent;
        let order = self.0.order_at(parent, Some(0), Some(id(number))).unwrap();
        self.change(number, |page| page.order = order);
    }

    pub fn delete(&mut self, number: u128) {
        let page = self.0.page(id(number)).unwrap().unwrap();
        self.0.remove_subtree(&page).unwrap();
    }
}

pub fn edited(objects: &Objects, snapshot: Snapshot, edit: impl FnOnce(&mut Edit<'_>)) -> Snapshot {
    let mut pages = Edit(Pages::of(objects, snapshot));
    edit(&mut pages);
    pages.0.finish().unwrap()
}

/// 1 and 2 at the top; 3 and 4 below 1; 5 below 3; 6 below 2. Page 5 has a text.
pub fn sample(objects: &Objects) -> Snapshot {
    edited(objects, Snapshot::default(), |it| {
        for (number, parent) in [
            (1, None),
            (2, None),
            (3, Some(1)),
            (4, Some(1)),
            (5, Some(3)),
            (6, Some(2)),
        ] {
            it.add(number, parent);
        }
        it.write(5, "one\ntwo\nthree\nfour\nfive\n");
    })
}

/// The same starting point, two sides, and what becomes of them.
pub struct Case {
    pub objects: Objects,
    pub base: Snapshot,
    pub ours: Snapshot,
    pub theirs: Snapshot,
    pub merged: Merged,
}

impl Case {
    pub fn of(ours: impl FnOnce(&mut Edit<'_>), theirs: impl FnOnce(&mut Edit<'_>)) -> Self {
        let objects = Objects::default();
        let base = sample(&objects);
        let (ours, theirs) = (edited(&objects, base, ours), edited(&objects, base, theirs));
        let merged = merge(&objects, &base, &ours, &theirs).unwrap();
        let other = merge(&objects, &base, &theirs, &ours).unwrap();
        let subjects = |merged: &Merged| merged.conflicts.iter().map(|it| it.subject).collect::<Vec<_>>();
        assert_eq!(subjects(&merged), subjects(&other), "whichever side is ours");
        Self {
            objects,
            base,
            ours,
            theirs,
            merged,
        }
    }

    pub fn page(&self, number: u128) -> Option<Page> {
        Pages::of(&self.objects, self.merged.snapshot).page(id(number)).unwrap()
    }

    pub fn text(&self, number: u128) -> String {
        let document = self.page(number).unwrap().document();
        document.map_or_else(String::new, |hash| self.objects.text(&hash).unwrap())
    }

    /// The tree as text: each page in its order with those below it in brackets.
    pub fn outline(&self) -> String {
        outline(&self.objects, self.merged.snapshot)
    }

    /// The pages that conflict, each with its kind.
    pub fn conflicts(&self) -> Vec<(u128, ConflictKind)> {
        let page = |conflict: &MergeConflict| match conflict.subject {
            ConflictObject::Page(id) => (id.as_uuid().as_u128(), conflict.kind),
            other => panic!("{other:?}"),
        };
        self.merged.conflicts.iter().map(page).collect()
    }
}

pub fn outline(objects: &Objects, snapshot: Snapshot) -> String {
    fn below(pages: &Pages<'_>, parent: Option<PageId>) -> String {
        let children = pages.children(parent).unwrap();
        let each = children.iter().map(|child| {
            let below = below(pages, Some(child.id));
            let number = child.id.as_uuid().as_u128();
            if below.is_empty() {
                number.to_string()
            } else {
                format!("{number}({below})")
            }
        });
        each.collect::<Vec<_>>().join(" ")
    }
    below(&Pages::of(objects, snapshot), None)
}

/// So many pages, each with a text, ten below each; their order is that of their numbers.
pub fn book(objects: &Objects, count: u128) -> Snapshot {
    let mut pages = Pages::of(objects, Snapshot::default());
    let orders = spread(10);
    for number in 1..=count {
        let order = orders[(number % 10) as usize].clone();
        let page = Page::empty(id(number), order, format!("Page {number}"), format!("page-{number}"));
        let parent = (number > 10).then(|| id(number / 10));
        let content = document(objects, &format!("# Page {number}\n\nFirst.\n\nSecond.\n\nThird.\n"));
        pages
            .put(Page {
                parent,
                content,
                ..page
            })
            .unwrap();
    }
    pages.finish().unwrap()
}
