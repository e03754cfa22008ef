//! Copies of large spaces: each is made in short transactions, and seen when it is complete.

use std::sync::atomic::{AtomicBool, Ordering};

use entity::ids::NodeId;
use platform::db::Backend;
use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    import::{PAGES, book, count_links, count_objects, imported, largest_transaction, run_index_jobs, tree},
    paths::texts,
    texts::{add, edit, new_space, write},
    world::{Person, World},
};

on_each_database![
    a_large_copy_is_many_short_transactions,
    edits_beside_a_large_copy_are_in_it_or_not,
    nothing_is_copied_for_somebody_who_may_not_create,
    links_are_copied_in_short_transactions,
    a_copy_made_before_the_index_has_the_new_texts_is_found_by_them,
];

async fn duplicate(by: &Person, space: impl ToString) -> Value {
    by.client.call("duplicateSpace").space(space).expect(201).await
}

async fn spaces(world: &World) -> Vec<String> {
    let list = world.admin.client.call("listSpacesInOrganizationById").here(world);
    texts(&list.query("limit", 1000).expect(200).await, "/title")
}

fn titles(tree: &Value) -> Vec<String> {
    texts(&json!({ "items": tree["pages"] }), "/title")
}

async fn a_large_copy_is_many_short_transactions(database: TestDatabase) {
    let is_postgres = database.backend() == Backend::Postgres;
    let world = World::new(database).await;
    let book = book();
    let (original, _) = imported(&world, book.path()).await;
    let before = world.app().kernel.db.writes();
    let copy = duplicate(&world.admin, original).await;
    let writes = world.app().kernel.db.writes() - before;
    // Objects in steps of 256 KiB, links in steps of 300.
    let links_of_original = count_links(&world, original).await;
    assert!(writes > 4 + links_of_original / 300, "{writes} transactions");
    if is_postgres {
        assert!(largest_transaction(&world, "content_objects").await <= 500);
        assert!(largest_transaction(&world, "page_links").await <= 300);
    }
    let id: NodeId = copy["id"].as_str().unwrap().parse().unwrap();
    assert_eq!(titles(&tree(&world, id).await), titles(&tree(&world, original).await));
    assert_eq!(count_objects(&world, id).await, count_objects(&world, original).await);
    assert_eq!(count_links(&world, id).await, count_links(&world, original).await);
    let revisions = world.admin.client.call("listRevisions").space(id).expect(200).await;
    assert_eq!(texts(&revisions, "/id"), [copy["revision"].as_str().unwrap()]);
    // The copy of a copy whose pages are not in the index yet.
    let second = duplicate(&world.admin, id).await["id"].as_str().unwrap().to_owned();
    let found = async |space: String| {
        let call = world.admin.client.call("searchSpaceContent").space(space);
        call.query("query", "unique7").expect(200).await["count"].clone()
    };
    assert_eq!(found(id.to_string()).await, 0);
    run_index_jobs(&world).await;
    assert_eq!(found(id.to_string()).await, 1);
    assert_eq!(found(second).await, 1);
}

async fn edits_beside_a_large_copy_are_in_it_or_not(database: TestDatabase) {
    let world = World::new(database).await;
    let book = book();
    let (original, _) = imported(&world, book.path()).await;
    let before = spaces(&world).await;
    let ended = AtomicBool::new(false);
    let copy = async {
        let copy = duplicate(&world.admin, original).await;
        ended.store(true, Ordering::Release);
        copy
    };
    let edits = async {
        let mut made = 0;
        while !ended.load(Ordering::Acquire) && made < 10 {
            let title = format!("Beside {made}");
            let change = json!({ "operation": "insert_page", "title": title, "document": { "markdown": "Kept." } });
            let call = world.admin.client.call("updateSpaceContent").space(original);
            call.json(json!({ "changes": [change] })).expect(200).await;
            made += 1;
        }
        made
    };
    let (copy, edits) = tokio::join!(copy, edits);
    let copied = titles(&tree(&world, copy["id"].as_str().unwrap().parse().unwrap()).await);
    let beside = copied.iter().filter(|title| title.starts_with("Beside "));
    let beside: Vec<&String> = beside.collect();
    // The copy has the edits of one revision: the first ones, without a gap.
    let expected: Vec<String> = (0..beside.len()).map(|number| format!("Beside {number}")).collect();
    assert_eq!(beside, expected.iter().collect::<Vec<_>>());
    assert_eq!(copied.len(), PAGES + beside.len());
    println!("{edits} edits, {} of them in the copy", beside.len());
    assert_eq!(spaces(&world).await.len(), before.len() + 1);
}

async fn nothing_is_copied_for_somebody_who_may_not_create(database: TestDatabase) {
    let world = World::new(database).await;
    let book = book();
    let (original, _) = imported(&world, book.path()).await;
    let before = world.app().kernel.db.writes();
    let call = world.read.client.call("duplicateSpace").space(original);
    call.expect(403).await;
    assert_eq!(world.app().kernel.db.writes(), before);
}

/// Few texts: one with many links, and one that many pages have.
async fn links_are_copied_in_short_transactions(database: TestDatabase) {
    let is_postgres = database.backend() == Backend::Postgres;
    let world = World::new(database).await;
    let original = new_space(&world, "Linked").await;
    let other = new_space(&world, "Target").await;
    let target = add(&world, other, &[("Target", "Here.")]).await["Target"].clone();
    let link = |number: usize| format!("[{number}](/spaces/{other}/pages/{target}#{number})\n\n");
    let many: String = (0..700).map(link).collect();
    add(&world, original, &[("Many", &many)]).await;
    for from in (0..300).step_by(50) {
        let names: Vec<String> = (from..from + 50).map(|number| format!("Same {number}")).collect();
        let same: String = (0..2).map(link).collect();
        let pages: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), same.as_str())).collect();
        add(&world, original, &pages).await;
    }
    let copy = duplicate(&world.admin, original).await;
    let copy = copy["id"].as_str().unwrap().parse().unwrap();
    assert!(count_links(&world, original).await >= 1300);
    assert_eq!(count_links(&world, copy).await, count_links(&world, original).await);
    if is_postgres {
        assert!(largest_transaction(&world, "page_links").await <= 300);
    }
}

async fn a_copy_made_before_the_index_has_the_new_texts_is_found_by_them(database: TestDatabase) {
    let world = World::with(database, |flags| flags.body_limit = Some("1MiB".to_owned())).await;
    let original = new_space(&world, "Edited").await;
    let names: Vec<String> = (0..40).map(|number| format!("Page {number}")).collect();
    let text = |word: &str| format!("{word} {}", "filler ".repeat(400));
    let pages: Vec<(&str, String)> = names.iter().map(|name| (name.as_str(), text("early"))).collect();
    let pages: Vec<(&str, &str)> = pages.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let ids = add(&world, original, &pages).await;
    run_index_jobs(&world).await;
    // More than one transaction indexes.
    let changes = names.iter().map(|name| edit(&ids[name], &text("late"))).collect();
    write(&world, original, changes).await;
    let copy = duplicate(&world.admin, original).await["id"]
        .as_str()
        .unwrap()
        .to_owned();
    run_index_jobs(&world).await;
    for space in [original.to_string(), copy] {
        let call = world.admin.client.call("searchSpaceContent").space(space);
        let found = call.query("query", "late").query("limit", 50).expect(200).await;
        assert_eq!(found["count"], 40);
    }
}
