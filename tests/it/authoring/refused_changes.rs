//! Changes that a space and a change request refuse alike.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use crate::support::{
    client::Call,
    computed::{add_computed, gripper, source},
    contract,
    database::{TestDatabase, on_each_database},
    places::OF_CONTENT,
    published::id,
    texts::{insert, write},
    world::World,
};

on_each_database![
    changes_are_refused_by_spaces_and_change_requests_alike,
    closed_change_requests_refuse_changes,
    conditional_reads_in_change_requests_answer_304,
];

/// More than a file in a request may have.
const FILE_BYTES: usize = 1024 * 1024 + 1;

fn in_request<'a>(world: &'a World, operation: &str, request: &Value) -> Call<'a> {
    let call = world.admin.client.call(operation).space(world.space);
    call.path("changeRequestId", id(request))
}

async fn changes_are_refused_by_spaces_and_change_requests_alike(database: TestDatabase) {
    let world = World::with(database, |flags| flags.body_limit = Some("10MiB".to_owned())).await;
    let made = write(&world, world.space, vec![insert("a", "A text"), insert("b", "B text")]).await;
    let (above, page) = (made["a"].clone(), made["b"].clone());
    let nested = json!({ "operation": "update_page", "page": page, "into": above });
    let call = world.admin.client.call("updateSpaceContent").space(world.space);
    call.json(json!({ "changes": [nested] })).expect(200).await;
    let mut deepest = json!(page);
    for level in 3..=32 {
        let change = json!({ "operation": "insert_page", "title": level.to_string(), "document": {}, "into": deepest });
        let call = world.admin.client.call("updateSpaceContent").space(world.space);
        let made = call.json(json!({ "changes": [change] })).expect(200).await;
        deepest = made["changes"][0]["page"]["id"].clone();
    }
    world.process_document("gripper", &gripper()).await;
    let computed = add_computed(&world, world.space, "Interface", "gripper").await;
    let request = world.admin.client.call("createChangeRequest").space(world.space);
    let request = request.json(json!({ "subject": "Refused" })).expect(201).await;

    let page_with = |members: Value| {
        let mut change = json!({ "operation": "insert_page", "title": "New", "document": {} });
        change
            .as_object_mut()
            .unwrap()
            .extend(members.as_object().unwrap().clone());
        vec![change]
    };
    let update = |members: Value| {
        let mut change = json!({ "operation": "update_page", "page": above });
        change
            .as_object_mut()
            .unwrap()
            .extend(members.as_object().unwrap().clone());
        vec![change]
    };
    let file = |members: Value| {
        let mut file = json!({ "name": "a.txt", "contentType": "text/plain", "base64": "aGk=" });
        file.as_object_mut()
            .unwrap()
            .extend(members.as_object().unwrap().clone());
        vec![json!({ "operation": "insert_files", "files": [file] })]
    };
    let fetched = json!({ "name": "a.png", "url": "http://127.0.0.1:9/a.png" });
    let large = STANDARD.encode(vec![0; FILE_BYTES]);
    let revert = |members: Value| {
        let mut change = json!({ "operation": "revert_page", "page": page });
        change
            .as_object_mut()
            .unwrap()
            .extend(members.as_object().unwrap().clone());
        vec![change]
    };
    let twice = [page_with(json!({ "ref": "new" })), page_with(json!({ "ref": "new" }))].concat();
    let named = json!({ "name": "a.txt", "contentType": "text/plain", "base64": "aGk=", "ref": "new" });
    let written = json!({ "operation": "update_page", "page": computed, "document": { "markdown": "By hand" } });
    for (changes, place, code) in [
        (
            update(json!({ "computed": source("gripper") })),
            "computed",
            "page-type",
        ),
        (vec![written], "document", "page-type"),
        (
            vec![json!({ "operation": "insert_files", "files": [named, named] })],
            "files/1/ref",
            "unique",
        ),
        (update(json!({ "into": page })), "into", "cycle"),
        (page_with(json!({ "into": deepest })), "into", "depth"),
        (twice, "ref", "unique"),
        (revert(json!({ "block": ["nowhere"] })), "block/0", "unknown"),
        (revert(json!({ "revision": "nowhere" })), "revision", "unknown"),
        (file(json!({ "name": "../a.txt" })), "files/0/name", "file-name"),
        (
            file(json!({ "contentType": "text" })),
            "files/0/contentType",
            "media-type",
        ),
        (file(json!({ "base64": "!!!!" })), "files/0/base64", "base64"),
        (file(json!({ "base64": large })), "files/0/base64", "file-size"),
        (
            vec![json!({ "operation": "insert_files", "files": [fetched] })],
            "files/0/url",
            "not-fetched",
        ),
    ] {
        let pointer = format!("/body/changes/{}/{place}", changes.len() - 1);
        let body = json!({ "changes": changes });
        let of_space = world.admin.client.call("updateSpaceContent").space(world.space);
        of_space.json(body.clone()).send().await.has_detail(&pointer, code);
        let of_request = in_request(&world, "updateChangeRequestContent", &request);
        of_request.json(body).send().await.has_detail(&pointer, code);
    }
}

async fn closed_change_requests_refuse_changes(database: TestDatabase) {
    let world = World::new(database).await;
    for (status, expected) in [
        ("archived", "change-request-archived"),
        ("merged", "change-request-merged"),
    ] {
        let request = world.admin.client.call("createChangeRequest").space(world.space);
        let request = request.json(json!({ "subject": status })).expect(201).await;
        let change = || {
            let change = json!({ "operation": "insert_page", "title": status, "document": {} });
            in_request(&world, "updateChangeRequestContent", &request).json(json!({ "changes": [change] }))
        };
        let late = change().header("If-Match", "\"earlier.pages\"").expect(412).await;
        assert_eq!(late["error"]["type"], "content-changed");
        change().expect(200).await;
        match status {
            "merged" => in_request(&world, "mergeChangeRequest", &request).expect(200).await,
            _ => world.patch(&request, json!({ "status": status })).await,
        };
        let resolve = in_request(&world, "resolveChangeRequestConflict", &request);
        let resolve = resolve.path("conflictId", world.own("pageId"));
        for refused in [change(), resolve.json(json!({ "resolution": "ours" }))] {
            assert_eq!(refused.expect(409).await["error"]["type"], expected);
        }
    }
}

async fn conditional_reads_in_change_requests_answer_304(database: TestDatabase) {
    let world = World::new(database).await;
    let request = world.admin.client.call("createChangeRequest").space(world.space);
    let request = request.json(json!({ "subject": "Read twice" })).expect(201).await;
    for operation in [
        "getFileInChangeRequestById",
        "getReusableContentInChangeRequestById",
        "getRevisionOfChangeRequestById",
        "listFilesInChangeRequestById",
        "listPagesInChangeRequest",
    ] {
        let call = || {
            let names = contract::operation(operation).path_parameters().into_iter();
            let parts = names.filter(|name| OF_CONTENT.contains(name));
            parts.fold(in_request(&world, operation, &request), |call, name| {
                call.path(name, world.own(name))
            })
        };
        let first = call().send().await;
        first.expect(200);
        let tag = first.headers["etag"].to_str().unwrap().to_owned();
        call().header("If-None-Match", &tag).expect(304).await;
    }
}
