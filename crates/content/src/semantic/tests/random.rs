//! Changes drawn at random, against a walk over all pages.

use std::collections::HashSet;

use entity::ids::PageId;
use openapi::models::RevisionSemanticChange;
use proptest::prelude::*;

use super::{changes, edited, id, put, tied, url};
use crate::{
    objects::Objects,
    pages::{Forest, Pages, Snapshot},
};

/// Changes of a page: to be put somewhere, to get another title, to be removed with all below it.
#[derive(Debug, Clone)]
enum Step {
    Put(u128, Option<u128>, Option<usize>),
    Rename(u128),
    Remove(u128),
}

fn step() -> impl Strategy<Value = Step> {
    let number = 1..12_u128;
    prop_oneof![
        4 => (number.clone(), proptest::option::of(number.clone()), proptest::option::of(0..4_usize))
            .prop_map(|(number, parent, at)| Step::Put(number, parent, at)),
        1 => number.clone().prop_map(Step::Rename),
        1 => number.prop_map(Step::Remove),
    ]
}

fn take(pages: &mut Pages<'_>, step: &Step) {
    match *step {
        Step::Put(number, parent, at) => {
            let above = parent.map(|parent| pages.page(id(parent)).unwrap());
            let loops = above.iter().flatten().any(|above| {
                let up = pages.ancestors(above).unwrap();
                up.iter().chain([above]).any(|page| page.id == id(number))
            });
            if above != Some(None) && !loops {
                put(pages, number, parent, at).unwrap();
            }
        }
        Step::Rename(number) => {
            if let Some(mut page) = pages.page(id(number)).unwrap() {
                page.title.push('!');
                pages.put(page).unwrap();
            }
        }
        Step::Remove(number) => {
            if let Some(page) = pages.page(id(number)).unwrap() {
                pages.remove_subtree(&page).unwrap();
            }
        }
    }
}

fn table_of_contents(forest: &Forest, parent: Option<PageId>, found: &mut Vec<PageId>) {
    for page in forest.below(parent) {
        found.push(page.id);
        table_of_contents(forest, Some(page.id), found);
    }
}

fn taken(objects: &Objects, snapshot: Snapshot, steps: &[Step]) -> (Snapshot, Vec<PageId>) {
    let after = edited(objects, snapshot, |pages| {
        steps.iter().for_each(|step| take(pages, step))
    });
    let mut order = Vec::new();
    table_of_contents(&Pages::of(objects, after).forest().unwrap(), None, &mut order);
    (after, order)
}

/// The pages of changes, in their order, those of deleted pages apart.
#[derive(Default)]
struct Found {
    order: Vec<PageId>,
    /// Created or moved.
    placed: HashSet<PageId>,
    deleted: HashSet<PageId>,
}

fn found(changes: &[RevisionSemanticChange]) -> Found {
    let mut found = Found::default();
    for change in changes {
        let (page, placed) = match change {
            RevisionSemanticChange::PageCreated(it) => (&it.page, true),
            RevisionSemanticChange::PageMoved(it) => (&it.page, true),
            RevisionSemanticChange::PageEdited(it) => (&it.page, false),
            RevisionSemanticChange::PageDeleted(it) => {
                found.deleted.insert(it.page.id.parse().unwrap());
                continue;
            }
            other => panic!("{other:?}"),
        };
        let page: PageId = page.id.parse().unwrap();
        found.placed.extend(placed.then_some(page));
        found.order.push(page);
    }
    found.order.dedup();
    found
}

proptest! {
    #[test]
    fn changes_agree_with_the_table_of_contents(
        first in proptest::collection::vec(step(), 0..30),
        ties in any::<bool>(),
        second in proptest::collection::vec(step(), 0..15),
    ) {
        let objects = Objects::default();
        let (before, old) = taken(&objects, Snapshot::default(), &first);
        let before = if ties { tied(&objects, before) } else { before };
        let (after, new) = taken(&objects, before, &second);
        let found = found(&changes(&objects, &before, &after, usize::MAX, &url).unwrap().0);
        let in_order: Vec<PageId> = new.iter().copied().filter(|id| found.order.contains(id)).collect();
        prop_assert_eq!(&found.order, &in_order);
        prop_assert_eq!(found.deleted, old.iter().copied().filter(|id| !new.contains(id)).collect());
        // Below each page, those that are neither new nor moved stand in the order that they had.
        let (old, new) = (Pages::of(&objects, before), Pages::of(&objects, after));
        for parent in [None].into_iter().chain((1..12).map(|number| Some(id(number)))) {
            let (old, new) = (old.children(parent).unwrap(), new.children(parent).unwrap());
            let rest = new.iter().map(|page| page.id).filter(|id| !found.placed.contains(id));
            let rest: Vec<PageId> = rest.collect();
            let was: Vec<PageId> = old.iter().map(|page| page.id).filter(|id| rest.contains(id)).collect();
            prop_assert_eq!(rest, was);
        }
    }
}
