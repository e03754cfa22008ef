//! Content of spaces: written, read, conditional, restored, copied.

use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    texts::without_title,
    world::World,
};

on_each_database![
    a_batch_is_made_in_order_with_its_links,
    texts_are_read_in_both_forms,
    pages_move_and_keep_their_ids,
    a_batch_is_made_whole_or_not_at_all,
    impossible_places_are_refused,
    writes_without_change_make_no_revision,
    readers_keep_what_has_not_changed,
    locked_spaces_are_changed_by_request,
    earlier_content_comes_back,
    only_the_history_comes_back,
    pages_and_blocks_are_reverted,
    a_copy_has_the_content,
];

async fn write(world: &World, changes: Value) -> Value {
    let call = world
        .admin
        .client
        .call("updateSpaceContent")
        .path("spaceId", world.space);
    call.json(json!({ "changes": changes })).expect(200).await
}

/// What is wrong with the first change that is refused.
async fn refused(world: &World, changes: Value) -> (String, String) {
    let call = world
        .admin
        .client
        .call("updateSpaceContent")
        .path("spaceId", world.space);
    let answer = call.json(json!({ "changes": changes })).send().await;
    answer.expect(400);
    answer.details().remove(0)
}

fn page_id(answer: &Value, index: usize) -> String {
    let page = &answer["changes"][index]["page"];
    page["id"].as_str().or(page.as_str()).unwrap().to_owned()
}

async fn read(world: &World, path: &str) -> Value {
    let call = world.admin.client.call("getPageByPath").path("spaceId", world.space);
    let call = call.path("pagePath", path).query("format", "markdown");
    let mut page = call.query("format.markdown.refs", "stable").expect(200).await;
    page["markdown"] = without_title(&page).into();
    page
}

async fn paths(world: &World) -> Vec<String> {
    let call = world.admin.client.call("listPages").path("spaceId", world.space);
    let tree = call.expect(200).await;
    let mut found = Vec::new();
    let mut next: Vec<Value> = tree["pages"].as_array().unwrap().iter().rev().cloned().collect();
    while let Some(page) = next.pop() {
        found.push(page["path"].as_str().unwrap().to_owned());
        next.extend(page["pages"].as_array().unwrap().iter().rev().cloned());
    }
    found
}

async fn a_batch_is_made_in_order_with_its_links(database: TestDatabase) {
    let world = World::new(database).await;
    let written = write(
        &world,
        json!([
            { "operation": "insert_page", "ref": "one", "document": {
                "markdown": "---\ndescription: The first\nicon: bolt\n---\n# One *here*\n\nTo [two](./two.md#top), [nowhere](./no.md), [out](https://x.example/)." } },
            { "operation": "insert_page", "ref": "two", "title": "Two", "slug": "second", "document": {
                "markdown": "Back to [one](one.md) and [above](../maintenance.md)." } },
        ]),
    )
    .await;
    let (one, two) = (page_id(&written, 0), page_id(&written, 1));
    assert_eq!(written["changes"][1]["ref"], "two");
    let page = read(&world, "one-here").await;
    assert_eq!(page["title"], "One here");
    assert_eq!(page["description"], "The first");
    assert_eq!(page["icon"], "bolt");
    let front = "---\ndescription: The first\nicon: bolt\n---\n\n";
    let expected = format!("{front}To [two](/pages/{two}#top), nowhere, [out](https://x.example/).");
    assert_eq!(page["markdown"], expected);
    let page = read(&world, "second").await;
    let markdown = page["markdown"].as_str().unwrap();
    assert!(
        markdown.starts_with(&format!("Back to [one](/pages/{one}) and ")),
        "{markdown}"
    );
    // The same title again gets another slug; the same slug does not.
    write(
        &world,
        json!([{ "operation": "insert_page", "title": "One here", "document": {} }]),
    )
    .await;
    assert_eq!(read(&world, "one-here-2").await["title"], "One here");
    let again = json!([{ "operation": "insert_page", "slug": "second", "document": {} }]);
    assert_eq!(
        refused(&world, again).await,
        ("/body/changes/0/slug".to_owned(), "unique".to_owned())
    );
}

async fn texts_are_read_in_both_forms(database: TestDatabase) {
    let world = World::new(database).await;
    let markdown = "First.\n\n{% hint style=\"info\" %}\nMind this.\n{% endhint %}\n\n| A | B |\n| - | - |\n| 1 | 2 |";
    let written = write(
        &world,
        json!([{ "operation": "insert_page", "title": "Both", "document": { "markdown": markdown } }]),
    )
    .await;
    let id = page_id(&written, 0);
    let call = world.admin.client.call("getPageById").path("spaceId", world.space);
    let page = call.path("pageId", &id).expect(200).await;
    let document = page["document"].clone();
    assert_eq!(document["nodes"][1]["type"], "hint");
    // The nodes go back as they came.
    let changes = json!([{ "operation": "update_page", "page": id, "document": { "document": document } }]);
    write(&world, changes).await;
    let again = world.admin.client.call("getPageById").path("spaceId", world.space);
    let again = again.path("pageId", &id).expect(200).await;
    assert_eq!(again["document"], document);
    let by_id = world.admin.client.call("getDocumentById").path("spaceId", world.space);
    let by_id = by_id.path("documentId", again["documentId"].as_str().unwrap());
    assert_eq!(by_id.expect(200).await, document);
    let both =
        json!([{ "operation": "update_page", "page": id, "document": { "document": document, "markdown": "x" } }]);
    assert_eq!(refused(&world, both).await.1, "exclusive");
}

async fn pages_move_and_keep_their_ids(database: TestDatabase) {
    let world = World::new(database).await;
    let written = write(
        &world,
        json!([
            { "operation": "insert_page", "title": "A", "document": {} },
            { "operation": "insert_page", "title": "B", "document": {} },
            { "operation": "insert_page", "title": "C", "document": {}, "at": 0 },
        ]),
    )
    .await;
    let (a, b) = (page_id(&written, 0), page_id(&written, 1));
    let before = paths(&world).await;
    assert_eq!(before.first().unwrap(), "c");
    write(&world, json!([{ "operation": "update_page", "page": b, "into": a }])).await;
    assert!(paths(&world).await.contains(&"a/b".to_owned()));
    let cycle = json!([{ "operation": "update_page", "page": a, "into": b }]);
    assert_eq!(
        refused(&world, cycle).await,
        ("/body/changes/0/into".to_owned(), "cycle".to_owned())
    );
    write(
        &world,
        json!([{ "operation": "update_page", "page": b, "into": null, "at": 0 }]),
    )
    .await;
    assert_eq!(paths(&world).await.first().unwrap(), "b");
    write(&world, json!([{ "operation": "delete_page", "page": b }])).await;
    assert!(!paths(&world).await.contains(&"b".to_owned()));
    let gone = world.admin.client.call("getPageById").path("spaceId", world.space);
    gone.path("pageId", b).expect(404).await;
}

async fn a_batch_is_made_whole_or_not_at_all(database: TestDatabase) {
    let world = World::new(database).await;
    let before = paths(&world).await;
    let changes = json!([
        { "operation": "insert_page", "title": "Good", "document": {} },
        { "operation": "delete_page", "page": "06dkk9p346n3d25rq4f5r37e3o" },
    ]);
    assert_eq!(
        refused(&world, changes).await,
        ("/body/changes/1/page".to_owned(), "unknown".to_owned())
    );
    assert_eq!(paths(&world).await, before);
}

async fn impossible_places_are_refused(database: TestDatabase) {
    let world = World::new(database).await;
    let long = format!("# {}\n\nText", "a".repeat(300));
    let long = json!([{ "operation": "insert_page", "document": { "markdown": long } }]);
    assert_eq!(refused(&world, long).await.0, "/body/changes/0/document");
    let unknown = json!([{ "operation": "insert_page", "into": "nowhere", "document": {} }]);
    assert_eq!(
        refused(&world, unknown).await,
        ("/body/changes/0/into".to_owned(), "unknown".to_owned())
    );
    let mut parent = Value::Null;
    for level in 0..40 {
        let mut change = json!({ "operation": "insert_page", "title": format!("Level {level}"), "document": {} });
        if !parent.is_null() {
            change["into"] = parent.clone();
        }
        let call = world
            .admin
            .client
            .call("updateSpaceContent")
            .path("spaceId", world.space);
        let answer = call.json(json!({ "changes": [change] })).send().await;
        if answer.status == 400 {
            assert_eq!(level, 32);
            assert_eq!(answer.details()[0].1, "depth");
            return;
        }
        parent = json!(page_id(&answer.expect(200), 0));
    }
    panic!("pages nest without an end");
}

async fn writes_without_change_make_no_revision(database: TestDatabase) {
    let world = World::new(database).await;
    let written = write(
        &world,
        json!([{ "operation": "insert_page", "title": "Same", "document": { "markdown": "Text" } }]),
    )
    .await;
    let id = page_id(&written, 0);
    let same = json!([{ "operation": "update_page", "page": id, "title": "Same", "document": { "markdown": "Text" } }]);
    assert_eq!(write(&world, same).await["revision"], written["revision"]);
    let there_and_back = json!([
        { "operation": "update_page", "page": id, "title": "Other" },
        { "operation": "update_page", "page": id, "title": "Same" },
    ]);
    let again = write(&world, there_and_back).await;
    assert_eq!(again["revision"], written["revision"]);
}

async fn readers_keep_what_has_not_changed(database: TestDatabase) {
    let world = World::new(database).await;
    let path = "maintenance/changing-the-fingers";
    for (operation, path) in [
        ("getPageByPath", Some(path)),
        ("getCurrentRevision", None),
        ("listPages", None),
    ] {
        let call = || {
            let call = world.read.client.call(operation).path("spaceId", world.space);
            match path {
                Some(path) => call.path("pagePath", path),
                None => call,
            }
        };
        let first = call().send().await;
        first.expect(200);
        let tag = first.headers["etag"].to_str().unwrap().to_owned();
        let second = call().header("If-None-Match", &tag).send().await;
        assert_eq!((second.status, second.text.as_str()), (304, ""));
        assert_eq!(second.headers["etag"], tag.as_str());
        write(
            &world,
            json!([{ "operation": "insert_page", "title": operation, "document": {} }]),
        )
        .await;
        call().header("If-None-Match", &tag).expect(200).await;
    }
}

async fn locked_spaces_are_changed_by_request(database: TestDatabase) {
    let world = World::new(database).await;
    let lock = world.admin.client.call("updateSpaceById").path("spaceId", world.space);
    lock.json(json!({ "editMode": "locked" })).expect(200).await;
    let changes = json!({ "changes": [{ "operation": "insert_page", "document": {} }] });
    let live = world
        .admin
        .client
        .call("updateSpaceContent")
        .path("spaceId", world.space);
    live.json(changes.clone()).expect(409).await;
    let request = world.change_request(&world.edit, "By request").await;
    let call = world
        .edit
        .client
        .call("updateChangeRequestContent")
        .path("spaceId", world.space);
    let call = call.path("changeRequestId", request["number"].clone());
    call.json(changes).expect(200).await;
    let merge = world
        .review
        .client
        .call("mergeChangeRequest")
        .path("spaceId", world.space);
    let merged = merge
        .path("changeRequestId", request["id"].as_str().unwrap())
        .expect(200)
        .await;
    assert_eq!(merged["result"], "merge");
    assert!(paths(&world).await.contains(&"untitled-2".to_owned()));
    let restore = world.admin.client.call("restoreRevision").path("spaceId", world.space);
    let refused = restore.path("revisionId", world.own("revisionId")).expect(409).await;
    assert_eq!(refused["error"]["type"], "locked");
}

async fn only_the_history_comes_back(database: TestDatabase) {
    let world = World::new(database).await;
    let request = world.change_request(&world.edit, "Proposed").await;
    let in_request = |operation: &str| {
        let call = world.edit.client.call(operation).path("spaceId", world.space);
        call.path("changeRequestId", request["id"].as_str().unwrap())
    };
    let changes = json!({ "changes": [{ "operation": "insert_page", "document": {} }] });
    in_request("updateChangeRequestContent").json(changes).expect(200).await;
    let proposed = in_request("getRevisionOfChangeRequestById").expect(200).await;
    let restore = world.admin.client.call("restoreRevision").path("spaceId", world.space);
    let refused = restore
        .path("revisionId", proposed["id"].as_str().unwrap())
        .expect(409)
        .await;
    assert_eq!(refused["error"]["type"], "not-in-history");
}

async fn earlier_content_comes_back(database: TestDatabase) {
    let world = World::new(database).await;
    let before = paths(&world).await;
    let revision = world
        .admin
        .client
        .call("getCurrentRevision")
        .path("spaceId", world.space);
    let revision = revision.expect(200).await["id"].clone();
    let all: Value = world
        .admin
        .client
        .call("listPages")
        .path("spaceId", world.space)
        .expect(200)
        .await;
    for page in all["pages"].as_array().unwrap() {
        write(&world, json!([{ "operation": "delete_page", "page": page["id"] }])).await;
    }
    assert_eq!(paths(&world).await, Vec::<String>::new());
    let restore = |id: &Value| {
        let call = world.admin.client.call("restoreRevision").path("spaceId", world.space);
        call.path("revisionId", id.as_str().unwrap())
    };
    let restored = restore(&revision).expect(201).await;
    assert_eq!(restored["type"], "rollback");
    assert_eq!(paths(&world).await, before);
    restore(&revision).expect(409).await;
    let refused = restore(&revision)
        .header("If-Match", "\"earlier.pages\"")
        .expect(412)
        .await;
    assert_eq!(refused["error"]["type"], "content-changed");
    let history = world.admin.client.call("listRevisions").path("spaceId", world.space);
    let history = history.expect(200).await;
    assert_eq!(history["items"][0]["id"], restored["id"]);
    let changes = world
        .admin
        .client
        .call("getRevisionSemanticChanges")
        .path("spaceId", world.space);
    let changes = changes
        .path("revisionId", restored["id"].as_str().unwrap())
        .expect(200)
        .await;
    let kinds = changes["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| change["type"].clone());
    assert!(kinds.into_iter().all(|kind| kind == "page_created"), "{changes}");
    // Search finds again what came back.
    let search = world
        .read
        .client
        .call("searchSpaceContent")
        .path("spaceId", world.space);
    let found = search.query("query", "changing the fingers").expect(200).await;
    assert_eq!(found["items"][0]["path"], "maintenance/changing-the-fingers");
    assert_eq!(found["items"][0]["ancestors"], json!([{ "title": "Maintenance" }]));
}

async fn pages_and_blocks_are_reverted(database: TestDatabase) {
    let world = World::new(database).await;
    let first = write(
        &world,
        json!([{ "operation": "insert_page", "title": "Notes", "document": { "markdown": "One.\n\nTwo.\n\nThree." } }]),
    )
    .await;
    let id = page_id(&first, 0);
    let changed = json!([{ "operation": "update_page", "page": id, "title": "Changed", "document": { "markdown": "One.\n\nNew two.\n\nThree.\n\nFour." } }]);
    write(&world, changed).await;
    let call = world.admin.client.call("getPageById").path("spaceId", world.space);
    let page = call.path("pageId", &id).expect(200).await;
    let key = page["document"]["nodes"][1]["key"].clone();
    write(
        &world,
        json!([{ "operation": "revert_page", "page": id, "block": [key] }]),
    )
    .await;
    assert_eq!(
        read(&world, "notes").await["markdown"],
        "One.\n\nTwo.\n\nThree.\n\nFour."
    );
    let revert = json!([{ "operation": "revert_page", "page": id, "revision": first["revision"] }]);
    write(&world, revert).await;
    let page = read(&world, "notes").await;
    assert_eq!(
        (&page["title"], &page["markdown"]),
        (&json!("Notes"), &json!("One.\n\nTwo.\n\nThree."))
    );
}

async fn a_copy_has_the_content(database: TestDatabase) {
    let world = World::new(database).await;
    let copy = world
        .admin
        .client
        .call("duplicateSpace")
        .path("spaceId", world.space)
        .expect(201)
        .await;
    let copied = copy["id"].as_str().unwrap();
    let tree = |space: &str| world.admin.client.call("listPages").path("spaceId", space).expect(200);
    let space = world.space.to_string();
    let original = tree(&space).await;
    // The addresses of the pages name their space.
    let original: Value = serde_json::from_str(&original.to_string().replace(&space, copied)).unwrap();
    assert_eq!(tree(copied).await["pages"], original["pages"]);
    // It is found in the copy, and changes of one do not reach the other.
    let search = world.admin.client.call("searchSpaceContent").path("spaceId", copied);
    assert_eq!(search.query("query", "fingers").expect(200).await["count"], 1);
    write(
        &world,
        json!([{ "operation": "insert_page", "title": "Only here", "document": {} }]),
    )
    .await;
    assert_eq!(tree(copied).await["pages"], original["pages"]);
    let files = world
        .admin
        .client
        .call("listFiles")
        .path("spaceId", copied)
        .expect(200)
        .await;
    let address = files["items"][0]["downloadURL"].as_str().unwrap();
    let answer = reqwest::get(address).await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["content-type"], "image/png");
}
