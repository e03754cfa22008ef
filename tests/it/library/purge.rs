//! Spaces that are removed for good, in steps.

use bindery::areas::library::tree::purge;
use chrono::TimeDelta;
use entity::ids::NodeId;
use sea_orm::{ConnectionTrait, EntityTrait, Statement};
use serde_json::{Value, json};

use crate::support::{
    comments::Place,
    database::{TestDatabase, on_each_database},
    import::{directory, imported, put, run_index_jobs, tree},
    paths::texts,
    steps::interrupt,
    tree::tree_is_right,
    world::World,
};

on_each_database![
    a_purge_goes_on_where_it_was_interrupted,
    a_late_clock_restores_nothing_purged,
    two_servers_purge_at_once,
    collections_go_after_what_they_hold,
];

/// All tables with rows of spaces, each with the most rows that one transaction may delete.
const TABLES: [(&str, i64); 19] = [
    ("content_objects", 500),
    ("page_links", 200),
    ("search_pages", 100),
    ("search_terms", 100),
    ("search_words", 2_000),
    ("search_spaces", 1),
    ("revisions", 200),
    ("space_blobs", 200),
    ("comments", 200),
    ("comment_reactions", 200),
    ("comment_repliers", 200),
    ("comment_reaction_counts", 200),
    ("comment_counts", 200),
    ("commenters", 200),
    ("change_requests", 200),
    ("contributors", 200),
    ("reviews", 200),
    ("permissions", 200),
    ("spaces", 1),
];

/// A world in which nothing is left to purge.
async fn world(database: TestDatabase) -> World {
    let world = World::new(database).await;
    world.clock().advance(TimeDelta::days(8));
    purge::purge(&world.app().kernel).await.unwrap();
    world
}

async fn counts(world: &World) -> Vec<i64> {
    let db = world.app().kernel.db.read();
    let mut counts = Vec::new();
    for (table, _) in TABLES {
        let sql = format!("SELECT count(*) FROM {table}");
        let row = db.query_one_raw(Statement::from_string(db.get_database_backend(), sql));
        counts.push(row.await.unwrap().unwrap().try_get_by_index(0).unwrap());
    }
    counts
}

async fn delete(world: &World, space: NodeId) {
    world
        .admin
        .client
        .call("deleteSpaceById")
        .space(space)
        .expect(204)
        .await;
}

async fn restore(world: &World, space: NodeId) -> u16 {
    world.admin.client.call("restoreSpace").space(space).send().await.status
}

/// A space with much of everything.
async fn large_space(world: &World) -> NodeId {
    let book = directory(&[("picture.png", "no real picture")]);
    for number in 0..700 {
        let words = format!("some words of page {number} word{number} ").repeat(40);
        let text = format!(
            "# Page {number}\n\n{words}\n\n[next](page-{}.md) ![](picture.png)\n",
            (number + 1) % 700
        );
        put(&book, &format!("page-{number}.md"), text.as_bytes());
    }
    let (space, _) = imported(world, book.path()).await;
    let call = |operation: &str| world.admin.client.call(operation).space(space);
    let request = call("createChangeRequest")
        .json(json!({ "subject": "Reviewed" }))
        .expect(201)
        .await;
    let change = json!({ "operation": "insert_page", "title": "In a change request", "document": {} });
    let update = call("updateChangeRequestContent").path("changeRequestId", request["id"].as_str().unwrap());
    update.json(json!({ "changes": [change] })).expect(200).await;
    let review = call("submitChangeRequestReview").path("changeRequestId", request["id"].as_str().unwrap());
    let review = review.json(json!({ "status": "changes-requested", "comment": { "markdown": "Not yet." } }));
    review.send().await;
    let places = [Place::of(space, None), Place::of(space, Some(&request))];
    for place in places {
        let comment = place.post(&world.admin, "First").await;
        place.reply(&world.admin, &comment, "A reply").await;
        place
            .update(&world.admin, &comment, json!({ "addedReactions": ["1f44d"] }))
            .await;
        place.repeat(world, &comment, 300).await;
    }
    space
}

async fn a_purge_goes_on_where_it_was_interrupted(database: TestDatabase) {
    let world = world(database).await;
    let before = counts(&world).await;
    let space = large_space(&world).await;
    let duplicate = world.admin.client.call("duplicateSpace").space(space).expect(201).await;
    let copy: NodeId = duplicate["id"].as_str().unwrap().parse().unwrap();
    run_index_jobs(&world).await;
    let pages = tree(&world, copy).await;
    delete(&world, space).await;
    world.clock().advance(TimeDelta::days(8));
    let mut writes = world.app().kernel.db.writes();
    let (mut left, mut steps) = (counts(&world).await, 0);
    while interrupt(&world.app().kernel.db, 1, purge::purge(&world.app().kernel))
        .await
        .is_none()
    {
        steps += 1;
        let until = world.app().kernel.db.writes();
        let now = counts(&world).await;
        // Of the transactions since the last look, one may be committed that is not counted yet.
        let transactions = i64::try_from(world.app().kernel.db.writes() - writes).unwrap() + 1;
        for (((table, most), before), now) in TABLES.iter().zip(&left).zip(&now) {
            assert!(
                before - now <= transactions * most,
                "{table}: {before} rows, then {now}"
            );
        }
        (left, writes) = (now, until);
        assert_eq!(restore(&world, space).await, 404);
    }
    assert!(steps > 20);
    purge::purge(&world.app().kernel).await.unwrap();
    // The rows that the copy shares with the purged space are still there.
    world.app().kernel.blobs.purge().await.unwrap();
    assert_eq!(tree(&world, copy).await, pages);
    for page in [&pages["pages"][0], &pages["pages"][699]] {
        let call = world.admin.client.call("getPageById").space(copy);
        let call = call.path("pageId", page["id"].as_str().unwrap());
        let read: Value = call.query("format", "markdown").expect(200).await;
        assert!(read["markdown"].as_str().unwrap().contains("some words"));
    }
    let found = world.admin.client.call("searchSpaceContent").space(copy);
    let found = found.query("query", "word699").expect(200).await;
    assert_eq!(texts(&found, "/title"), ["Page 699"]);
    let files = world.admin.client.call("listFiles").space(copy).expect(200).await;
    let url = files["items"][0]["downloadURL"].as_str().unwrap();
    assert_eq!(reqwest::get(url).await.unwrap().status(), 200);
    // With the copy goes everything.
    delete(&world, copy).await;
    world.clock().advance(TimeDelta::days(8));
    purge::purge(&world.app().kernel).await.unwrap();
    for (((table, _), before), now) in TABLES.iter().zip(before).zip(counts(&world).await) {
        assert_eq!(now, before, "{table}");
    }
    tree_is_right(&world.app().kernel.db, "after the purge").await;
}

async fn a_late_clock_restores_nothing_purged(database: TestDatabase) {
    let world = world(database).await;
    let space = large_space(&world).await;
    delete(&world, space).await;
    world.clock().advance(TimeDelta::days(8));
    assert!(
        interrupt(&world.app().kernel.db, 3, purge::purge(&world.app().kernel))
            .await
            .is_none()
    );
    // As on another server.
    world.clock().advance(TimeDelta::days(-5));
    assert_eq!(restore(&world, space).await, 404);
    purge::purge(&world.app().kernel).await.unwrap();
    let row = entity::library::nodes::Entity::find_by_id(space).one(world.app().kernel.db.read());
    assert!(row.await.unwrap().is_none());
}

async fn two_servers_purge_at_once(database: TestDatabase) {
    let world = world(database).await;
    let before = counts(&world).await;
    for _ in 0..2 {
        let space = large_space(&world).await;
        delete(&world, space).await;
    }
    world.clock().advance(TimeDelta::days(8));
    let (one, other) = tokio::join!(purge::purge(&world.app().kernel), purge::purge(&world.app().kernel));
    one.unwrap();
    other.unwrap();
    for (((table, _), before), now) in TABLES.iter().zip(before).zip(counts(&world).await) {
        assert_eq!(now, before, "{table}");
    }
}

async fn collections_go_after_what_they_hold(database: TestDatabase) {
    let world = world(database).await;
    let delete = world.admin.client.call("deleteCollectionById");
    delete.collection(world.collection).expect(204).await;
    world.clock().advance(TimeDelta::days(8));
    let mut steps = 0;
    while interrupt(&world.app().kernel.db, 1, purge::purge(&world.app().kernel))
        .await
        .is_none()
    {
        steps += 1;
        tree_is_right(&world.app().kernel.db, &format!("after {steps} steps")).await;
    }
    assert!(steps > 2);
    for node in [world.collection, world.space] {
        let row = entity::library::nodes::Entity::find_by_id(node).one(world.app().kernel.db.read());
        assert!(row.await.unwrap().is_none());
    }
}
