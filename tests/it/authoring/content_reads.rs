//! Content is the same wherever it stands, and names the state that it shows.

use serde_json::{Value, json};

use crate::support::{
    contract,
    database::{TestDatabase, on_each_database},
    world::{Person, World},
};

on_each_database![
    content_is_the_same_in_space_revision_and_change_request,
    organization_search_finds_only_readable_pages,
    an_answer_is_kept_for_its_state_and_form,
    writers_say_what_they_change,
];

/// An operation and a member of its answer.
type Read = (&'static str, &'static str);

/// Reads of one content, by two operations.
const SAME_READS: [(Read, Read); 14] = [
    (("getPageById", ""), ("getPageInRevisionById", "")),
    (("getPageById", ""), ("getPageInChangeRequestById", "")),
    (("getPageById", ""), ("getPageInRevisionByPath", "")),
    (("getPageById", ""), ("getPageInChangeRequestByPath", "")),
    (("getPageById", "/document"), ("getPageDocumentInRevisionById", "")),
    (("getFileById", ""), ("getFileInRevisionById", "")),
    (("getFileById", ""), ("getFileInChangeRequestById", "")),
    (
        ("listFilesInRevisionById", "/items"),
        ("listFilesInChangeRequestById", "/items"),
    ),
    (("getFileById", ""), ("listFilesInRevisionById", "/items/0")),
    (("getReusableContentById", ""), ("getReusableContentInRevisionById", "")),
    (
        ("getReusableContentById", ""),
        ("getReusableContentInChangeRequestById", ""),
    ),
    (("getCurrentRevision", ""), ("getRevisionById", "")),
    (
        ("getCurrentRevision", "/pages"),
        ("getRevisionOfChangeRequestById", "/pages"),
    ),
    (("getCurrentRevision", "/pages"), ("listPagesInRevisionById", "/pages")),
];

async fn read(world: &World, operation: &str) -> Value {
    let operation = contract::operation(operation);
    let names = operation.path_parameters().into_iter();
    let call = world.read.client.operation(operation);
    names
        .fold(call, |call, name| call.path(name, world.own(name)))
        .expect(200)
        .await
}

async fn content_is_the_same_in_space_revision_and_change_request(database: TestDatabase) {
    let world = World::new(database).await;
    for ((operation, member), (other_operation, other_member)) in SAME_READS {
        let (answer, other_answer) = (read(&world, operation).await, read(&world, other_operation).await);
        let (expected, found) = (answer.pointer(member), other_answer.pointer(other_member));
        assert!(expected.is_some(), "{operation} has no {member}: {answer}");
        assert_eq!(
            found, expected,
            "{other_operation}{other_member} and {operation}{member}"
        );
    }
    let file = read(&world, "getFileById").await;
    assert_eq!(file["dimensions"], json!({ "width": 1, "height": 1 }));
    let files = read(&world, "listFilesInRevisionById").await;
    assert_eq!(files["items"], json!([file]));
    let document = read(&world, "getReusableContentDocumentInRevisionById").await;
    assert_eq!(document["nodes"][0]["type"], "paragraph");
}

async fn organization_search_finds_only_readable_pages(database: TestDatabase) {
    let world = World::new(database).await;
    let search = async |person: &Person, status: u16| {
        let call = person.client.call("searchOrganizationContent").here(&world);
        call.query("query", "fingers").expect(status).await
    };
    let found = search(&world.read, 200).await;
    assert_eq!(
        (&found["items"][0]["id"], &found["items"][0]["pages"][0]["id"]),
        (&json!(world.space), &json!(world.own("pageId")))
    );
    search(&world.stranger, 404).await;
    assert_eq!(search(&world.guest, 200).await["count"], 0);
}

async fn writers_say_what_they_change(database: TestDatabase) {
    let world = World::new(database).await;
    let read = world.edit.client.call("listPages").path("spaceId", world.space);
    let tag = read.send().await.headers["etag"].to_str().unwrap().to_owned();
    let insert = |title: &str| {
        let call = world
            .edit
            .client
            .call("updateSpaceContent")
            .path("spaceId", world.space);
        call.json(json!({ "changes": [{ "operation": "insert_page", "title": title, "document": {} }] }))
    };
    let first = insert("First").header("If-Match", &tag).send().await;
    first.expect(200);
    insert("Late").header("If-Match", &tag).expect(412).await;
    insert("Next")
        .header("If-Match", first.headers["etag"].to_str().unwrap())
        .expect(200)
        .await;
    insert("Any").header("If-Match", "*").expect(200).await;
}

/// Answers that were made before are those of the same page, revision and form only.
async fn an_answer_is_kept_for_its_state_and_form(database: TestDatabase) {
    let world = World::new(database).await;
    let client = &world.admin.client;
    let change = async |changes: Value| {
        let call = client.call("updateSpaceContent").path("spaceId", world.space);
        call.json(json!({ "changes": changes })).expect(200).await
    };
    let insert = |title: &str| {
        let markdown = format!("The words of {title} and <code class=\"expression\">1 + 1</code>.");
        json!({ "operation": "insert_page", "title": title, "document": { "markdown": markdown } })
    };
    let made = change(json!([insert("Tides"), insert("Winds")])).await;
    let page = |at: usize| made["changes"][at]["page"]["id"].as_str().unwrap().to_owned();
    let (tides, winds) = (page(0), page(1));
    let read = async |page: &str, form: &[(&str, &str)]| {
        let call = client.call("getPageById").path("spaceId", world.space);
        let call = form
            .iter()
            .fold(call.path("pageId", page), |call, (name, value)| call.query(name, value));
        call.expect(200).await
    };
    let forms: [&[(&str, &str)]; 4] = [
        &[],
        &[("format", "markdown")],
        &[("evaluated", "true")],
        &[("format", "markdown"), ("evaluated", "deterministic-only")],
    ];
    let all = async || {
        let mut found = Vec::new();
        for page in [&tides, &winds] {
            for form in forms {
                found.push(read(page, form).await);
            }
        }
        found
    };
    let first = all().await;
    assert_eq!(all().await, first);
    for (at, answer) in first.iter().enumerate() {
        assert!(!first[..at].contains(answer), "the answer {at} is one of those before");
    }
    let by_path = client.call("getPageByPath").path("spaceId", world.space);
    assert_eq!(by_path.path("pagePath", "tides").expect(200).await, first[0]);
    change(json!([{ "operation": "update_page", "page": tides, "title": "Currents" }])).await;
    let renamed = all().await;
    assert_eq!(renamed[4..], first[4..]);
    for (before, after) in first.iter().zip(&renamed).take(4) {
        assert_eq!(
            (&before["title"], &after["title"]),
            (&json!("Tides"), &json!("Currents"))
        );
    }
}
