//! Blocks of integrations that Markdown writes as blocks of code.

use serde_json::{Value, json};

use crate::support::{
    client::{Answer, Call},
    database::{TestDatabase, on_each_database},
    import::{directory, imported, tree},
    installed::set_status,
    published::{Published, find, id, visitor},
    texts::{add, edit, new_space, without_title},
    world::World,
};

on_each_database![
    code_is_a_block_where_the_integration_is_installed,
    code_is_a_block_only_while_the_integration_is_active,
    a_page_that_is_written_as_it_was_read_is_unchanged,
    blocks_are_written_as_code,
    blocks_with_more_than_code_stay_tags,
    change_requests_have_blocks,
    visitors_see_blocks,
    imported_code_is_a_block,
    long_code_is_a_block,
];

const FENCE: &str = "```tide\nnorth\n  low\n```";

fn block(content: &str) -> Value {
    json!({ "integration": "gauge", "block": "level", "props": { "content": content } })
}

/// Publishes an integration with a block for code.
async fn publish(world: &World) {
    let markdown = json!({ "codeblock": "tide", "body": "content" });
    let block = json!({ "id": "level", "title": "Water level", "markdown": markdown });
    world.publish("gauge", json!({ "blocks": [block] })).await;
}

/// The same on all spaces of the organization.
async fn install(world: &World) {
    publish(world).await;
    world.add_installation("gauge", world.organization, json!([])).await;
}

fn on_page<'a>(world: &'a World, operation: &str, space: impl ToString, page: &str) -> Call<'a> {
    let call = world.admin.client.call(operation).path("spaceId", space);
    call.path("pageId", page)
}

async fn send(world: &World, space: impl ToString, page: &str) -> Answer {
    on_page(world, "getPageById", space, page).send().await
}

async fn nodes(world: &World, space: impl ToString, page: &str) -> Value {
    send(world, space, page).await.expect(200)["document"]["nodes"].clone()
}

async fn markdown(world: &World, space: impl ToString, page: &str) -> String {
    let call = on_page(world, "getPageById", space, page).query("format", "markdown");
    without_title(&call.expect(200).await)
}

/// A change of the text of a page to nodes.
fn edit_nodes(page: &str, nodes: Value) -> Value {
    let document = json!({ "object": "document", "data": {}, "nodes": nodes });
    json!({ "operation": "update_page", "page": page, "document": { "document": document } })
}

fn integration_node(data: Value) -> Value {
    json!({ "object": "block", "type": "integration", "isVoid": true, "data": data })
}

async fn update(world: &World, space: impl ToString, change: Value) -> Value {
    let call = world.admin.client.call("updateSpaceContent").path("spaceId", space);
    call.json(json!({ "changes": [change] })).expect(200).await
}

async fn code_is_a_block_where_the_integration_is_installed(database: TestDatabase) {
    let world = World::new(database).await;
    let (here, apart) = (new_space(&world, "Here").await, new_space(&world, "Apart").await);
    publish(&world).await;
    let admin = &world.admin.client;
    let installed = admin.call("installIntegration").path("integrationName", "gauge");
    let installed = installed
        .json(json!({ "organization": world.organization }))
        .expect(201)
        .await;
    let installed_on = admin.call("installIntegrationOnSpace").path("integrationName", "gauge");
    let installed_on = installed_on.path("installationId", id(&installed));
    installed_on.json(json!({ "space": here })).expect(201).await;
    for (space, is_block) in [(here, true), (apart, false)] {
        let page = &add(&world, space, &[("Harbor", FENCE)]).await["Harbor"];
        let read = send(&world, space, page).await.expect(200);
        let whole = on_page(&world, "getPageDocumentInRevisionById", space, page);
        let revision = world
            .admin
            .client
            .call("getCurrentRevision")
            .space(space)
            .expect(200)
            .await;
        let whole = whole.path("revisionId", id(&revision)).expect(200).await;
        let document = world.admin.client.call("getDocumentById").space(space);
        let document = document.path("documentId", read["documentId"].as_str().unwrap());
        for nodes in [
            &read["document"]["nodes"],
            &whole["nodes"],
            &document.expect(200).await["nodes"],
        ] {
            let node = &nodes[0];
            match is_block {
                true => {
                    assert_eq!(node["type"], "integration");
                    assert_eq!(node["data"], block("north\n  low"));
                }
                false => assert_eq!(node["type"], "code"),
            }
            assert_eq!(nodes.as_array().unwrap().len(), 1);
        }
        assert_eq!(markdown(&world, space, page).await.trim(), FENCE);
    }
}

async fn code_is_a_block_only_while_the_integration_is_active(database: TestDatabase) {
    let world = World::new(database).await;
    let page = &add(&world, world.space, &[("Harbor", FENCE)]).await["Harbor"];
    let before = send(&world, world.space, page).await;
    assert_eq!(before.expect(200)["document"]["nodes"][0]["type"], "code");
    install(&world).await;
    let mut tags = vec![before.headers["etag"].clone()];
    for (status, name) in [("active", "integration"), ("pending", "code")] {
        set_status(&world, status).await;
        let tag = tags.last().unwrap().to_str().unwrap().to_owned();
        let call = on_page(&world, "getPageById", world.space, page);
        let answer = call.header("if-none-match", tag).send().await;
        assert_eq!(answer.expect(200)["document"]["nodes"][0]["type"], name, "{status}");
        tags.push(answer.headers["etag"].clone());
    }
    assert_eq!(tags[0], tags[2]);
}

async fn a_page_that_is_written_as_it_was_read_is_unchanged(database: TestDatabase) {
    let world = World::new(database).await;
    install(&world).await;
    let text = format!(
        "Before.\n\n{FENCE}\n\n{{% tabs %}}\n{{% tab title=\"North\" %}}\n{FENCE}\n{{% endtab %}}\n{{% endtabs %}}\n\n```rust\nafter\n```"
    );
    let made = add(&world, world.space, &[("Harbor", &text)]).await;
    let page = &made["Harbor"];
    let revision = world
        .admin
        .client
        .call("getCurrentRevision")
        .space(world.space)
        .expect(200)
        .await["id"]
        .clone();
    let read = nodes(&world, world.space, page).await;
    assert_eq!(read[1]["data"], block("north\n  low"));
    assert_eq!(read[2]["nodes"][0]["nodes"][0]["data"], block("north\n  low"));
    assert_eq!(read[3]["type"], "code");
    let written = update(&world, world.space, edit_nodes(page, read)).await;
    assert_eq!(
        written["revision"],
        revision,
        "{}",
        markdown(&world, world.space, page).await
    );
    assert_eq!(markdown(&world, world.space, page).await.trim(), text);
}

async fn blocks_are_written_as_code(database: TestDatabase) {
    let world = World::new(database).await;
    install(&world).await;
    let page = &add(&world, world.space, &[("Harbor", "Nothing yet.")]).await["Harbor"];
    let content = "first\n\n```\nlast";
    let change = edit_nodes(page, json!([integration_node(block(content))]));
    let first = update(&world, world.space, change).await;
    let written = markdown(&world, world.space, page).await;
    assert_eq!(written.trim(), "````tide\nfirst\n\n```\nlast\n````");
    assert_eq!(nodes(&world, world.space, page).await[0]["data"], block(content));
    // The same Markdown, from a client that writes Markdown.
    let again = update(&world, world.space, edit(page, &written)).await;
    assert_eq!(again["revision"], first["revision"]);
}

async fn blocks_with_more_than_code_stay_tags(database: TestDatabase) {
    let world = World::new(database).await;
    let page = &add(&world, world.space, &[("Harbor", "Nothing yet.")]).await["Harbor"];
    let mut wide = block("north");
    wide["props"]["height"] = json!(2);
    let blocks = json!([integration_node(wide.clone()), integration_node(block("south"))]);
    let tag = "{% @gauge/level content=\"north\" height=2 %}\n\n";
    update(&world, world.space, edit_nodes(page, blocks.clone())).await;
    let written = markdown(&world, world.space, page).await;
    assert_eq!(written.trim(), format!("{tag}{{% @gauge/level content=\"south\" %}}"));
    install(&world).await;
    update(&world, world.space, edit_nodes(page, blocks)).await;
    let written = markdown(&world, world.space, page).await;
    assert_eq!(written.trim(), format!("{tag}```tide\nsouth\n```"));
    let read = nodes(&world, world.space, page).await;
    assert_eq!(read[0]["data"], wide);
    assert_eq!(read[1]["data"], block("south"));
}

async fn change_requests_have_blocks(database: TestDatabase) {
    let world = World::new(database).await;
    install(&world).await;
    let page = &add(&world, world.space, &[("Harbor", "Nothing yet.")]).await["Harbor"];
    let request = world.admin.client.call("createChangeRequest").space(world.space);
    let request = request.json(json!({ "subject": "Tides" })).expect(201).await;
    let within = |operation: &str| {
        let call = world.admin.client.call(operation).space(world.space);
        call.path("changeRequestId", id(&request))
    };
    let change = edit_nodes(page, json!([integration_node(block("north"))]));
    let call = within("updateChangeRequestContent");
    call.json(json!({ "changes": [change] })).expect(200).await;
    let read = || within("getPageInChangeRequestById").path("pageId", page);
    assert_eq!(read().expect(200).await["document"]["nodes"][0]["data"], block("north"));
    let text = read().query("format", "markdown").expect(200).await;
    assert_eq!(without_title(&text).trim(), "```tide\nnorth\n```");
    within("mergeChangeRequest").expect(200).await;
    assert_eq!(nodes(&world, world.space, page).await[0]["data"], block("north"));
}

async fn visitors_see_blocks(database: TestDatabase) {
    let world = World::new(database).await;
    install(&world).await;
    let published = Published::new(&world, &["One"]).await;
    let space = id(&published.spaces[0]);
    let made = add(&world, space.parse().unwrap(), &[("Harbor", FENCE)]).await;
    let found = find(&world, &format!("{}start", published.address)).await;
    let visitor = visitor(&world, &found);
    let call = visitor.call("getPageById").path("spaceId", space);
    let read = call.path("pageId", &made["Harbor"]).expect(200).await;
    assert_eq!(read["document"]["nodes"][0]["data"], block("north\n  low"));
}

async fn imported_code_is_a_block(database: TestDatabase) {
    let world = World::new(database).await;
    let book = directory(&[("README.md", &format!("# Harbor\n\n{FENCE}\n"))]);
    let (space, _) = imported(&world, book.path()).await;
    install(&world).await;
    let pages = tree(&world, space).await;
    let page = id(&pages["pages"][0]);
    assert_eq!(nodes(&world, space, page).await[0]["data"], block("north\n  low"));
    assert_eq!(markdown(&world, space, page).await.trim(), FENCE);
}

async fn long_code_is_a_block(database: TestDatabase) {
    let world = World::new(database).await;
    install(&world).await;
    // Long enough to be parsed in parts, and to be answered piece by piece.
    let content = vec!["a line of tides"; 2_500].join("\n");
    let text = format!("Before.\n\n```tide\n{content}\n```\n\nAfter.");
    let page = &add(&world, world.space, &[("Harbor", &text)]).await["Harbor"];
    let read = nodes(&world, world.space, page).await;
    assert_eq!(read[1]["data"], block(&content));
    assert_eq!(read[2]["type"], "paragraph");
    update(&world, world.space, edit_nodes(page, read)).await;
    assert_eq!(markdown(&world, world.space, page).await.trim(), text);
}
