//! Semantic changes of hand-written edits.

mod random;

use entity::{
    ids::{FileId, PageId, ReusableContentId},
    timestamp::Timestamp,
};
use openapi::models::{ContentRef, ContentRefMedia, ContentRefUrl};
use rich_text::front_matter::{LayoutOptions, PageLayout};
use serde_json::{Value, json};
use uuid::Uuid;

use super::changes;
use crate::{
    objects::{Hash, Missing, Objects},
    pages::{Cover, File, Order, Page, PageContent, Pages, ReusableContent, Snapshot},
};

fn id(number: u128) -> PageId {
    PageId::from_uuid(Uuid::from_u128(number))
}

fn text(number: u128) -> String {
    id(number).to_string()
}

fn url(file: &File) -> String {
    format!("https://bindery.test/{}/{}", file.blob, file.name)
}

/// Puts a page that is there already somewhere else, or a new one.
fn put(pages: &mut Pages<'_>, number: u128, parent: Option<u128>, at: Option<usize>) -> Result<(), Missing> {
    let order = pages.order_at(parent.map(id), at, Some(id(number)))?;
    let page = match pages.page(id(number))? {
        Some(page) => page,
        None => Page::empty(
            id(number),
            Order::default(),
            format!("Page {number}"),
            format!("page-{number}"),
        ),
    };
    pages.put(Page {
        parent: parent.map(id),
        order,
        ..page
    })
}

/// 1, 2 and 6 at the top; 3 and 4 below 1; 5 below 3.
fn sample(objects: &Objects) -> Snapshot {
    edited(objects, Snapshot::default(), |pages| {
        for (number, parent) in [
            (1, None),
            (2, None),
            (6, None),
            (3, Some(1)),
            (4, Some(1)),
            (5, Some(3)),
        ] {
            put(pages, number, parent, None).unwrap();
        }
    })
}

fn edited(objects: &Objects, snapshot: Snapshot, edit: impl FnOnce(&mut Pages<'_>)) -> Snapshot {
    let mut pages = Pages::of(objects, snapshot);
    edit(&mut pages);
    pages.finish().unwrap()
}

fn change(pages: &mut Pages<'_>, number: u128, change: impl FnOnce(&mut Page)) {
    let mut page = pages.page(id(number)).unwrap().unwrap();
    change(&mut page);
    pages.put(page).unwrap();
}

fn all(objects: &Objects, before: Snapshot, after: Snapshot) -> Value {
    let (changes, more) = changes(objects, &before, &after, usize::MAX, &url).unwrap();
    assert_eq!(more, 0);
    serde_json::to_value(changes).unwrap()
}

/// The type of each change with the number of its page.
fn outline(changes: &Value) -> Vec<(String, u128)> {
    let changes = changes.as_array().unwrap().iter();
    let of = |change: &Value| {
        let page: PageId = change["page"]["id"].as_str().unwrap().parse().unwrap();
        (change["type"].as_str().unwrap().to_owned(), page.as_uuid().as_u128())
    };
    changes.map(of).collect()
}

fn link(url: &str) -> ContentRefUrl {
    ContentRefUrl {
        kind: Default::default(),
        url: url.to_owned(),
    }
}

fn page(number: u128, path: &str) -> Value {
    json!({ "id": text(number), "type": "document", "title": format!("Page {number}"), "path": path })
}

#[test]
fn equal_documents_have_no_changes() {
    let objects = Objects::default();
    let snapshot = sample(&objects);
    assert_eq!(all(&objects, snapshot, snapshot), json!([]));
    let later = edited(&objects, snapshot, |pages| {
        change(pages, 3, |page| page.updated_at = Some(Timestamp::from_millis(1)));
    });
    assert_eq!(all(&objects, snapshot, later), json!([]));
}

#[test]
fn pages_come_and_go_in_the_order_of_the_table_of_contents() {
    let objects = Objects::default();
    let before = sample(&objects);
    let after = edited(&objects, before, |pages| {
        let three = pages.page(id(3)).unwrap().unwrap();
        pages.remove_subtree(&three).unwrap();
        put(pages, 7, None, None).unwrap();
        put(pages, 8, Some(1), None).unwrap();
        change(pages, 2, |page| page.emoji = Some("1f680".to_owned()));
        change(pages, 1, |page| page.slug = "one".to_owned());
    });
    let found = all(&objects, before, after);
    let expected = [
        ("page_edited", 1),
        ("page_deleted", 3),
        ("page_deleted", 5),
        ("page_created", 8),
        ("page_edited", 2),
        ("page_created", 7),
    ];
    assert_eq!(
        outline(&found),
        expected.map(|(kind, number)| (kind.to_owned(), number))
    );
    assert_eq!(
        found[2],
        json!({ "type": "page_deleted", "page": page(5, "page-1/page-3/page-5") })
    );
    assert_eq!(
        found[3],
        json!({ "type": "page_created", "page": page(8, "one/page-8") })
    );
    let back = outline(&all(&objects, after, before));
    assert_eq!(back.first(), Some(&("page_edited".to_owned(), 1)));
    assert_eq!(back.last(), Some(&("page_deleted".to_owned(), 7)));
}

#[test]
fn an_edit_shows_each_attribute_that_differs() {
    let objects = Objects::default();
    let before = edited(&objects, sample(&objects), |pages| {
        change(pages, 3, |page| page.description = Some("Once".to_owned()));
    });
    let hash = Hash::of(b"text");
    let after = edited(&objects, before, |pages| {
        change(pages, 3, |page| {
            page.title = "Three".to_owned();
            page.slug = "three".to_owned();
            page.description = None;
            page.emoji = Some("1f680".to_owned());
            page.content = PageContent::of(Some(hash));
        });
    });
    let expected = json!([{
        "type": "page_edited",
        "page": { "id": text(3), "type": "document", "title": "Three", "path": "page-1/three" },
        "attributes": {
            "title": { "before": "Page 3", "after": "Three" },
            "description": { "before": "Once" },
            "slug": { "before": "page-3", "after": "three" },
            "document": { "after": hash.to_string() },
            "emoji": { "after": "1f680" },
        },
    }]);
    assert_eq!(all(&objects, before, after), expected);
}

#[test]
fn an_edit_shows_how_a_page_looks() {
    let objects = Objects::default();
    let before = sample(&objects);
    let picture = ContentRefMedia::ContentRefUrl(link("https://one.test/picture.png"));
    let cover = Cover {
        picture,
        y: 4.0,
        height: 100.0,
    };
    let after = edited(&objects, before, |pages| {
        change(pages, 2, |page| {
            page.content = PageContent::Document {
                document: None,
                layout: Some(PageLayout::Options(Box::new(LayoutOptions {
                    width: Some("wide".to_owned()),
                    ..LayoutOptions::default()
                }))),
                cover: Some(cover),
                variables: [("model".to_owned(), "G4".to_owned())].into(),
                tags: Vec::new(),
                other: Default::default(),
            };
        });
    });
    let found = all(&objects, before, after);
    let attributes = &found[0]["attributes"];
    assert_eq!(attributes.as_object().unwrap().len(), 3);
    assert_eq!(attributes["layout"]["before"]["width"], "default");
    assert_eq!(attributes["layout"]["after"]["width"], "wide");
    let picture = json!({ "kind": "url", "url": "https://one.test/picture.png" });
    assert_eq!(
        attributes["cover"],
        json!({ "after": { "ref": picture, "yPos": 4.0, "height": 100.0 } })
    );
    assert_eq!(attributes["variables"], json!({ "after": { "model": "G4" } }));
}

#[test]
fn an_edit_of_what_no_attribute_shows_is_an_edit() {
    let objects = Objects::default();
    let before = sample(&objects);
    let after = edited(&objects, before, |pages| change(pages, 5, |page| page.hidden = true));
    let expected = json!([{ "type": "page_edited", "page": page(5, "page-1/page-3/page-5"), "attributes": {} }]);
    assert_eq!(all(&objects, before, after), expected);
}

#[test]
fn groups_and_links_show_their_own_attributes() {
    let objects = Objects::default();
    let target = |url: &str| ContentRef::ContentRefUrl(link(url));
    let before = edited(&objects, sample(&objects), |pages| {
        change(pages, 2, |page| page.content = PageContent::Group);
        change(pages, 5, |page| {
            page.content = PageContent::Link {
                target: target("https://one.test"),
            }
        });
    });
    let after = edited(&objects, before, |pages| {
        change(pages, 2, |page| page.slug = "two".to_owned());
        change(pages, 5, |page| {
            page.content = PageContent::Link {
                target: target("https://two.test"),
            };
            page.slug = "unseen".to_owned();
        });
    });
    let expected = json!([
        {
            "type": "page_edited",
            "page": { "id": text(5), "type": "link", "title": "Page 5" },
            "attributes": { "target": {
                "before": { "kind": "url", "url": "https://one.test" },
                "after": { "kind": "url", "url": "https://two.test" },
            } },
        },
        {
            "type": "page_edited",
            "page": { "id": text(2), "type": "group", "title": "Page 2", "path": "two" },
            "attributes": { "slug": { "before": "page-2", "after": "two" } },
        },
    ]);
    assert_eq!(all(&objects, before, after), expected);
}

#[test]
fn a_page_that_is_edited_and_moved_has_two_changes() {
    let objects = Objects::default();
    let before = sample(&objects);
    let after = edited(&objects, before, |pages| {
        put(pages, 3, Some(2), None).unwrap();
        change(pages, 3, |page| page.title = "Three".to_owned());
        put(pages, 4, None, Some(0)).unwrap();
    });
    let three = json!({ "id": text(3), "type": "document", "title": "Three", "path": "page-2/page-3" });
    let expected = json!([
        { "type": "page_moved", "page": page(4, "page-4"), "parent": { "before": page(1, "page-1") } },
        { "type": "page_edited", "page": three, "attributes": { "title": { "before": "Page 3", "after": "Three" } } },
        {
            "type": "page_moved",
            "page": three,
            "parent": { "before": page(1, "page-1"), "after": page(2, "page-2") },
        },
    ]);
    assert_eq!(all(&objects, before, after), expected);
}

#[test]
fn a_page_that_is_moved_among_its_siblings_keeps_its_parent() {
    let objects = Objects::default();
    let before = sample(&objects);
    let after = edited(&objects, before, |pages| put(pages, 4, Some(1), Some(0)).unwrap());
    let parent = json!({ "before": page(1, "page-1"), "after": page(1, "page-1") });
    let expected = json!([{ "type": "page_moved", "page": page(4, "page-1/page-4"), "parent": parent }]);
    assert_eq!(all(&objects, before, after), expected);
}

/// Gives all pages the same place among their siblings, as merges can for some of them.
fn tied(objects: &Objects, snapshot: Snapshot) -> Snapshot {
    let all: Vec<Page> = Pages::of(objects, snapshot)
        .forest()
        .unwrap()
        .pages()
        .cloned()
        .collect();
    edited(objects, snapshot, |pages| {
        for page in all {
            pages
                .put(Page {
                    order: Order::default(),
                    ..page
                })
                .unwrap();
        }
    })
}

#[test]
fn pages_that_only_make_room_are_not_moved() {
    let objects = Objects::default();
    let before = edited(&objects, sample(&objects), |pages| put(pages, 7, None, None).unwrap());
    let before = tied(&objects, before);
    let created = edited(&objects, before, |pages| put(pages, 8, None, Some(1)).unwrap());
    let found = outline(&all(&objects, before, created));
    assert_eq!(found, [("page_created".to_owned(), 8)]);
    let moved = edited(&objects, before, |pages| put(pages, 1, None, Some(2)).unwrap());
    let found = outline(&all(&objects, before, moved));
    assert_eq!(found, [("page_moved".to_owned(), 1)]);
}

fn file(number: u128, name: &str) -> File {
    File {
        id: FileId::from_uuid(Uuid::from_u128(number)),
        name: name.to_owned(),
        content_type: "image/png".to_owned(),
        size: 10,
        dimensions: Some((3, 4)),
        blob: Hash::of(b"picture"),
    }
}

#[test]
fn files_show_what_was_replaced() {
    let objects = Objects::default();
    let (same, gone, old) = (file(1, "same.png"), file(2, "b.png"), file(3, "old.png"));
    let before = edited(&objects, sample(&objects), |pages| {
        for file in [&same, &gone, &old] {
            pages.put_file(file.clone());
        }
    });
    let new = File {
        name: "a.svg".to_owned(),
        content_type: "image/svg+xml".to_owned(),
        size: 20,
        dimensions: None,
        blob: Hash::of(b"drawing"),
        ..old.clone()
    };
    let created = file(4, "c.png");
    let after = edited(&objects, before, |pages| {
        pages.remove_file(gone.id);
        pages.put_file(new.clone());
        pages.put_file(created.clone());
    });
    let shown = |file: &File| {
        json!({
            "id": file.id.to_string(), "name": file.name, "contentType": file.content_type, "downloadURL": url(file),
        })
    };
    let attributes = json!({
        "name": { "before": "old.png", "after": "a.svg" },
        "downloadURL": { "before": url(&old), "after": url(&new) },
        "size": { "before": 10.0, "after": 20.0 },
        "contentType": { "before": "image/png", "after": "image/svg+xml" },
        "dimensions": { "before": { "width": 3, "height": 4 } },
    });
    let expected = json!([
        { "type": "file_edited", "file": shown(&new), "attributes": attributes },
        { "type": "file_deleted", "file": shown(&gone) },
        { "type": "file_created", "file": shown(&created) },
    ]);
    assert_eq!(all(&objects, before, after), expected);
}

#[test]
fn shared_contents_show_what_was_edited() {
    let objects = Objects::default();
    let content = |number, title: &str, document| ReusableContent {
        id: ReusableContentId::from_uuid(Uuid::from_u128(number)),
        title: title.to_owned(),
        document,
    };
    let hash = Hash::of(b"text");
    let (old, new) = (content(1, "Old", None), content(1, "New", Some(hash)));
    let before = edited(&objects, sample(&objects), |pages| pages.put_reusable_content(old));
    let after = edited(&objects, before, |pages| {
        pages.put_reusable_content(new);
        pages.put_reusable_content(content(2, "Another", None));
    });
    let (one, two) = (content_id(1), content_id(2));
    let edit = json!({
        "type": "reusable_content_edited",
        "reusableContent": { "id": one, "title": "New", "document": hash.to_string() },
        "attributes": {
            "title": { "before": "Old", "after": "New" },
            "document": { "after": hash.to_string() },
        },
    });
    let created = json!({ "type": "reusable_content_created", "reusableContent": { "id": two, "title": "Another" } });
    assert_eq!(all(&objects, before, after), json!([created, edit]));
    let back = all(&objects, after, before);
    let deleted = json!({ "type": "reusable_content_deleted", "reusableContent": { "id": two, "title": "Another" } });
    assert_eq!(back[0], deleted);
}

fn content_id(number: u128) -> String {
    ReusableContentId::from_uuid(Uuid::from_u128(number)).to_string()
}

#[test]
fn a_limit_cuts_off_and_counts() {
    let objects = Objects::default();
    let after = edited(&objects, sample(&objects), |pages| {
        pages.put_file(file(1, "a.png"));
        pages.put_reusable_content(ReusableContent {
            id: ReusableContentId::from_uuid(Uuid::from_u128(1)),
            title: "Shared".to_owned(),
            document: None,
        });
    });
    let every = all(&objects, Snapshot::default(), after);
    assert_eq!(every.as_array().unwrap().len(), 8);
    for limit in 0..10 {
        let (first, more) = changes(&objects, &Snapshot::default(), &after, limit, &url).unwrap();
        let shown = limit.min(8);
        assert_eq!((first.len(), more), (shown, 8 - shown));
        assert_eq!(
            serde_json::to_value(first).unwrap().as_array().unwrap()[..],
            every.as_array().unwrap()[..shown]
        );
    }
}
