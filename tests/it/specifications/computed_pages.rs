//! Pages of spaces that are computed from specifications.

use serde_json::{Value, json};

use crate::support::{
    client::Call,
    computed::{add_computed, gripper, paths, pinned, source},
    database::{TestDatabase, on_each_database, on_one_database},
    paths::node_id,
    published::{find, id, visitor},
    specs::world_with_sources,
    texts::{new_space, write},
    world::World,
};

on_each_database![
    pages_take_the_place_of_their_placeholder,
    computed_pages_are_read_by_id_and_by_path,
    readers_learn_how_many_operations_have_no_page,
    a_new_version_changes_the_pages_without_an_edit,
    a_change_request_pins_a_version,
    a_space_is_made_of_a_specification,
    a_placeholder_needs_a_specification_of_the_organization,
    pages_stay_when_their_specification_goes,
    visitors_read_computed_pages,
];
on_one_database![an_operation_is_read_with_one_statement_more_than_a_text];

const PATHS: [&str; 9] = [
    "untitled",
    "interface",
    "interface/motion",
    "interface/motion/close-the-fingers",
    "interface/motion/read-the-width",
    "interface/operations",
    "interface/operations/gohome",
    "interface/webhooks",
    "interface/webhooks/something-fell",
];

async fn pages_take_the_place_of_their_placeholder(database: TestDatabase) {
    let world = World::new(database).await;
    world.process_document("gripper", &gripper()).await;
    let space = new_space(&world, "Gripper").await;
    let placeholder = add_computed(&world, space, "Interface", "gripper").await;
    let list = || world.admin.client.call("listPages").space(space);
    let tree = list().expect(200).await;
    let mut expected = PATHS.to_vec();
    expected.push("interface/models");
    assert_eq!(sorted(&paths(&tree["pages"])), sorted(&expected));
    let root = &tree["pages"][1];
    assert_eq!(root["id"], placeholder.as_str());
    assert_eq!(
        (&root["type"], &root["title"]),
        (&json!("document"), &json!("Interface"))
    );
    assert_eq!(root["computed"]["props"], json!({ "doc": "info", "page": "info" }));
    assert_eq!(root["computedSeed"], placeholder.as_str());
    let entry = &root["pages"][0]["pages"][0];
    assert_eq!(entry["title"], "Close the fingers");
    assert_eq!(entry["description"], "POST /grip closeFingers");
    assert_eq!(
        entry["computed"]["props"],
        json!({ "doc": "operations", "page": "operation:post /grip" })
    );
    let spec = &entry["computed"]["dependencies"]["spec"];
    let now = world.spec_call("getOpenAPISpecBySlug", "gripper").expect(200).await;
    assert_eq!(spec["ref"], json!({ "kind": "openapi", "spec": "gripper" }));
    assert_eq!(
        spec["value"],
        json!({ "object": "openapi-spec", "id": now["id"], "slug": "gripper", "lastVersion": now["lastVersion"] })
    );
    // As it is stored.
    let stored = list().query("computed", "false").expect(200).await;
    assert_eq!(paths(&stored["pages"]), ["untitled"]);
    assert_eq!(stored["pages"][1]["type"], "computed");
    assert_eq!(stored["pages"][1]["computed"]["props"], json!({ "models": true }));
    assert!(
        stored["pages"][1]["computed"]["dependencies"]["spec"]
            .get("value")
            .is_none()
    );
    for operation in ["getCurrentRevision", "getRevisionById"] {
        let revision = world.admin.client.call("getSpaceById").space(space).expect(200).await["revision"].clone();
        let call = || world.admin.client.call(operation).space(space);
        let call = || match operation {
            "getRevisionById" => call().path("revisionId", revision.as_str().unwrap()),
            _ => call(),
        };
        let with_pages = call().expect(200).await;
        assert_eq!(
            (&with_pages["pages"], &with_pages["sourceRevision"]),
            (&tree["pages"], &revision)
        );
        let as_stored = call().query("computed", "false").expect(200).await;
        assert_eq!(
            (&as_stored["pages"], as_stored.get("sourceRevision")),
            (&stored["pages"], None)
        );
    }
    // Without a page for schemas.
    let mut without = source("gripper");
    without["props"] = json!({ "models": false });
    let change = json!({ "operation": "update_page", "page": placeholder, "computed": without, "slug": "api" });
    write(&world, space, vec![change]).await;
    let paths = paths(&list().expect(200).await["pages"]);
    assert!(
        paths.contains(&"api/motion".to_owned()) && !paths.iter().any(|path| path.ends_with("models")),
        "{paths:?}"
    );
    // One page for all operations of a tag, and a link to the document.
    let mut grouped = source("gripper");
    grouped["props"] = json!({ "models": true, "grouping": "by-tag", "downloadLink": true });
    let change = json!({ "operation": "update_page", "page": placeholder, "computed": grouped });
    write(&world, space, vec![change]).await;
    let found = list().expect(200).await;
    let paths = self::paths(&found["pages"]);
    let expected = ["api/motion", "api/operations", "api/webhooks", "api/models"];
    assert!(
        expected.iter().all(|path| paths.contains(&(*path).to_owned())),
        "{paths:?}"
    );
    assert!(!paths.iter().any(|path| path.starts_with("api/motion/")), "{paths:?}");
    let by_path = |path: &str| {
        let call = world.admin.client.call("getPageByPath").space(space);
        call.path("pagePath", path).query("format", "markdown")
    };
    let text = by_path("api/motion").expect(200).await["markdown"].to_string();
    let operations = ["method=\\\"get\\\"", "method=\\\"post\\\""];
    assert!(operations.iter().all(|operation| text.contains(operation)), "{text}");
    let latest = world
        .spec_call("getLatestOpenAPISpecVersion", "gripper")
        .expect(200)
        .await;
    let text = by_path("api").expect(200).await["markdown"].to_string();
    let link = format!("[Download the OpenAPI document]({})", latest["url"].as_str().unwrap());
    assert!(text.contains(&link), "{text}");
    let stored = list().query("computed", "false").expect(200).await;
    assert_eq!(stored["pages"][1]["computed"]["props"], grouped["props"]);
}

fn sorted(paths: &[impl AsRef<str>]) -> Vec<String> {
    let mut paths: Vec<String> = paths.iter().map(|path| path.as_ref().to_owned()).collect();
    paths.sort();
    paths
}

async fn computed_pages_are_read_by_id_and_by_path(database: TestDatabase) {
    let world = World::new(database).await;
    world.process_document("gripper", &gripper()).await;
    let space = new_space(&world, "Gripper").await;
    let placeholder = add_computed(&world, space, "Interface", "gripper").await;
    let by_path = |path: &str| {
        let call = world.admin.client.call("getPageByPath").space(space);
        call.path("pagePath", path)
    };
    let page = by_path("interface/motion/close-the-fingers").expect(200).await;
    let block = &page["document"]["nodes"][0];
    assert_eq!(block["type"], "openapi-operation");
    assert_eq!(
        block["data"],
        json!({ "path": "/grip", "method": "post", "ref": { "kind": "openapi", "spec": "gripper" } })
    );
    let by_id = |id: &Value| {
        let call = world.admin.client.call("getPageById").space(space);
        call.path("pageId", id.as_str().unwrap())
    };
    assert_eq!(by_id(&page["id"]).expect(200).await, page);
    let markdown = by_id(&page["id"]).query("format", "markdown").expect(200).await;
    let markdown = markdown["markdown"].as_str().unwrap();
    assert!(
        markdown.contains("{% openapi-operation spec=\"gripper\" path=\"/grip\" method=\"post\" %}"),
        "{markdown}"
    );
    let revision = world.admin.client.call("getSpaceById").space(space).expect(200).await["revision"].clone();
    let document = world.admin.client.call("getPageDocumentInRevisionById").space(space);
    let document = document.path("revisionId", revision.as_str().unwrap());
    let document = document.path("pageId", page["id"].as_str().unwrap());
    assert_eq!(document.expect(200).await, page["document"]);
    let group = by_path("interface/motion").expect(200).await;
    let nodes = group["document"]["nodes"].as_array().unwrap();
    assert_eq!(nodes[1]["type"], "content-ref");
    assert_eq!(nodes[1]["data"]["ref"]["page"], page["id"]);
    assert_eq!(group["pages"].as_array().unwrap().len(), 2);
    let webhook = by_path("interface/webhooks/something-fell").expect(200).await;
    assert_eq!(webhook["document"]["nodes"][0]["data"]["name"], "dropped");
    let models = by_path("interface/models").expect(200).await;
    assert_eq!(models["document"]["nodes"][0]["data"]["schemas"], json!(["Force"]));
    let root = by_path("interface").expect(200).await;
    assert_eq!(
        (root["id"].as_str(), &root["type"]),
        (Some(placeholder.as_str()), &json!("document"))
    );
    // As they are stored, there is nothing below the placeholder, which has no path.
    for path in ["interface", "interface/motion"] {
        by_path(path).query("computed", "false").expect(404).await;
    }
    by_id(&page["id"]).query("computed", "false").expect(404).await;
    assert_eq!(
        by_id(&json!(placeholder)).query("computed", "false").expect(200).await["type"],
        "computed"
    );
    by_path("interface/motion/nothing").expect(404).await;
}

async fn readers_learn_how_many_operations_have_no_page(database: TestDatabase) {
    let (world, sources) = world_with_sources(database).await;
    let mut document = gripper();
    let operation = document["paths"]["/home"]["put"].clone();
    for number in 0..5_000 {
        let mut operation = operation.clone();
        operation["operationId"] = json!(format!("goTo{number}"));
        document["paths"][format!("/places/{number}")] = json!({ "put": operation });
    }
    sources.set_text("/gripper.json", document.to_string());
    world.process_source("gripper", sources.source("/gripper.json")).await;
    let space = new_space(&world, "Gripper").await;
    add_computed(&world, space, "Interface", "gripper").await;
    let root = world
        .admin
        .client
        .call("getPageByPath")
        .space(space)
        .path("pagePath", "interface");
    let root = root.query("format", "markdown").expect(200).await;
    let markdown = root["markdown"].as_str().unwrap();
    assert!(markdown.starts_with("# Interface\n\nMoves *things*."), "{markdown}");
    // A tag and 5,003 operations, and a webhook: there are pages for 5,000.
    assert!(markdown.contains("which have no page: 5."), "{markdown}");
    // There is no room for as many pages again.
    add_computed(&world, space, "Again", "gripper").await;
    let tree = world.admin.client.call("listPages").space(space).expect(200).await;
    let again = tree["pages"]
        .as_array()
        .unwrap()
        .iter()
        .find(|page| page["title"] == "Again");
    assert_eq!(again.unwrap()["pages"], json!([]));
    let call = world.admin.client.call("getPageByPath").space(space);
    let again = call.path("pagePath", "again").query("format", "markdown");
    let again = again.expect(200).await["markdown"].as_str().unwrap().to_owned();
    assert!(
        again.contains("Moves *things*.") && again.contains("which have no page: 5004."),
        "{again}"
    );
}

async fn an_operation_is_read_with_one_statement_more_than_a_text(database: TestDatabase) {
    let world = World::new(database).await;
    world.process_document("gripper", &gripper()).await;
    let (texts, interface) = (new_space(&world, "Texts").await, new_space(&world, "Interface").await);
    add_computed(&world, interface, "Interface", "gripper").await;
    let text = json!({ "operation": "insert_page", "title": "A text", "document": { "markdown": "A valve." } });
    write(&world, texts, vec![text]).await;
    let mut taken = Vec::new();
    for (space, path) in [(texts, "a-text"), (interface, "interface/motion/close-the-fingers")] {
        for _ in 0..2 {
            let call = world.admin.client.call("getPageByPath").space(space);
            let before = world.app().kernel.db.statements();
            call.path("pagePath", path).expect(200).await;
            taken.push(world.app().kernel.db.statements() - before);
        }
    }
    let [_, text, first, again] = taken[..] else {
        panic!("{taken:?}")
    };
    assert!(first > text, "{taken:?}");
    // One statement reads the present version of the specification.
    assert_eq!(again, text + 1, "{taken:?}");
}

async fn a_new_version_changes_the_pages_without_an_edit(database: TestDatabase) {
    let world = World::new(database).await;
    world.process_document("gripper", &gripper()).await;
    let space = new_space(&world, "Gripper").await;
    add_computed(&world, space, "Interface", "gripper").await;
    let list = || world.admin.client.call("listPages").space(space);
    let before = list().send().await;
    let tag = before.headers["etag"].to_str().unwrap().to_owned();
    let stored = list().query("computed", "false").send().await.headers["etag"].clone();
    assert_eq!(list().header("if-none-match", &tag).send().await.status, 304);
    let entry = |tree: &Value| tree["pages"][1]["pages"][0]["pages"][0].clone();
    let mut document = gripper();
    document["paths"]["/grip"]["post"]["summary"] = json!("Grip");
    document["paths"]["/grip"].as_object_mut().unwrap().remove("get");
    world.process_document("gripper", &document).await;
    let after = list().header("if-none-match", &tag).send().await;
    let (before, after_tree) = (entry(&before.expect(200)), entry(&after.expect(200)));
    assert_eq!(before["id"], after_tree["id"]);
    assert_eq!(after_tree["path"], "interface/motion/grip");
    let of_group = after.expect(200)["pages"][1]["pages"][0]["pages"]
        .as_array()
        .unwrap()
        .len();
    assert_eq!(of_group, 1);
    let still = list()
        .query("computed", "false")
        .header("if-none-match", stored.to_str().unwrap());
    assert_eq!(still.send().await.status, 304);
    // A revision from before reads the same.
    let change = json!({ "operation": "insert_page", "title": "More", "document": { "markdown": "-" } });
    write(&world, space, vec![change]).await;
    let first = world.admin.client.call("listRevisions").space(space).expect(200).await["items"][1]["id"].clone();
    let pages = world.admin.client.call("listPagesInRevisionById").space(space);
    let pages = pages.path("revisionId", first.as_str().unwrap()).expect(200).await;
    assert_eq!(entry(&pages), after_tree);
}

async fn a_change_request_pins_a_version(database: TestDatabase) {
    let world = World::new(database).await;
    let first = world.process_document("gripper", &gripper()).await;
    let space = new_space(&world, "Gripper").await;
    let placeholder = add_computed(&world, space, "Interface", "gripper").await;
    let request = world.admin.client.call("createChangeRequest").space(space);
    let request = request.json(json!({ "subject": "Stay" })).expect(201).await;
    let within = |operation: &str| {
        let call = world.admin.client.call(operation).space(space);
        call.path("changeRequestId", id(&request))
    };
    let pin = async |computed: Value| {
        let change = json!({ "operation": "update_page", "page": placeholder, "computed": computed });
        within("updateChangeRequestContent")
            .json(json!({ "changes": [change] }))
            .expect(200)
            .await;
    };
    pin(pinned(&first)).await;
    let mut document = gripper();
    document["paths"]["/home"]["put"]["summary"] = json!("Go home");
    let second = world.process_document("gripper", &document).await;
    assert_ne!(first["lastVersion"], second["lastVersion"]);
    let read = async |call: Call<'_>| {
        let tree = call.expect(200).await;
        let root = &tree["pages"][1];
        let version = root["computed"]["dependencies"]["spec"]["value"]["lastVersion"].clone();
        (version, root["pages"][1]["pages"][0]["title"].clone())
    };
    let in_request = read(within("listPagesInChangeRequest")).await;
    assert_eq!(in_request, (first["lastVersion"].clone(), json!("goHome")));
    let in_space = || world.admin.client.call("listPages").space(space);
    assert_eq!(
        read(in_space()).await,
        (second["lastVersion"].clone(), json!("Go home"))
    );
    let stored = within("listPagesInChangeRequest")
        .query("computed", "false")
        .expect(200)
        .await;
    let value = &stored["pages"][1]["computed"]["dependencies"]["spec"]["value"];
    assert_eq!(value["lastVersion"], first["lastVersion"]);
    let changes = within("getChangeRequestChanges").send().await;
    assert_eq!(changes.status, 200, "{}", changes.text);
    within("mergeChangeRequest").expect(200).await;
    assert_eq!(read(in_space()).await, in_request);
    let change = json!({ "operation": "update_page", "page": placeholder, "computed": source("gripper") });
    write(&world, space, vec![change]).await;
    assert_eq!(read(in_space()).await.1, "Go home");
}

async fn a_space_is_made_of_a_specification(database: TestDatabase) {
    let world = World::new(database).await;
    world.process_document("Gripper-API", &gripper()).await;
    let create = || world.admin.client.call("createSpace").here(&world);
    let body = json!({ "title": "Reference", "computedSource": source("Gripper-API") });
    let space = node_id(&create().json(body).expect(201).await);
    let tree = world.admin.client.call("listPages").space(space).expect(200).await;
    let paths = paths(&tree["pages"]);
    assert_eq!(paths.len(), 9);
    assert_eq!(paths[..2], ["gripper-api", "gripper-api/motion"]);
    for (unknown, pointer) in [
        (source("nothing"), "/body/computedSource/dependencies/spec"),
        (
            source(&world.foreign("specSlug")),
            "/body/computedSource/dependencies/spec",
        ),
    ] {
        let answer = create().json(json!({ "computedSource": unknown })).send().await;
        answer.has_detail(pointer, "unknown-source");
    }
    let answer = create()
        .json(json!({ "computedSource": { "type": "builtin:openapi", "props": {} } }))
        .send()
        .await;
    answer.has_detail("/body/computedSource/dependencies", "required");
}

async fn a_placeholder_needs_a_specification_of_the_organization(database: TestDatabase) {
    let world = World::new(database).await;
    let spec = world.process_document("gripper", &gripper()).await;
    let other = world.process_document("other", &gripper()).await;
    let space = new_space(&world, "Gripper").await;
    let send = async |change: Value| {
        let call = world.admin.client.call("updateSpaceContent").space(space);
        call.json(json!({ "changes": [change] })).send().await
    };
    let mut of_other_specification = pinned(&spec);
    of_other_specification["dependencies"]["spec"]["value"]["lastVersion"] = other["lastVersion"].clone();
    let mut foreign = pinned(&spec);
    foreign["dependencies"]["spec"]["value"]["lastVersion"] = json!(world.foreign("versionId"));
    let unknown = [
        source("nothing"),
        source(&world.foreign("specSlug")),
        of_other_specification,
        foreign,
    ];
    for computed in unknown {
        let answer = send(json!({ "operation": "insert_computed_page", "computed": computed })).await;
        answer.has_detail("/body/changes/0/computed/dependencies/spec", "unknown-source");
    }
    let by_id = source(spec["id"].as_str().unwrap());
    let answer = send(json!({ "operation": "insert_computed_page", "computed": by_id })).await;
    let page = answer.expect(200)["changes"][0]["page"]["id"].clone();
    let tree = world.admin.client.call("listPages").space(space).expect(200).await;
    assert_eq!(
        (&tree["pages"][1]["id"], &tree["pages"][1]["slug"]),
        (&page, &json!("gripper"))
    );
    let below = tree["pages"][1]["pages"][0]["id"].clone();
    // Computed pages are no part of the content: they are not edited, and nothing is put below them.
    for change in [
        json!({ "operation": "update_page", "page": below, "title": "Mine" }),
        json!({ "operation": "delete_page", "page": below }),
    ] {
        send(change).await.has_detail("/body/changes/0/page", "unknown");
    }
    for into in [&page, &below] {
        let change = json!({ "operation": "insert_page", "into": into, "document": { "markdown": "-" } });
        assert_eq!(send(change).await.status, 400);
    }
    let document = tree["pages"][0]["id"].clone();
    let change = json!({ "operation": "update_page", "page": document, "computed": source("gripper") });
    send(change).await.has_detail("/body/changes/0/computed", "page-type");
    let change = json!({ "operation": "insert_computed_page", "slug": "gripper", "computed": source("gripper") });
    send(change).await.has_detail("/body/changes/0/slug", "unique");
}

async fn pages_stay_when_their_specification_goes(database: TestDatabase) {
    let world = World::new(database).await;
    world.process_document("gripper", &gripper()).await;
    let space = new_space(&world, "Gripper").await;
    let placeholder = add_computed(&world, space, "Interface", "gripper").await;
    world.spec_call("deleteOpenAPISpecBySlug", "gripper").expect(204).await;
    let list = || world.admin.client.call("listPages").space(space);
    let root = list().expect(200).await["pages"][1].clone();
    assert_eq!(
        (root["id"].as_str(), &root["type"]),
        (Some(placeholder.as_str()), &json!("document"))
    );
    assert_eq!(
        (&root["pages"], &root["computed"]["dependencies"]["spec"]["value"]),
        (&json!([]), &Value::Null)
    );
    let page = world
        .admin
        .client
        .call("getPageById")
        .space(space)
        .path("pageId", &placeholder);
    assert!(page.expect(200).await.get("document").is_none());
    // A specification with the same slug takes its place.
    world.process_document("gripper", &gripper()).await;
    assert_eq!(
        list().expect(200).await["pages"][1]["pages"].as_array().unwrap().len(),
        4
    );
}

async fn visitors_read_computed_pages(database: TestDatabase) {
    let world = World::new(database).await;
    world.process_document("gripper", &gripper()).await;
    world.process_document("secret", &gripper()).await;
    let space = new_space(&world, "Gripper").await;
    add_computed(&world, space, "Interface", "gripper").await;
    let site = world.new_site("Manuals", &[&json!({ "id": space.to_string() })]).await;
    let site = world.on_site(&world.admin, "publishSite", &site).expect(200).await;
    let address = site["urls"]["published"].as_str().unwrap().to_owned();
    let found = find(&world, &format!("{address}interface/motion/close-the-fingers")).await;
    let visitor = visitor(&world, &found);
    let tree = visitor.call("listPages").space(space).expect(200).await;
    let page = tree["pages"][1]["pages"][0]["pages"][0].clone();
    let read = visitor
        .call("getPageById")
        .space(space)
        .path("pageId", id(&page))
        .expect(200)
        .await;
    assert_eq!(read["document"]["nodes"][0]["type"], "openapi-operation");
    let document = |spec: &str| {
        let mut source = page["computed"].clone();
        source["dependencies"]["spec"] = json!({ "ref": { "kind": "openapi", "spec": spec } });
        let body = json!({ "source": source, "seed": page["computedSeed"] });
        visitor.call("getComputedDocument").space(space).json(body)
    };
    assert_eq!(document("gripper").expect(200).await, read["document"]);
    for unknown in ["secret", "nothing"] {
        document(unknown)
            .send()
            .await
            .has_detail("/body/source/dependencies/spec", "unknown-source");
    }
}
