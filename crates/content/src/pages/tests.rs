//! Editing and comparing, against what a person would do on paper.

use entity::ids::PageId;
use uuid::Uuid;

use super::{Change, Changes, ComputedPages, Order, Overlay, Page, PageContent, Pages, Snapshot, Variable};
use crate::objects::{Missing, Objects};

fn id(number: u128) -> PageId {
    PageId::from_uuid(Uuid::from_u128(number))
}

fn page(number: u128, parent: Option<u128>, order: Order) -> Page {
    Page {
        parent: parent.map(id),
        ..Page::empty(id(number), order, format!("Page {number}"), format!("page-{number}"))
    }
}

/// 1 and 2 at the top; 3 and 4 below 1; 5 below 3.
fn sample(objects: &Objects) -> Result<Snapshot, Missing> {
    let mut pages = Pages::of(objects, Snapshot::default());
    for (number, parent) in [(1, None), (2, None), (3, Some(1)), (4, Some(1)), (5, Some(3))] {
        let order = pages.order_at(parent.map(id), None, None)?;
        pages.put(page(number, parent, order))?;
    }
    pages.finish()
}

fn ids(pages: &[Page]) -> Vec<u128> {
    pages.iter().map(|page| page.id.as_uuid().as_u128()).collect()
}

#[test]
fn pages_are_found_by_id_by_path_and_below_each_other() {
    let objects = Objects::default();
    let snapshot = sample(&objects).unwrap();
    let pages = Pages::of(&objects, snapshot);
    assert_eq!(ids(&pages.children(None).unwrap()), [1, 2]);
    assert_eq!(ids(&pages.children(Some(id(1))).unwrap()), [3, 4]);
    let five = pages.page(id(5)).unwrap().unwrap();
    assert_eq!(pages.path(&five).unwrap(), "page-1/page-3/page-5");
    assert_eq!(pages.page_by_path("page-1/page-3/page-5").unwrap(), Some(five.clone()));
    assert_eq!(pages.page_by_path("page-1/page-5").unwrap(), None);
    assert_eq!(ids(&pages.ancestors(&five).unwrap()), [1, 3]);
    let one = pages.page(id(1)).unwrap().unwrap();
    assert_eq!(pages.subtree(&one).unwrap().pages().count(), 3);
    assert_eq!(pages.forest().unwrap().pages().count(), 5);
    assert_eq!(pages.page(id(6)).unwrap(), None);
}

#[test]
fn a_page_moves_with_all_below_it_and_others_stay_untouched() {
    let objects = Objects::default();
    let before = sample(&objects).unwrap();
    let mut pages = Pages::of(&objects, before);
    let mut three = pages.page(id(3)).unwrap().unwrap();
    three.parent = None;
    three.order = pages.order_at(None, Some(1), Some(id(3))).unwrap();
    pages.put(three).unwrap();
    assert_eq!(ids(&pages.children(None).unwrap()), [1, 3, 2]);
    let after = pages.finish().unwrap();
    let pages = Pages::of(&objects, after);
    assert_eq!(ids(&pages.children(None).unwrap()), [1, 3, 2]);
    assert_eq!(ids(&pages.children(Some(id(1))).unwrap()), [4]);
    assert!(pages.page_by_path("page-3/page-5").unwrap().is_some());
    let changes = Changes::between(&objects, &before, &after).unwrap();
    assert_eq!(changes.pages.keys().copied().collect::<Vec<_>>(), [id(3)]);
    assert!(matches!(
        &changes.pages[&id(3)],
        Change {
            before: Some(_),
            after: Some(_)
        }
    ));
}

#[test]
fn removal_takes_along_everything_below() {
    let objects = Objects::default();
    let before = sample(&objects).unwrap();
    let mut pages = Pages::of(&objects, before);
    let one = pages.page(id(1)).unwrap().unwrap();
    assert_eq!(pages.remove_subtree(&one).unwrap().len(), 4);
    assert_eq!(ids(&pages.children(None).unwrap()), [2]);
    let after = pages.finish().unwrap();
    let changes = Changes::between(&objects, &before, &after).unwrap();
    assert_eq!(changes.pages.len(), 4);
    assert_eq!(Pages::of(&objects, after).page(id(5)).unwrap(), None);
    assert!(Changes::between(&objects, &after, &after).unwrap().is_empty());
}

#[test]
fn siblings_with_one_place_make_room() {
    let objects = Objects::default();
    let mut pages = Pages::of(&objects, Snapshot::default());
    for number in 1..=3 {
        pages.put(page(number, None, Order::default())).unwrap();
    }
    let order = pages.order_at(None, Some(1), None).unwrap();
    pages.put(page(4, None, order)).unwrap();
    assert_eq!(ids(&pages.children(None).unwrap()), [1, 4, 2, 3]);
}

fn variable(name: &str, value: &str) -> Variable {
    Variable {
        name: name.to_owned(),
        value: value.to_owned(),
    }
}

#[test]
fn variables_are_compared_and_merged() {
    let objects = Objects::default();
    let base = sample(&objects).unwrap();
    let with = |from: Snapshot, variables: &[Variable]| {
        let mut pages = Pages::of(&objects, from);
        variables.iter().cloned().for_each(|it| pages.put_variable(it));
        pages.finish().unwrap()
    };
    let base = with(base, &[variable("a", "1"), variable("b", "1")]);
    let ours = with(base, &[variable("a", "2"), variable("c", "2")]);
    let mut pages = Pages::of(&objects, base);
    pages.remove_variable("b");
    pages.put_variable(variable("c", "3"));
    let theirs = pages.finish().unwrap();
    let changes = Changes::between(&objects, &base, &theirs).unwrap();
    assert_eq!(changes.variables.keys().collect::<Vec<_>>(), ["b", "c"]);
    assert_eq!(changes.variables["b"].before, Some(variable("b", "1")));
    let merged = crate::merge::merge(&objects, &base, &ours, &theirs).unwrap();
    let mut left = Pages::of(&objects, merged.snapshot).stored_variables().unwrap();
    left.sort_by(|one, other| one.name.cmp(&other.name));
    assert_eq!(left, [variable("a", "2"), variable("c", "2")]);
}

fn placeholder(number: u128, parent: Option<u128>) -> Page {
    let source = ComputedPages {
        kind: "builtin:openapi".to_owned(),
        props: Default::default(),
        specifications: Default::default(),
        versions: Default::default(),
    };
    Page {
        content: PageContent::Computed {
            source: Box::new(source),
        },
        ..page(number, parent, Order::default())
    }
}

#[test]
fn a_snapshot_knows_its_placeholders() {
    let objects = Objects::default();
    let before = sample(&objects).unwrap();
    assert!(before.placeholders.is_empty());
    let mut pages = Pages::of(&objects, before);
    pages.put(placeholder(6, Some(1))).unwrap();
    let with = pages.finish().unwrap();
    assert_eq!(ids(&Pages::of(&objects, with).placeholders(9).unwrap()), [6]);
    // Moved, it stays one; removed, or with another content, it is none.
    let mut pages = Pages::of(&objects, with);
    let moved = Page {
        parent: None,
        ..pages.page(id(6)).unwrap().unwrap()
    };
    pages.put(moved).unwrap();
    assert_eq!(pages.finish().unwrap().placeholders, with.placeholders);
    let mut pages = Pages::of(&objects, with);
    pages.remove(&placeholder(6, Some(1)));
    assert_eq!(pages.finish().unwrap(), before);
    let mut pages = Pages::of(&objects, with);
    pages.put(page(6, Some(1), Order::default())).unwrap();
    assert!(pages.finish().unwrap().placeholders.is_empty());
}

#[test]
fn computed_pages_are_read_as_if_they_were_stored() {
    let objects = Objects::default();
    let mut pages = Pages::of(&objects, sample(&objects).unwrap());
    pages.put(placeholder(6, Some(1))).unwrap();
    let snapshot = pages.finish().unwrap();
    let overlay = Overlay::new([page(6, Some(1), Order::default()), page(7, Some(6), Order::default())]);
    let pages = Pages::with_computed(&objects, snapshot, &overlay);
    let seven = pages.page(id(7)).unwrap().unwrap();
    assert_eq!(pages.path(&seven).unwrap(), "page-1/page-6/page-7");
    assert_eq!(pages.page_by_path("page-1/page-6/page-7").unwrap(), Some(seven.clone()));
    assert_eq!(ids(&pages.ancestors(&seven).unwrap()), [1, 6]);
    assert_eq!(pages.children(Some(id(1))).unwrap().len(), 3);
    assert!(matches!(
        pages.page(id(6)).unwrap().unwrap().content,
        PageContent::Document { .. }
    ));
    assert_eq!(pages.forest().unwrap().pages().count(), 7);
    assert!(!Pages::of(&objects, snapshot).has_page(id(7)).unwrap());
}

#[test]
fn the_bytes_of_all_values_are_counted() {
    let objects = Objects::default();
    let stored = |snapshot: &Snapshot| -> u64 {
        let maps = [
            snapshot.pages,
            snapshot.files,
            snapshot.reusable_contents,
            snapshot.variables,
        ];
        let entries = maps.iter().flat_map(|map| map.all(&objects).unwrap());
        entries.map(|entry| entry.value.len() as u64).sum()
    };
    let first = sample(&objects).unwrap();
    assert!(first.bytes > 0);
    assert_eq!(first.bytes, stored(&first));
    let mut pages = Pages::of(&objects, first);
    let mut three = pages.page(id(3)).unwrap().unwrap();
    three.parent = None;
    three.description = Some("Longer".to_owned());
    pages.put(three).unwrap();
    let second = pages.finish().unwrap();
    assert_eq!(second.bytes, stored(&second));
    let mut pages = Pages::of(&objects, second);
    for number in [4, 2] {
        let page = pages.page(id(number)).unwrap().unwrap();
        pages.remove(&page);
    }
    let third = pages.finish().unwrap();
    assert_eq!(third.bytes, stored(&third));
    assert!(third.bytes < second.bytes);
}
