//! Change requests and their spaces, brought together.

use serde_json::{Value, json};

use crate::support::{
    client::Call,
    database::{TestDatabase, on_each_database},
    texts::without_title,
    world::World,
};

on_each_database![
    compatible_edits_are_merged,
    an_update_pulls_in_what_combines,
    archived_change_requests_are_updated_but_not_merged,
    conflicts_are_recorded_and_resolved,
    changing_the_page_ends_its_conflict,
    two_merges_at_once_lose_nothing,
    merging_nothing_makes_no_revision,
    concurrent_writers_lose_nothing,
];

/// Who writes into one change request at once.
const WRITERS: usize = 32;

fn at<'w>(call: Call<'w>, world: &World, request: &Value) -> Call<'w> {
    let call = call.path("spaceId", world.space);
    call.path("changeRequestId", request["id"].as_str().unwrap())
}

async fn write(world: &World, changes: Value) -> Value {
    let call = world
        .edit
        .client
        .call("updateSpaceContent")
        .path("spaceId", world.space);
    call.json(json!({ "changes": changes })).expect(200).await
}

async fn propose(world: &World, request: &Value, changes: Value) -> Value {
    let call = at(world.edit.client.call("updateChangeRequestContent"), world, request).query("compat", "false");
    call.json(json!({ "changes": changes })).expect(200).await
}

async fn page(world: &World, text: &str) -> String {
    let changes = json!([{ "operation": "insert_page", "title": "Shared", "document": { "markdown": text } }]);
    write(world, changes).await["changes"][0]["page"]["id"]
        .as_str()
        .unwrap()
        .to_owned()
}

fn text(page: &str, markdown: &str) -> Value {
    json!([{ "operation": "update_page", "page": page, "document": { "markdown": markdown } }])
}

async fn live(world: &World, page: &str) -> Value {
    let call = world.read.client.call("getPageById").path("spaceId", world.space);
    let mut page = call.path("pageId", page).query("format", "markdown").expect(200).await;
    page["markdown"] = without_title(&page).into();
    page
}

async fn compatible_edits_are_merged(database: TestDatabase) {
    let world = World::new(database).await;
    let id = page(&world, "One.\n\nTwo.\n\nThree.").await;
    let request = world.change_request(&world.edit, "Better").await;
    propose(&world, &request, text(&id, "One!\n\nTwo.\n\nThree.")).await;
    assert_eq!(live(&world, &id).await["markdown"], "One.\n\nTwo.\n\nThree.");
    let rename = json!([{ "operation": "update_page", "page": id, "title": "Renamed" }]);
    write(&world, rename).await;
    write(&world, text(&id, "One.\n\nTwo.\n\nThree!")).await;
    let outdated = at(world.edit.client.call("getChangeRequestById"), &world, &request)
        .expect(200)
        .await;
    assert_eq!(outdated["outdated"], true);
    assert_eq!((outdated.get("mergedAt"), outdated.get("mergedBy")), (None, None));
    let merged = at(world.review.client.call("mergeChangeRequest"), &world, &request)
        .expect(200)
        .await;
    assert_eq!(merged["result"], "merge");
    let page = live(&world, &id).await;
    assert_eq!(page["markdown"], "One!\n\nTwo.\n\nThree!");
    assert_eq!(page["title"], "Renamed");
    let after = at(world.edit.client.call("getChangeRequestById"), &world, &request)
        .expect(200)
        .await;
    assert_eq!(
        (&after["status"], &after["revisionMerged"]),
        (&json!("merged"), &merged["revision"])
    );
    assert_eq!(
        (&after["mergedAt"], &after["mergedBy"]["id"]),
        (&after["updatedAt"], &json!(world.review.id))
    );
    at(world.review.client.call("mergeChangeRequest"), &world, &request)
        .expect(409)
        .await;
    // An update of what is merged changes nothing.
    let update = at(world.edit.client.call("updateChangeRequest"), &world, &request);
    assert_eq!(
        update.expect(200).await,
        json!({ "revision": after["revision"], "result": "update" })
    );
    let unchanged = at(world.edit.client.call("getChangeRequestById"), &world, &request);
    assert_eq!(unchanged.expect(200).await, after);
    let revision = world
        .read
        .client
        .call("getCurrentRevision")
        .path("spaceId", world.space);
    let revision = revision.expect(200).await;
    assert_eq!(
        (&revision["type"], &revision["mergedFrom"]["id"]),
        (&json!("merge"), &request["id"])
    );
}

/// The Markdown of a page in a change request.
async fn proposed(world: &World, request: &Value, page: &str) -> Value {
    let call = at(world.edit.client.call("getPageInChangeRequestById"), world, request);
    let call = call.path("pageId", page).query("format", "markdown");
    without_title(&call.expect(200).await).into()
}

async fn an_update_pulls_in_what_combines(database: TestDatabase) {
    let world = World::new(database).await;
    let id = page(&world, "One.\n\nTwo.").await;
    let request = world.change_request(&world.edit, "Better").await;
    propose(&world, &request, text(&id, "One!\n\nTwo.")).await;
    write(&world, text(&id, "One.\n\nTwo!")).await;
    let updated = at(world.edit.client.call("updateChangeRequest"), &world, &request)
        .expect(200)
        .await;
    assert_eq!(updated["result"], "update");
    assert_eq!(proposed(&world, &request, &id).await, "One!\n\nTwo!");
    assert_eq!(live(&world, &id).await["markdown"], "One.\n\nTwo!");
    let now = at(world.edit.client.call("getChangeRequestById"), &world, &request)
        .expect(200)
        .await;
    assert_eq!(now["outdated"], false);
    assert_eq!(now["revision"], updated["revision"]);
    // What it changes is what differs from the space now.
    let changes = at(world.edit.client.call("getChangeRequestChanges"), &world, &request)
        .expect(200)
        .await;
    assert_eq!(changes["changes"].as_array().unwrap().len(), 1, "{changes}");
    let again = at(world.edit.client.call("updateChangeRequest"), &world, &request)
        .expect(200)
        .await;
    assert_eq!(again["revision"], updated["revision"]);
}

async fn archived_change_requests_are_updated_but_not_merged(database: TestDatabase) {
    let world = World::new(database).await;
    let id = page(&world, "One.\n\nTwo.").await;
    let request = world.change_request(&world.edit, "Later").await;
    propose(&world, &request, text(&id, "One!\n\nTwo.")).await;
    world.patch(&request, json!({ "status": "archived" })).await;
    write(&world, text(&id, "One.\n\nTwo!")).await;
    let updated = at(world.edit.client.call("updateChangeRequest"), &world, &request)
        .expect(200)
        .await;
    assert_eq!(updated["result"], "update");
    assert_eq!(proposed(&world, &request, &id).await, "One!\n\nTwo!");
    let merge = at(world.review.client.call("mergeChangeRequest"), &world, &request);
    assert_eq!(merge.expect(409).await["error"]["type"], "change-request-archived");
}

/// A change request that has changed the same line as the space.
async fn in_conflict(world: &World) -> (Value, String) {
    let id = page(world, "One.").await;
    let request = world.change_request(&world.edit, "Mine").await;
    propose(world, &request, text(&id, "Mine.")).await;
    write(world, text(&id, "Theirs.")).await;
    let merged = at(world.review.client.call("mergeChangeRequest"), world, &request)
        .expect(200)
        .await;
    assert_eq!(merged["result"], "conflicts");
    assert_eq!(live(world, &id).await["markdown"], "Theirs.");
    (request, id)
}

async fn conflicts_are_recorded_and_resolved(database: TestDatabase) {
    let world = World::new(database).await;
    let (request, id) = in_conflict(&world).await;
    let conflicts = at(world.edit.client.call("listChangeRequestConflicts"), &world, &request)
        .expect(200)
        .await;
    assert_eq!(conflicts["count"], 1);
    assert_eq!(
        (&conflicts["items"][0]["page"], &conflicts["items"][0]["kind"]),
        (&json!(id), &json!("edit-edit"))
    );
    assert_eq!(conflicts["items"][0]["id"], json!(id));
    let address = conflicts["items"][0]["urls"]["resolve"].as_str().unwrap();
    let end = format!(
        "/change-requests/{}/conflicts/{id}/resolve",
        request["id"].as_str().unwrap()
    );
    assert!(address.ends_with(&end), "{address}");
    // It stays in conflict until somebody decides.
    let merged = at(world.review.client.call("mergeChangeRequest"), &world, &request)
        .expect(200)
        .await;
    assert_eq!(merged["result"], "conflicts");
    let theirs = json!({ "resolution": "theirs" });
    let resolve = at(world.edit.client.call("resolveChangeRequestConflict"), &world, &request);
    resolve.path("conflictId", &id).json(theirs.clone()).expect(200).await;
    let again = at(world.edit.client.call("resolveChangeRequestConflict"), &world, &request);
    again.path("conflictId", &id).json(theirs).expect(404).await;
    let own = at(world.edit.client.call("getPageInChangeRequestById"), &world, &request).path("pageId", &id);
    let own = own.query("format", "markdown").expect(200).await;
    assert_eq!(without_title(&own), "Theirs.");
    let merged = at(world.review.client.call("mergeChangeRequest"), &world, &request)
        .expect(200)
        .await;
    assert_eq!(merged["result"], "merge");
    assert_eq!(live(&world, &id).await["markdown"], "Theirs.");
}

async fn changing_the_page_ends_its_conflict(database: TestDatabase) {
    let world = World::new(database).await;
    let (request, id) = in_conflict(&world).await;
    propose(&world, &request, text(&id, "Mine and theirs.")).await;
    let conflicts = at(world.edit.client.call("listChangeRequestConflicts"), &world, &request)
        .expect(200)
        .await;
    assert_eq!(conflicts["count"], 0);
    let merged = at(world.review.client.call("mergeChangeRequest"), &world, &request)
        .expect(200)
        .await;
    assert_eq!(merged["result"], "merge");
    assert_eq!(live(&world, &id).await["markdown"], "Mine and theirs.");
}

async fn two_merges_at_once_lose_nothing(database: TestDatabase) {
    let world = World::new(database).await;
    let id = page(&world, "One.\n\nTwo.\n\nThree.").await;
    let mut requests = Vec::new();
    for changed in ["One!\n\nTwo.\n\nThree.", "One.\n\nTwo.\n\nThree!"] {
        let request = world.change_request(&world.edit, "Changed").await;
        propose(&world, &request, text(&id, changed)).await;
        requests.push(request);
    }
    let merges = requests
        .iter()
        .map(|request| at(world.review.client.call("mergeChangeRequest"), &world, request).expect(200));
    for merged in futures_util::future::join_all(merges).await {
        assert_eq!(merged["result"], "merge");
    }
    assert_eq!(live(&world, &id).await["markdown"], "One!\n\nTwo.\n\nThree!");
}

async fn merging_nothing_makes_no_revision(database: TestDatabase) {
    let world = World::new(database).await;
    let before = world
        .read
        .client
        .call("getCurrentRevision")
        .path("spaceId", world.space);
    let before = before.expect(200).await["id"].clone();
    let request = world.change_request(&world.edit, "Nothing").await;
    let merged = at(world.review.client.call("mergeChangeRequest"), &world, &request)
        .expect(200)
        .await;
    assert_eq!((&merged["result"], &merged["revision"]), (&json!("merge"), &before));
}

async fn concurrent_writers_lose_nothing(database: TestDatabase) {
    let world = World::new(database).await;
    let request = world.change_request(&world.edit, "Together").await;
    let request = request["id"].as_str().unwrap();
    let writers = (0..WRITERS).map(|number| {
        let changes = json!([{ "operation": "insert_page", "title": format!("Writer {number}"), "document": {} }]);
        let call = world
            .edit
            .client
            .call("updateChangeRequestContent")
            .path("spaceId", world.space);
        let call = call.path("changeRequestId", request);
        call.json(json!({ "changes": changes })).expect(200)
    });
    futures_util::future::join_all(writers).await;
    let pages = world
        .edit
        .client
        .call("listPagesInChangeRequest")
        .path("spaceId", world.space);
    let pages = pages.path("changeRequestId", request).expect(200).await;
    let written = pages["pages"].as_array().unwrap().iter();
    let written = written.filter(|page| page["title"].as_str().unwrap().starts_with("Writer"));
    assert_eq!(written.count(), WRITERS);
}
