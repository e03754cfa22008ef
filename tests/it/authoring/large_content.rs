//! Spaces whose pages together are large, though each of them is small.

use entity::{content::revisions, ids::RevisionId};
use futures_util::future::join_all;
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use crate::support::{
    client::Call,
    content::leave_room,
    database::{TestDatabase, on_each_database},
    requests::request_id,
    texts::{delete, write},
    world::World,
};

on_each_database![
    readers_of_large_content_take_turns,
    content_of_the_maximum_size_can_only_shrink,
    sides_that_are_too_large_together_are_not_merged,
    a_side_of_a_conflict_that_is_too_large_is_not_taken,
];

/// The longest description, in characters of four bytes.
fn description() -> String {
    "\u{1f600}".repeat(5000)
}

async fn world(database: TestDatabase) -> World {
    World::with(database, |flags| flags.body_limit = Some("10MiB".to_owned())).await
}

async fn insert(world: &World, pages: impl Iterator<Item = Value>) {
    let mut pages: Vec<Value> = pages.collect();
    for page in &mut pages {
        page["operation"] = json!("insert_page");
        page["document"] = json!({ "markdown": "Everything about grippers." });
    }
    let call = world
        .admin
        .client
        .call("updateSpaceContent")
        .path("spaceId", world.space);
    call.json(json!({ "changes": pages })).expect(200).await;
}

/// Each of them is large, and more of them come at once than one user may have.
async fn readers_of_large_content_take_turns(database: TestDatabase) {
    const PAGES: usize = 300;
    let world = world(database).await;
    for from in (0..PAGES).step_by(50) {
        let page = |number| json!({ "title": format!("Page {number}"), "description": description() });
        insert(&world, (from..from + 50).map(page)).await;
    }
    let answers = join_all((0..6).map(async |_| {
        let call = world.admin.client.call("listPages").path("spaceId", world.space);
        call.expect(200).await
    }));
    for answer in answers.await {
        let pages = answer["pages"].as_array().unwrap();
        let described = pages.iter().filter(|page| page["description"] == description());
        assert_eq!(described.count(), PAGES);
    }
}

/// A change that takes a little more than the bytes of its description.
fn page(title: &str, bytes: usize) -> Value {
    let text = json!({ "markdown": "" });
    json!({ "operation": "insert_page", "title": title, "ref": title, "description": "x".repeat(bytes), "document": text })
}

fn described(page: &str, description: &str) -> Value {
    json!({ "operation": "update_page", "page": page, "description": description })
}

fn in_space<'w>(world: &'w World, operation: &str) -> Call<'w> {
    world.admin.client.call(operation).path("spaceId", world.space)
}

fn in_request<'w>(world: &'w World, operation: &str, request: &Value) -> Call<'w> {
    in_space(world, operation).path("changeRequestId", request_id(request))
}

fn change(call: Call<'_>, changes: impl Into<Vec<Value>>) -> Call<'_> {
    call.json(json!({ "changes": changes.into() }))
}

async fn is_too_large(call: Call<'_>) {
    assert_eq!(call.expect(409).await["error"]["type"], "content-too-large");
}

async fn content_of_the_maximum_size_can_only_shrink(database: TestDatabase) {
    let world = World::new(database).await;
    let made = write(&world, world.space, vec![page("One", 0), page("Two", 0)]).await;
    let current = in_space(&world, "getCurrentRevision").expect(200).await;
    let row = revisions::Entity::find_by_id(current["id"].as_str().unwrap().parse::<RevisionId>().unwrap());
    let row = row.one(world.app().kernel.db.read()).await.unwrap().unwrap();
    let bytes = row.snapshot["bytes"].as_u64().unwrap();
    assert!((200..2000).contains(&bytes), "{bytes}");
    leave_room(world.app(), world.admin.id, world.space, 10).await;
    let three = || change(in_space(&world, "updateSpaceContent"), [page("Three", 0)]);
    is_too_large(three()).await;
    let template = json!({ "id": "builtin:handbook" });
    is_too_large(in_space(&world, "applyTemplateToSpace").json(template.clone())).await;
    is_too_large(in_space(&world, "createChangeRequest").json(json!({ "template": template }))).await;
    let request = world.change_request(&world.admin, "Three").await;
    is_too_large(change(
        in_request(&world, "updateChangeRequestContent", &request),
        [page("Three", 0)],
    ))
    .await;
    let shorter = change(in_space(&world, "updateSpaceContent"), [delete(&made["Two"])]);
    shorter.expect(200).await;
    three().expect(200).await;
    // An earlier revision is restored, because its size was accepted then.
    let restore = in_space(&world, "restoreRevision").path("revisionId", current["id"].as_str().unwrap());
    restore.expect(201).await;
}

async fn sides_that_are_too_large_together_are_not_merged(database: TestDatabase) {
    let world = World::new(database).await;
    leave_room(world.app(), world.admin.id, world.space, 1000).await;
    let request = world.change_request(&world.admin, "Mine").await;
    change(
        in_request(&world, "updateChangeRequestContent", &request),
        [page("Mine", 400)],
    )
    .expect(200)
    .await;
    let theirs = write(&world, world.space, vec![page("Theirs", 400)]).await;
    is_too_large(in_request(&world, "mergeChangeRequest", &request)).await;
    is_too_large(in_request(&world, "updateChangeRequest", &request)).await;
    write(&world, world.space, vec![delete(&theirs["Theirs"])]).await;
    let merged = in_request(&world, "mergeChangeRequest", &request).expect(200).await;
    assert_eq!(merged["result"], "merge");
}

async fn a_side_of_a_conflict_that_is_too_large_is_not_taken(database: TestDatabase) {
    let world = World::new(database).await;
    let made = write(&world, world.space, vec![page("Shared", 0)]).await;
    leave_room(world.app(), world.admin.id, world.space, 1000).await;
    let request = world.change_request(&world.admin, "Mine").await;
    let mine = vec![described(&made["Shared"], "Mine"), page("Mine", 400)];
    change(in_request(&world, "updateChangeRequestContent", &request), mine)
        .expect(200)
        .await;
    write(&world, world.space, vec![described(&made["Shared"], &"x".repeat(600))]).await;
    let merged = in_request(&world, "mergeChangeRequest", &request).expect(200).await;
    assert_eq!(merged["result"], "conflicts");
    let resolve = |side: &str| {
        let call = in_request(&world, "resolveChangeRequestConflict", &request).path("conflictId", &made["Shared"]);
        call.json(json!({ "resolution": side }))
    };
    is_too_large(resolve("theirs")).await;
    resolve("ours").expect(200).await;
}
