//! What versions of specifications changed.

use serde_json::{Value, json};

use crate::support::{
    client::Call,
    database::{TestDatabase, on_each_database},
    specs::{document, world_with_sources},
    world::World,
};

on_each_database![
    versions_are_compared_with_the_one_before,
    any_two_versions_are_compared,
    an_answer_that_was_kept_is_not_made_again,
    versions_of_others_are_unknown,
    the_contract_is_compared_with_a_changed_one,
];

/// A source in which the operation of [`document`] is gone, or has a limit.
fn changed(maximum: Option<u32>) -> Value {
    let mut source: Value = serde_json::from_str(&document("Pets")).unwrap();
    match maximum {
        Some(maximum) => {
            let limit = json!({ "name": "limit", "in": "query", "schema": { "type": "integer", "maximum": maximum } });
            source["paths"]["/pets"]["get"]["parameters"] = json!([limit]);
        }
        None => source["paths"] = json!({}),
    }
    json!({ "text": source.to_string() })
}

/// Makes a version, and returns its id.
async fn version(world: &World, source: Value) -> String {
    let spec = world.process_source("pets", source).await;
    spec["lastVersion"].as_str().unwrap().to_owned()
}

fn changes<'w>(world: &'w World, version: &str) -> Call<'w> {
    let call = world.spec_call("getOpenAPISpecVersionChanges", "pets");
    call.path("versionId", version)
}

async fn versions_are_compared_with_the_one_before(database: TestDatabase) {
    let world = World::new(database).await;
    let first = version(&world, json!({ "text": document("Pets") })).await;
    let expected = json!({ "object": "openapi-spec-changes", "version": first, "impact": "compatible", "complete": true, "count": 0, "changes": [] });
    assert_eq!(changes(&world, &first).expect(200).await, expected);
    let second = version(&world, changed(Some(10))).await;
    let detail = json!({
        "rule": "parameter", "type": "added", "pointer": "/paths/~1pets/get/parameters/0", "impact": "compatible",
        "message": "There is another parameter, `limit` (query).",
    });
    let change = json!({
        "subject": "operation", "type": "changed", "name": "/pets", "method": "get", "impact": "compatible", "count": 1,
        "details": [detail],
    });
    let expected = json!({
        "object": "openapi-spec-changes", "since": first, "version": second, "impact": "compatible", "complete": true, "count": 1,
        "changes": [change],
    });
    assert_eq!(changes(&world, &second).expect(200).await, expected);
    let third = version(&world, changed(None)).await;
    let answer = changes(&world, &third).expect(200).await;
    let removed = json!({
        "subject": "operation", "type": "removed", "name": "/pets", "method": "get", "impact": "breaking", "count": 0, "details": [],
    });
    assert_eq!(
        (&answer["impact"], &answer["changes"][0]),
        (&json!("breaking"), &removed)
    );
}

async fn any_two_versions_are_compared(database: TestDatabase) {
    let world = World::new(database).await;
    let first = version(&world, changed(Some(10))).await;
    version(&world, changed(None)).await;
    let third = version(&world, changed(Some(5))).await;
    let answer = changes(&world, &third).query("since", &first).expect(200).await;
    assert_eq!(
        (&answer["since"], &answer["impact"]),
        (&json!(first), &json!("breaking"))
    );
    assert_eq!(answer["changes"][0]["details"][0]["rule"], "limit");
    // Backwards as well, and with itself.
    let back = changes(&world, &first).query("since", &third).expect(200).await;
    assert_eq!(
        (&back["impact"], &back["changes"][0]["type"]),
        (&json!("compatible"), &json!("changed"))
    );
    let same = changes(&world, &first).query("since", &first).expect(200).await;
    assert_eq!(same["changes"], json!([]));
}

async fn an_answer_that_was_kept_is_not_made_again(database: TestDatabase) {
    let world = World::new(database).await;
    let first = version(&world, changed(Some(10))).await;
    let second = version(&world, changed(Some(5))).await;
    let answer = changes(&world, &second).send().await;
    let tag = answer.headers["etag"].to_str().unwrap().to_owned();
    let again = changes(&world, &second).header("if-none-match", &tag).send().await;
    assert_eq!(again.status, 304);
    let named = changes(&world, &second)
        .query("since", &first)
        .header("if-none-match", &tag);
    assert_eq!(named.send().await.status, 304);
    let other = changes(&world, &second)
        .query("since", &second)
        .header("if-none-match", &tag);
    assert_eq!(other.send().await.status, 200);
}

async fn versions_of_others_are_unknown(database: TestDatabase) {
    let world = World::new(database).await;
    let ours = version(&world, changed(Some(10))).await;
    let call = world
        .other_admin
        .client
        .call("createOpenAPISpec")
        .within(world.other_organization);
    let body = json!({ "slug": "pets", "source": { "text": document("Theirs") } });
    call.json(body).expect(201).await;
    crate::support::specs::process(world.app()).await;
    let latest = world.other_admin.client.call("getLatestOpenAPISpecVersion");
    let latest = latest
        .within(world.other_organization)
        .path("specSlug", "pets")
        .expect(200)
        .await;
    let theirs = latest["id"].as_str().unwrap();
    changes(&world, theirs).expect(404).await;
    changes(&world, &ours).query("since", theirs).expect(404).await;
    changes(&world, &ours).query("since", "x").expect(404).await;
    // Of another specification of the same organization.
    changes(&world, &ours)
        .query("since", world.own("versionId"))
        .expect(404)
        .await;
}

/// As large as documents usually are.
async fn the_contract_is_compared_with_a_changed_one(database: TestDatabase) {
    let (world, server) = world_with_sources(database).await;
    let mut contract = openapi::document::contract().clone();
    server.set_text("/openapi.json", contract.to_string());
    version(&world, server.source("/openapi.json")).await;
    contract["components"]["schemas"]["Team"]["properties"]["title"] = json!({ "type": "integer" });
    server.set_text("/openapi.json", contract.to_string());
    let second = version(&world, server.source("/openapi.json")).await;
    let answer = changes(&world, &second).expect(200).await;
    let all: Vec<_> = answer["changes"].as_array().unwrap().iter().collect();
    let of_team = all.iter().filter(|change| change["name"] == "Team").count();
    let operations = all.iter().filter(|change| change["subject"] == "operation").count();
    assert!(of_team == 1 && operations > 3 && answer["complete"] == true, "{answer}");
    assert_eq!(answer["impact"], "breaking");
}
