//! Large texts: read, refused while the server has other large requests, and searched a moment after they are written.

use std::{collections::HashSet, time::Duration};

use bindery::commands::background;
use openapi::work::RequestPermits;
use platform::jobs::Runner;
use rich_text::DocumentLimits;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::support::{
    comments::Place,
    database::{TestDatabase, on_each_database},
    texts::without_title,
    world::World,
};

/// So many of the longest comments have more than a half megabyte.
const MANY: usize = 17;

on_each_database![
    large_texts_are_read_as_nodes,
    texts_may_grow_by_the_ids_of_their_links,
    large_changes_are_searched_after_their_jobs,
    a_large_request_beyond_the_limit_is_refused,
    lists_of_long_comments_are_refused_as_nodes,
];

async fn world(database: TestDatabase) -> World {
    World::with(database, |flags| flags.body_limit = Some("10MiB".to_owned())).await
}

async fn insert(world: &World, title: &str, markdown: &str) -> String {
    let change = json!({ "operation": "insert_page", "title": title, "document": { "markdown": markdown } });
    let call = world
        .admin
        .client
        .call("updateSpaceContent")
        .path("spaceId", world.space);
    let answer = call.json(json!({ "changes": [change] })).expect(200).await;
    answer["changes"][0]["page"]["id"].as_str().unwrap().to_owned()
}

fn keys(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| keys(item, found)),
        Value::Object(members) => {
            if let (Some(_), Some(Value::String(key))) = (members.get("object"), members.get("key")) {
                found.push(key.clone());
            }
            members.values().for_each(|value| keys(value, found));
        }
        _ => {}
    }
}

async fn large_texts_are_read_as_nodes(database: TestDatabase) {
    let world = world(database).await;
    let blocks = 4_000;
    let text: String = (0..blocks)
        .map(|number| format!("## Heading {}\n\n* Item **{number}**\n* same\n\n", number % 7))
        .collect();
    let page = insert(&world, "Large", &text).await;
    let read = |format: &'static str| {
        let call = world.admin.client.call("getPageById").path("spaceId", world.space);
        call.path("pageId", &page).query("format", format).expect(200)
    };
    let answer = read("document").await;
    assert_eq!(answer["title"], "Large");
    let nodes = answer["document"]["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), 2 * blocks);
    assert_eq!(nodes[0]["meta"]["id"], "heading-0");
    assert_eq!(nodes[2 * blocks - 1]["type"], "list-unordered");
    let mut all = Vec::new();
    keys(&answer["document"], &mut all);
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
    let id = answer["documentId"].as_str().unwrap();
    let call = world.admin.client.call("getDocumentById").path("spaceId", world.space);
    let document = call.path("documentId", id).expect(200).await;
    assert_eq!(document, answer["document"]);
    assert_eq!(without_title(&read("markdown").await).trim_end(), text.trim_end());
}

async fn texts_may_grow_by_the_ids_of_their_links(database: TestDatabase) {
    let world = world(database).await;
    insert(&world, "Target", "Here.").await;
    let words = "Words that take up room, and a line. ".repeat(20) + "\n\n";
    let text = "[x](target.md) ".repeat(2_000) + "\n\n" + &words.repeat(620);
    assert!(text.len() < DocumentLimits::MAX_BYTES);
    let page = insert(&world, "Large", &text).await;
    let call = world.admin.client.call("getPageById").path("spaceId", world.space);
    let read = call.path("pageId", &page).expect(200).await;
    let links = &read["document"]["nodes"][0]["nodes"];
    let stored = text.len() + 2_000 * ("/pages/".len() + page.len() - "target.md".len());
    assert!(
        stored > DocumentLimits::MAX_BYTES && links.to_string().contains("\"kind\":\"page\""),
        "{links}"
    );
}

async fn found(world: &World, query: &str) -> usize {
    let call = world
        .admin
        .client
        .call("searchSpaceContent")
        .path("spaceId", world.space);
    let results = call.query("query", query).expect(200).await;
    results["items"].as_array().unwrap().len()
}

async fn large_changes_are_searched_after_their_jobs(database: TestDatabase) {
    let world = world(database).await;
    insert(&world, "Small", "Paragraph about a zebrafish.").await;
    assert_eq!(found(&world, "zebrafish").await, 1);
    let page = insert(&world, "Large", &"Paragraph about a quokka.\n\n".repeat(8_000)).await;
    assert_eq!(found(&world, "quokka").await, 0);
    let app = world.app().clone();
    let mut runner = Runner::new(app.kernel.jobs.clone(), background::kinds(&app, None));
    runner.run_due().await.unwrap();
    assert_eq!(found(&world, "quokka").await, 1);
    // The last content counts, however many jobs are due.
    for text in [
        "Paragraph about a wombat.\n\n".repeat(8_000),
        "Paragraph about an emu.".to_owned(),
    ] {
        let change = json!({ "operation": "update_page", "page": page, "document": { "markdown": text } });
        let call = world
            .admin
            .client
            .call("updateSpaceContent")
            .path("spaceId", world.space);
        call.json(json!({ "changes": [change] })).expect(200).await;
    }
    runner.run_due().await.unwrap();
    assert_eq!((found(&world, "wombat").await, found(&world, "emu").await), (0, 1));
}

async fn a_large_request_beyond_the_limit_is_refused(database: TestDatabase) {
    let world = world(database).await;
    let links: String = (0..600)
        .map(|n| format!("[a](https://tidewater.example/{n}) "))
        .collect();
    let page = insert(&world, "Links", &links).await;
    // Others have as many large requests as there may be.
    let mut others = Vec::new();
    for user in 0..3 {
        loop {
            let other = RequestPermits::new(world.app().kernel.work.clone(), user);
            match timeout(Duration::from_millis(100), other.acquire_large()).await {
                Ok(taken) => taken.unwrap(),
                Err(_) => break,
            }
            others.push(other);
        }
    }
    let change =
        json!({ "operation": "insert_page", "title": "Large", "document": { "markdown": "a ".repeat(100_000) } });
    let call = || {
        world
            .admin
            .client
            .call("updateSpaceContent")
            .path("spaceId", world.space)
    };
    let links = || {
        let call = world.admin.client.call("listPageLinksInSpace");
        call.path("spaceId", world.space).path("pageId", &page)
    };
    let (written, listed) = tokio::join!(call().json(json!({ "changes": [change] })).send(), links().send());
    for answer in [written, listed] {
        assert_eq!(answer.expect(503)["error"]["type"], "overloaded");
        assert!(answer.headers.get("retry-after").is_some());
    }
    // Small requests go on.
    insert(&world, "Small", "a").await;
    drop(others);
    call().json(json!({ "changes": [change] })).expect(200).await;
    links().expect(200).await;
}

async fn lists_of_long_comments_are_refused_as_nodes(database: TestDatabase) {
    let world = world(database).await;
    let long = "word ".repeat(6_500);
    for place in Place::both(&world).await {
        let comment = place.post(&world.admin, &long).await;
        place.repeat(&world, &comment, MANY).await;
        for _ in 0..MANY {
            place.reply(&world.admin, &comment, &long).await;
        }
        for of_replies in [false, true] {
            let list = || match of_replies {
                false => place.call(&world.admin, "listComments"),
                true => place.on(&world.admin, "listCommentReplies", &comment),
            };
            let answer = list().query("format", "document").query("limit", 1000).send().await;
            answer.has_detail("/query/limit", "too-large");
            list().query("limit", 1000).expect(200).await;
            list().query("format", "document").query("limit", 1).expect(200).await;
        }
    }
}
