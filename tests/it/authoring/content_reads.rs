//! Content is the same wherever it stands, and names the state that it shows.

use serde_json::json;

use crate::support::{
    database::{TestDatabase, on_each_database},
    world::World,
};

on_each_database![
    everything_is_read_where_it_stands,
    an_answer_is_kept_for_its_state_and_form,
    writers_say_what_they_change,
];

/// The same page, file and texts in the space, in its revision and in a change request.
async fn everything_is_read_where_it_stands(database: TestDatabase) {
    let world = World::new(database).await;
    let client = &world.read.client;
    let of = |name: &str| world.own(name);
    let (space, page, file, shared) = (world.space, of("pageId"), of("fileId"), of("reusableContentId"));
    let (revision, request) = (of("revisionId"), of("changeRequestId"));
    let path = "maintenance/changing-the-fingers";

    let here = client
        .call("getPageById")
        .path("spaceId", space)
        .path("pageId", &page)
        .expect(200)
        .await;
    let then = client
        .call("getPageInRevisionById")
        .path("spaceId", space)
        .path("revisionId", &revision)
        .path("pageId", &page)
        .expect(200)
        .await;
    let there = client
        .call("getPageInChangeRequestById")
        .path("spaceId", space)
        .path("changeRequestId", &request)
        .path("pageId", &page)
        .expect(200)
        .await;
    assert_eq!((&then, &there), (&here, &here));
    let then = client
        .call("getPageInRevisionByPath")
        .path("spaceId", space)
        .path("revisionId", &revision)
        .path("pagePath", path)
        .expect(200)
        .await;
    let there = client
        .call("getPageInChangeRequestByPath")
        .path("spaceId", space)
        .path("changeRequestId", &request)
        .path("pagePath", path)
        .expect(200)
        .await;
    assert_eq!((&then, &there), (&here, &here));
    let nodes = client
        .call("getPageDocumentInRevisionById")
        .path("spaceId", space)
        .path("revisionId", &revision)
        .path("pageId", &page)
        .expect(200)
        .await;
    assert_eq!(nodes, here["document"]);

    let here = client
        .call("getFileById")
        .path("spaceId", space)
        .path("fileId", &file)
        .expect(200)
        .await;
    assert_eq!(here["dimensions"], json!({ "width": 1, "height": 1 }));
    let then = client
        .call("getFileInRevisionById")
        .path("spaceId", space)
        .path("revisionId", &revision)
        .path("fileId", &file)
        .expect(200)
        .await;
    let there = client
        .call("getFileInChangeRequestById")
        .path("spaceId", space)
        .path("changeRequestId", &request)
        .path("fileId", &file)
        .expect(200)
        .await;
    assert_eq!((&then, &there), (&here, &here));
    let then = client
        .call("listFilesInRevisionById")
        .path("spaceId", space)
        .path("revisionId", &revision)
        .expect(200)
        .await;
    let there = client
        .call("listFilesInChangeRequestById")
        .path("spaceId", space)
        .path("changeRequestId", &request)
        .expect(200)
        .await;
    assert_eq!((&then["items"], &there["items"]), (&json!([here]), &json!([here])));

    let here = client
        .call("getReusableContentById")
        .path("spaceId", space)
        .path("reusableContentId", &shared)
        .expect(200)
        .await;
    let then = client
        .call("getReusableContentInRevisionById")
        .path("spaceId", space)
        .path("revisionId", &revision)
        .path("reusableContentId", &shared)
        .expect(200)
        .await;
    let there = client
        .call("getReusableContentInChangeRequestById")
        .path("spaceId", space)
        .path("changeRequestId", &request)
        .path("reusableContentId", &shared)
        .expect(200)
        .await;
    assert_eq!((&then, &there), (&here, &here));
    let nodes = client
        .call("getReusableContentDocumentInRevisionById")
        .path("spaceId", space)
        .path("revisionId", &revision)
        .path("reusableContentId", &shared)
        .expect(200)
        .await;
    assert_eq!(nodes["nodes"][0]["type"], "paragraph");

    let here = client
        .call("getCurrentRevision")
        .path("spaceId", space)
        .expect(200)
        .await;
    let then = client
        .call("getRevisionById")
        .path("spaceId", space)
        .path("revisionId", &revision)
        .expect(200)
        .await;
    let there = client
        .call("getRevisionOfChangeRequestById")
        .path("spaceId", space)
        .path("changeRequestId", &request)
        .expect(200)
        .await;
    assert_eq!((&then, &there["pages"]), (&here, &here["pages"]));
    let then = client
        .call("listPagesInRevisionById")
        .path("spaceId", space)
        .path("revisionId", &revision)
        .expect(200)
        .await;
    assert_eq!(then["pages"], here["pages"]);

    let found = client
        .call("searchOrganizationContent")
        .path("organizationId", world.organization)
        .query("query", "fingers")
        .expect(200)
        .await;
    assert_eq!(
        (&found["items"][0]["id"], &found["items"][0]["pages"][0]["id"]),
        (&json!(space), &json!(page))
    );
    let none = world
        .stranger
        .client
        .call("searchOrganizationContent")
        .path("organizationId", world.organization);
    none.query("query", "fingers").expect(404).await;
    let guest = world
        .guest
        .client
        .call("searchOrganizationContent")
        .path("organizationId", world.organization);
    assert_eq!(guest.query("query", "fingers").expect(200).await["count"], 0);
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
    let change = async |changes: serde_json::Value| {
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
