//! What comments are on.

use serde_json::{Value, json};

use crate::support::{
    comments::Place,
    database::{TestDatabase, on_each_database},
    world::World,
};

on_each_database![
    a_comment_is_on_a_page_or_a_part_of_it,
    missing_targets_cannot_be_commented_on,
    the_target_stays_when_the_block_is_gone,
    a_change_request_is_commented_on_as_it_is,
];

const TEXT: &str = "Tighten it.\n\n| Set | Torque |\n| --- | --- |\n| Long | 2.4 |\n| Short | 2.1 |\n\n* One\n* Two\n";

/// A page with a text, a table and a list.
async fn page(world: &World, place: &str, operation: &str) -> String {
    let changes = json!([{ "operation": "insert_page", "title": "Torque", "document": { "markdown": TEXT } }]);
    let call = world.admin.client.call(operation).space(world.space);
    let call = match place {
        "" => call,
        request => call.path("changeRequestId", request).query("compat", "false"),
    };
    let written = call.json(json!({ "changes": changes })).expect(200).await;
    written["changes"][0]["page"]["id"].as_str().unwrap().to_owned()
}

/// The nodes of a page of the space.
async fn blocks(world: &World, page: &str) -> Vec<Value> {
    let read = world
        .admin
        .client
        .call("getPageById")
        .space(world.space)
        .path("pageId", page);
    let read = read.query("format", "document").expect(200).await;
    read["document"]["nodes"].as_array().unwrap().clone()
}

async fn a_comment_is_on_a_page_or_a_part_of_it(database: TestDatabase) {
    let world = World::new(database).await;
    let page = page(&world, "", "updateSpaceContent").await;
    let blocks = blocks(&world, &page).await;
    let of_kind = |kind: &str| blocks.iter().find(|block| block["type"] == kind).unwrap();
    let (paragraph, table) = (of_kind("paragraph"), of_kind("table"));
    let item = &of_kind("list-unordered")["nodes"][1];
    let cell = json!({ "record": "r00002", "definition": "c002" });
    let [space, request] = Place::both(&world).await;
    for place in [space, request] {
        for (body, expected) in [
            (json!({}), json!({})),
            (json!({ "page": page }), json!({ "page": { "id": page } })),
            (
                json!({ "page": page, "node": paragraph["key"] }),
                json!({ "page": { "id": page }, "node": { "id": paragraph["key"] } }),
            ),
            (
                json!({ "page": page, "node": item["key"] }),
                json!({ "page": { "id": page }, "node": { "id": item["key"] } }),
            ),
            (
                json!({ "page": page, "node": table["key"], "tableCell": cell }),
                json!({ "page": { "id": page }, "node": { "id": table["key"] }, "tableCell": cell }),
            ),
            (
                json!({ "page": page, "tableCell": cell }),
                json!({ "page": { "id": page }, "tableCell": cell }),
            ),
        ] {
            let mut body = body;
            body["body"] = json!({ "markdown": "Here" });
            let made = place.post_body(&world.comment, body).await;
            let mut target = made["target"].as_object().unwrap().clone();
            let known = ["space", "revision", "changeRequest"];
            target.retain(|name, _| !known.contains(&name.as_str()));
            assert_eq!(Value::Object(target), expected);
            assert_eq!(place.read(&world.read, &made).await["target"], made["target"]);
        }
    }
}

async fn missing_targets_cannot_be_commented_on(database: TestDatabase) {
    let world = World::new(database).await;
    let page = page(&world, "", "updateSpaceContent").await;
    let blocks = blocks(&world, &page).await;
    let key = |kind: &str| blocks.iter().find(|block| block["type"] == kind).unwrap()["key"].clone();
    let leaf = blocks[0]["nodes"][0]["key"].clone();
    let cell = |record: &str, definition: &str| json!({ "record": record, "definition": definition });
    let good = cell("r00001", "c001");
    let empty = world.own("pageId");
    for place in Place::both(&world).await {
        for (body, pointer, code) in [
            (json!({ "page": "x" }), "/body/page", "unknown"),
            (json!({ "page": world.foreign("pageId") }), "/body/page", "unknown"),
            (
                json!({ "page": world.foreign("pageId"), "node": "x" }),
                "/body/page",
                "unknown",
            ),
            (json!({ "page": page, "node": "x" }), "/body/node", "unknown"),
            // A text is no block, and a block of another page is none of this one.
            (json!({ "page": page, "node": leaf }), "/body/node", "unknown"),
            (json!({ "page": empty, "node": key("table") }), "/body/node", "unknown"),
            (json!({ "node": key("table") }), "/body/page", "page-left-out"),
            (json!({ "tableCell": good }), "/body/page", "page-left-out"),
            (
                json!({ "page": page, "tableCell": cell("r00003", "c001") }),
                "/body/tableCell",
                "unknown",
            ),
            (
                json!({ "page": page, "tableCell": cell("r00001", "c003") }),
                "/body/tableCell",
                "unknown",
            ),
            (
                json!({ "page": page, "node": key("paragraph"), "tableCell": good }),
                "/body/tableCell",
                "unknown",
            ),
            (
                json!({ "page": empty, "tableCell": good }),
                "/body/tableCell",
                "unknown",
            ),
        ] {
            let mut body = body;
            body["body"] = json!({ "markdown": "Nowhere" });
            let answer = place.call(&world.comment, "postComment").json(body).send().await;
            answer.has_detail(pointer, code);
        }
        let list = place
            .call(&world.read, "listComments")
            .query("authors", world.comment.id);
        assert_eq!(list.expect(200).await["count"], 0);
    }
}

async fn the_target_stays_when_the_block_is_gone(database: TestDatabase) {
    let world = World::new(database).await;
    let page = page(&world, "", "updateSpaceContent").await;
    let key = blocks(&world, &page).await[0]["key"].clone();
    let place = Place::space(&world);
    let body = json!({ "page": page, "node": key, "body": { "markdown": "Really?" } });
    let comment = place.post_body(&world.comment, body.clone()).await;
    let change = async |change: Value| {
        let call = world.admin.client.call("updateSpaceContent").space(world.space);
        call.json(json!({ "changes": [change] })).expect(200).await
    };
    change(json!({ "operation": "update_page", "page": page, "document": { "markdown": "All new." } })).await;
    place.call(&world.comment, "postComment").json(body).expect(400).await;
    assert_eq!(place.read(&world.comment, &comment).await, comment);
    change(json!({ "operation": "delete_page", "page": page })).await;
    assert_eq!(place.read(&world.comment, &comment).await, comment);
    let list = place.call(&world.comment, "listComments").query("targetPage", &page);
    assert_eq!(list.expect(200).await, json!({ "count": 1, "items": [comment] }));
    // The revision that the target names still has the block.
    let then = world.read.client.call("getPageInRevisionById").space(world.space);
    let then = then.path("revisionId", comment["target"]["revision"].as_str().unwrap());
    let then = then.path("pageId", &page).query("format", "document").expect(200).await;
    assert_eq!(then["document"]["nodes"][0]["key"], key);
}

async fn a_change_request_is_commented_on_as_it_is(database: TestDatabase) {
    let world = World::new(database).await;
    let request = world.change_request(&world.edit, "New page").await;
    let id = request["id"].as_str().unwrap();
    let page = page(&world, id, "updateChangeRequestContent").await;
    let now = world.read_request(&request).await;
    let body = json!({ "page": page, "body": { "markdown": "Nice" } });
    let place = Place::request(&world, &request);
    let comment = place.post_body(&world.comment, body.clone()).await;
    assert_eq!(comment["target"]["revision"], now["revision"]);
    // The space has no such page.
    let answer = Place::space(&world)
        .call(&world.comment, "postComment")
        .json(body)
        .send()
        .await;
    answer.has_detail("/body/page", "unknown");
}
