//! Pages of lists whose items are long: they have fewer items, and the next page goes on where they end.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    world::World,
};

on_each_database![
    a_page_of_long_comments_ends_early,
    a_page_of_long_notes_ends_early,
    bodies_have_the_limit_of_their_operation,
];

/// Stored bytes after which a page ends.
const MAX_BYTES: usize = 1024 * 1024;

async fn world(database: TestDatabase) -> World {
    World::with(database, |flags| flags.body_limit = Some("10MiB".to_owned())).await
}

/// All pages of a list, each with the ids of its items. They have all items, each once.
async fn pages(world: &World, operation: &'static str) -> Vec<Vec<String>> {
    let mut pages: Vec<Vec<String>> = Vec::new();
    let mut next = None::<String>;
    loop {
        let mut call = world.admin.client.call(operation).path("spaceId", world.space);
        call = call.query("limit", 1000);
        if let Some(next) = &next {
            call = call.query("page", next);
        }
        let answer = call.expect(200).await;
        let items = answer["items"].as_array().unwrap().iter();
        pages.push(items.map(|item| item["id"].to_string()).collect());
        next = answer["next"]["page"].as_str().map(str::to_owned);
        if next.is_none() {
            let all = pages.iter().flatten();
            assert_eq!(answer["count"], all.clone().count());
            assert_eq!(answer["count"], all.collect::<HashSet<_>>().len());
            return pages;
        }
    }
}

async fn a_page_of_long_comments_ends_early(database: TestDatabase) {
    const COMMENTS: usize = 40;
    let world = world(database).await;
    let text = "a".repeat(32_000);
    for _ in 0..COMMENTS {
        let call = world
            .admin
            .client
            .call("postCommentInSpace")
            .path("spaceId", world.space);
        call.json(json!({ "body": { "markdown": text } })).expect(200).await;
    }
    let pages = pages(&world, "listCommentsInSpace").await;
    assert_eq!(pages[0].len(), MAX_BYTES / text.len() + 1);
}

async fn a_page_of_long_notes_ends_early(database: TestDatabase) {
    const REQUESTS: usize = 8;
    let world = world(database).await;
    let paragraph = |text: String| {
        let leaves = json!([{ "object": "leaf", "text": text, "marks": [] }]);
        json!({ "object": "block", "type": "paragraph", "data": {}, "nodes": [{ "object": "text", "leaves": leaves }] })
    };
    let nodes: Vec<Value> = (0..20).map(|_| paragraph("a".repeat(9_000))).collect();
    for number in 0..REQUESTS {
        let request = world.change_request(&world.admin, &format!("Request {number}")).await;
        let description = json!({ "object": "document", "data": {}, "nodes": nodes });
        let patch = json!({ "description": description, "status": "open" });
        world.patch(&request, patch).await;
    }
    let pages = pages(&world, "listChangeRequestsForSpace").await;
    assert!((2..REQUESTS).contains(&pages[0].len()), "{pages:?}");
}

async fn bodies_have_the_limit_of_their_operation(database: TestDatabase) {
    let world = world(database).await;
    let call = world.admin.client.call("updateSpaceById").path("spaceId", world.space);
    let refused = call.json(json!({ "title": "a".repeat(262_144) })).expect(413).await;
    assert_eq!(refused["error"]["message"], "The body is larger than 262144 bytes.");
    let call = world
        .admin
        .client
        .call("updateSpaceContent")
        .path("spaceId", world.space);
    let change =
        json!({ "operation": "insert_page", "title": "Long", "document": { "markdown": "a".repeat(300_000) } });
    call.json(json!({ "changes": [change] })).expect(200).await;
}
