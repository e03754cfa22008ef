//! Links to computed pages.

use entity::ids::NodeId;
use serde_json::{Value, json};

use crate::support::{
    client::Call,
    computed::{add_computed, gripper, pinned, source},
    database::{TestDatabase, on_each_database},
    links::{backlinks, links},
    paths::{node_id, texts},
    published::id,
    space_templates::{create, mark},
    texts::{add, delete, edit, new_space, titles, write},
    world::World,
};

on_each_database![
    links_lead_to_computed_pages,
    links_follow_the_specification,
    change_requests_have_computed_pages_of_their_own,
    templates_take_references_to_computed_pages,
    copies_of_templates_have_links_of_their_own,
];

const CLOSE: &str = "interface/motion/close-the-fingers";

/// The id of the computed page at a path of a space.
async fn page_at(world: &World, space: NodeId, path: &str) -> String {
    let call = world.admin.client.call("getPageByPath").space(space);
    id(&call.path("pagePath", path).expect(200).await).to_owned()
}

/// The status of each link, and the path of the page that it leads to.
async fn found(list: Call<'_>) -> Vec<(String, String)> {
    let list = list.expect(200).await;
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let items = list["items"].as_array().unwrap().iter();
    items
        .map(|link| (text(&link["status"]), text(&link["targetReference"]["page"]["path"])))
        .collect()
}

fn ok(path: &str) -> (String, String) {
    ("ok".to_owned(), path.to_owned())
}

fn broken() -> (String, String) {
    ("broken".to_owned(), "-".to_owned())
}

async fn links_lead_to_computed_pages(database: TestDatabase) {
    let world = World::new(database).await;
    world.process_document("gripper", &gripper()).await;
    let space = new_space(&world, "Gripper").await;
    let placeholder = add_computed(&world, space, "Interface", "gripper").await;
    let close = page_at(&world, space, CLOSE).await;
    let text = format!(
        "[id](/pages/{close})\n\n[place](/pages/{close}#body)\n\n[path](/pages/interface/motion/read-the-width)\n\n\
         [file](interface/operations/gohome.md)\n\n[group](./interface/motion/README.md)\n\n[all](/pages/interface)\n\n\
         [nothing](/pages/interface/motion/nothing)",
    );
    let made = add(&world, space, &[("a", &text)]).await;
    let elsewhere = new_space(&world, "Elsewhere").await;
    let text = format!("[far](/spaces/{space}/pages/{close})");
    let far = add(&world, elsewhere, &[("far", &text)]).await;
    let expected = [
        CLOSE,
        CLOSE,
        "interface/motion/read-the-width",
        "interface/operations/gohome",
        "interface/motion",
        "interface",
    ];
    let expected: Vec<_> = expected.into_iter().map(ok).collect();
    let of_page = world.admin.client.call("listPageLinksInSpace").space(space);
    let of_page = found(of_page.path("pageId", &made["a"])).await;
    assert_eq!(of_page, expected);
    assert_eq!(found(links(&world.admin, space)).await, expected);
    assert_eq!(found(links(&world.admin, elsewhere)).await, [ok(CLOSE)]);
    let list = links(&world.admin, space).expect(200).await;
    let target = &list["items"][0]["targetReference"];
    assert_eq!(
        (&target["page"]["id"], &target["page"]["title"]),
        (&json!(close), &json!("Close the fingers"))
    );
    assert_eq!(target["page"]["computed"]["props"]["page"], "operation:post /grip");
    assert_eq!(
        list["items"][1]["targetReference"]["internalLocation"]["anchor"],
        "body"
    );
    // The way back.
    let back = backlinks(&world.admin, space, &close).expect(200).await;
    assert_eq!(titles(&back), ["a", "a", "far"]);
    let motion = page_at(&world, space, "interface/motion").await;
    assert_eq!(
        titles(&backlinks(&world.admin, space, &motion).expect(200).await),
        ["a"]
    );
    let home = page_at(&world, space, "interface/webhooks").await;
    assert_eq!(
        backlinks(&world.admin, space, &home).expect(200).await["items"],
        json!([])
    );
    // What a computed text links to is not listed.
    let of_computed = world.admin.client.call("listPageLinksInSpace").space(space);
    assert_eq!(found(of_computed.path("pageId", &motion)).await, []);
    let root = format!("[root](/spaces/{space}/pages/{placeholder})");
    write(&world, elsewhere, vec![edit(&far["far"], &root)]).await;
    assert_eq!(found(links(&world.admin, elsewhere)).await, [ok("interface")]);
    // As others see it.
    world
        .admin
        .client
        .call("updateSpaceById")
        .space(space)
        .json(json!({ "defaultLevel": null }))
        .expect(200)
        .await;
    let reader = world.person("read");
    assert_eq!(found(links(reader, elsewhere)).await, [broken()]);
}

async fn links_follow_the_specification(database: TestDatabase) {
    let world = World::new(database).await;
    let document = gripper();
    world.process_document("gripper", &document).await;
    let space = new_space(&world, "Gripper").await;
    add_computed(&world, space, "Interface", "gripper").await;
    let elsewhere = new_space(&world, "Elsewhere").await;
    let close = page_at(&world, space, CLOSE).await;
    add(&world, space, &[("a", &format!("[close](/pages/{close})"))]).await;
    add(
        &world,
        elsewhere,
        &[("far", &format!("[close](/spaces/{space}/pages/{close})"))],
    )
    .await;
    let statuses = async || {
        [
            found(links(&world.admin, space)).await,
            found(links(&world.admin, elsewhere)).await,
        ]
        .concat()
    };
    assert_eq!(statuses().await, [ok(CLOSE), ok(CLOSE)]);
    let mut less = document.clone();
    less["paths"]["/grip"].as_object_mut().unwrap().remove("post");
    world.process_document("gripper", &less).await;
    assert_eq!(statuses().await, [broken(), broken()]);
    backlinks(&world.admin, space, &close).expect(404).await;
    let mut renamed = document;
    renamed["paths"]["/grip"]["post"]["summary"] = json!("Grip");
    world.process_document("gripper", &renamed).await;
    assert_eq!(
        statuses().await,
        [ok("interface/motion/grip"), ok("interface/motion/grip")]
    );
    world.spec_call("deleteOpenAPISpecBySlug", "gripper").expect(204).await;
    assert_eq!(statuses().await, [broken(), broken()]);
}

async fn change_requests_have_computed_pages_of_their_own(database: TestDatabase) {
    let world = World::new(database).await;
    let first = world.process_document("gripper", &gripper()).await;
    let space = new_space(&world, "Gripper").await;
    let placeholder = add_computed(&world, space, "Interface", "gripper").await;
    let close = page_at(&world, space, CLOSE).await;
    let made = add(&world, space, &[("a", &format!("[close](/pages/{close})"))]).await;
    let request = world.admin.client.call("createChangeRequest").space(space);
    let request = request.json(json!({ "subject": "Stay" })).expect(201).await;
    let within = |operation: &str| {
        let call = world.admin.client.call(operation).space(space);
        call.path("changeRequestId", id(&request))
    };
    let change = async |changes: Value| {
        let call = within("updateChangeRequestContent");
        call.json(json!({ "changes": changes })).expect(200).await;
    };
    change(json!([{ "operation": "update_page", "page": placeholder, "computed": pinned(&first) }])).await;
    let mut less = gripper();
    less["paths"]["/grip"].as_object_mut().unwrap().remove("post");
    world.process_document("gripper", &less).await;
    // The change request stays with the version that has the operation.
    assert_eq!(found(within("listChangeRequestLinks")).await, [ok(CLOSE)]);
    assert_eq!(found(links(&world.admin, space)).await, [broken()]);
    let back = within("listChangeRequestPageBacklinks").path("pageId", &close);
    assert_eq!(titles(&back.expect(200).await), ["a"]);
    let again = json!([edit(&made["a"], "[close](/pages/interface/motion/close-the-fingers)")]);
    change(again).await;
    assert_eq!(found(within("listChangeRequestLinks")).await, [ok(CLOSE)]);
    // Where a link was broken.
    let contexts = async || {
        let of = |context: &str| {
            within("listChangeRequestLinks")
                .query("brokenContext", context)
                .expect(200)
        };
        let (request, space) = (of("change-request").await, of("space").await);
        (texts(&request, "/status").len(), texts(&space, "/status").len())
    };
    change(json!([{ "operation": "update_page", "page": placeholder, "computed": source("gripper") }])).await;
    assert_eq!(contexts().await, (0, 1));
    world.process_document("gripper", &gripper()).await;
    assert_eq!(contexts().await, (0, 0));
    change(json!([delete(&placeholder)])).await;
    assert_eq!(contexts().await, (1, 0));
}

async fn templates_take_references_to_computed_pages(database: TestDatabase) {
    let world = World::new(database).await;
    world.process_document("gripper", &gripper()).await;
    let space = new_space(&world, "Gripper").await;
    add_computed(&world, space, "Interface", "gripper").await;
    let close = page_at(&world, space, CLOSE).await;
    let template = new_space(&world, "Template").await;
    add(&world, template, &[("a", "See [the operation](/params/operation).")]).await;
    mark(&world, template).expect(200).await;
    let apply = |to: NodeId, reference: Value| {
        let params = json!({ "contentRefs": { "operation": reference } });
        let call = world.admin.client.call("applyTemplateToSpace").space(to);
        call.json(json!({ "id": template.to_string(), "params": params }))
    };
    let there = json!({ "kind": "page", "page": close, "space": space.to_string() });
    let other = new_space(&world, "Other").await;
    for to in [space, other] {
        apply(to, there.clone()).expect(204).await;
        assert_eq!(found(links(&world.admin, to)).await, [ok(CLOSE)]);
    }
    write(&world, space, vec![delete(&page_at(&world, space, "interface").await)]).await;
    let answer = apply(other, there).send().await;
    answer.expect(400);
}

async fn copies_of_templates_have_links_of_their_own(database: TestDatabase) {
    let world = World::new(database).await;
    world.process_document("gripper", &gripper()).await;
    let template = new_space(&world, "Template").await;
    add_computed(&world, template, "Interface", "gripper").await;
    let text = "[close](/pages/interface/motion/close-the-fingers)\n\n[all](/pages/interface)\n\n[models](/pages/interface/models)";
    add(&world, template, &[("a", text)]).await;
    mark(&world, template).expect(200).await;
    let create = create(&world.admin, &world, json!({ "id": template.to_string() }));
    let made = node_id(&create.expect(201).await);
    let expected = [ok(CLOSE), ok("interface"), ok("interface/models")];
    assert_eq!(found(links(&world.admin, made)).await, expected);
    let (close, of_template) = (
        page_at(&world, made, CLOSE).await,
        page_at(&world, template, CLOSE).await,
    );
    assert_ne!(close, of_template);
    assert_eq!(titles(&backlinks(&world.admin, made, &close).expect(200).await), ["a"]);
}
