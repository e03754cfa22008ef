//! Content is the same wherever it stands, and names the state that it shows.

use serde_json::json;

use crate::support::{
    database::{TestDatabase, on_each_database},
    world::World,
};

on_each_database![everything_is_read_where_it_stands, writers_say_what_they_change];

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
