//! Imports in steps: each is a short transaction, an import that was interrupted goes on, and others write meanwhile.

use std::{
    collections::HashSet,
    sync::atomic::{AtomicBool, Ordering},
};

use bindery::areas::exchange::import::ImportDestination;
use platform::db::Backend;
use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    import::{
        PAGES, attempt, book, count_links, count_objects, imported, largest_transaction, run_index_jobs, tree, wanted,
    },
    paths::texts,
    steps::interrupt,
    world::World,
};

on_each_database![
    an_interrupted_import_goes_on,
    an_interrupted_import_is_not_seen,
    an_import_is_many_short_transactions,
    edits_beside_an_import_are_kept,
];

/// The most objects of one transaction, see `content::objects`.
const OBJECTS: u64 = 500;

async fn an_interrupted_import_goes_on(database: TestDatabase) {
    let world = World::new(database).await;
    let book = book();
    let (whole, _) = imported(&world, book.path()).await;
    let expected = (count_objects(&world, whole).await, count_links(&world, whole).await);

    let call = |operation: &str| world.admin.client.call(operation).space(world.space);
    let changes = json!([{ "operation": "insert_page", "title": "Earlier", "document": {} }]);
    call("updateSpaceContent")
        .json(json!({ "changes": changes }))
        .expect(200)
        .await;
    let before = tree(&world, world.space).await;
    let (mut stored, mut attempts) = (count_objects(&world, world.space).await, 0);
    let beginning = (stored, count_links(&world, world.space).await);
    let report = loop {
        attempts += 1;
        let place = ImportDestination::Space(world.space.to_string());
        let import = attempt(&world, wanted(book.path()), place);
        let done = interrupt(&world.app().kernel.db, 2, import).await;
        // The transaction that was interrupted may be committed, too.
        let now = count_objects(&world, world.space).await;
        assert!(now <= stored + 3 * OBJECTS, "{stored} objects, then {now}");
        stored = now;
        let pages = tree(&world, world.space).await;
        let is_whole = pages["pages"].as_array().unwrap().len() == PAGES;
        assert!(is_whole || pages == before, "a part of the book is seen");
        if let Some(report) = done {
            break report.unwrap();
        }
    };
    println!("{attempts} attempts");
    assert!(attempts > 3);
    assert!(report.written.is_some());
    // Nothing was stored twice.
    assert_eq!(count_links(&world, world.space).await - beginning.1, expected.1);
    assert!(
        stored - beginning.0 <= expected.0 + expected.0 / 10,
        "{stored} objects in place of {}",
        expected.0
    );
    let revisions = call("listRevisions").expect(200).await;
    assert_eq!(revisions["items"][0]["parents"][0], revisions["items"][1]["id"]);
    let events = world.admin.client.call("listOrganizationAuditEvents").here(&world);
    let events = events.query("action", "content.import").query("target", world.space);
    assert_eq!(events.expect(200).await["count"], 1);
    run_index_jobs(&world).await;
    let found = call("searchSpaceContent").query("query", format!("unique{}", PAGES - 1));
    assert_eq!(
        texts(&found.expect(200).await, "/title"),
        [format!("Page {}", PAGES - 1)]
    );
}

async fn an_interrupted_import_is_not_seen(database: TestDatabase) {
    let world = World::new(database).await;
    let book = book();
    let spaces = || async {
        let list = world.admin.client.call("listSpacesInOrganizationById").here(&world);
        texts(&list.query("limit", 1000).expect(200).await, "/title")
    };
    let before = spaces().await;
    for steps in (1..).step_by(2) {
        let place = ImportDestination::New {
            organization: world.organization.to_string(),
            title: "Imported".to_owned(),
        };
        let import = attempt(&world, wanted(book.path()), place);
        if let Some(report) = interrupt(&world.app().kernel.db, steps, import).await {
            report.unwrap();
            break;
        }
        let seen = spaces().await;
        // The pages are added to the search after the space is there.
        if seen.len() > before.len() {
            break;
        }
        assert_eq!(seen, before, "after {steps} steps");
    }
    let list = world.admin.client.call("listSpacesInOrganizationById").here(&world);
    let list = list.query("limit", 1000).expect(200).await;
    let made: Vec<&Value> = list["items"].as_array().unwrap().iter().collect();
    let made = made.into_iter().find(|space| space["title"] == "Imported").unwrap();
    let call = world.admin.client.call("listPages").space(made["id"].as_str().unwrap());
    assert_eq!(call.expect(200).await["pages"].as_array().unwrap().len(), PAGES);
}

async fn an_import_is_many_short_transactions(database: TestDatabase) {
    let is_postgres = database.backend() == Backend::Postgres;
    let world = World::new(database).await;
    let book = book();
    let db = &world.app().kernel.db;
    let (writes, statements) = (db.writes(), db.statements());
    let (space, _) = imported(&world, book.path()).await;
    let (writes, statements) = (db.writes() - writes, db.statements() - statements);
    let rows = count_objects(&world, space).await;
    println!("{rows} objects, {writes} transactions, {statements} statements");
    // Objects with all texts in steps of 256 KiB, links in steps of 300, search entries of 16 pages each.
    assert!(writes > 5 + 3 + PAGES as u64 / 16, "{writes} transactions");
    // Only PostgreSQL tells which transaction wrote a row.
    if is_postgres {
        assert!(largest_transaction(&world, "content_objects").await <= 500);
        assert!(largest_transaction(&world, "page_links").await <= 300);
        assert!(largest_transaction(&world, "search_pages").await <= 50);
    }
}

async fn edits_beside_an_import_are_kept(database: TestDatabase) {
    let world = World::new(database).await;
    let book = book();
    let ended = AtomicBool::new(false);
    let import = async {
        let place = ImportDestination::Space(world.space.to_string());
        let report = attempt(&world, wanted(book.path()), place).await.unwrap();
        ended.store(true, Ordering::Release);
        report.written.unwrap().1.to_string()
    };
    let edits = async {
        let mut made: Vec<(String, String)> = Vec::new();
        while !ended.load(Ordering::Acquire) || made.len() < 3 {
            let title = format!("Beside {}", made.len());
            let change = json!({ "operation": "insert_page", "title": title, "document": { "markdown": "Kept." } });
            let call = world.edit.client.call("updateSpaceContent").space(world.space);
            let answer = call.json(json!({ "changes": [change] })).expect(200).await;
            made.push((title, answer["revision"].as_str().unwrap().to_owned()));
        }
        made
    };
    let (import, edits) = tokio::join!(import, edits);
    let list = world.admin.client.call("listRevisions").space(world.space);
    let revisions = list.query("limit", 1000).expect(200).await;
    let history = texts(&revisions, "/id");
    let parents = texts(&revisions, "/parents/0");
    // One after the other, and each answered edit is one of them.
    assert_eq!(parents[..parents.len() - 1], history[1..]);
    let import = history.iter().position(|revision| *revision == import).unwrap();
    let pages = tree(&world, world.space).await;
    let pages: HashSet<&str> = pages["pages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|page| page["title"].as_str().unwrap())
        .collect();
    for (title, revision) in &edits {
        let at = history.iter().position(|known| known == revision);
        let at = at.unwrap_or_else(|| panic!("{title} is not in the history"));
        // The import replaced the edits before it, and the edits after it are there.
        assert_eq!(pages.contains(title.as_str()), at < import, "{title}");
    }
    println!("{} edits, {import} of them after the import", edits.len());
}
