//! Templates: marking spaces, listing templates, and the spaces that are made from them.

use entity::ids::NodeId;
use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    paths::{node_id, texts},
    space_templates::{create, mark},
    texts::{add, edit, new_space, write},
    world::{Person, World},
};

on_each_database![
    a_space_is_a_template_as_it_was_when_it_was_marked,
    templates_are_listed_for_those_who_read_their_spaces,
    a_template_goes_and_comes_back_with_its_space_and_ends_with_a_transfer,
    large_content_is_no_template,
    a_space_starts_with_the_content_of_a_template,
    the_templates_of_the_server_can_be_used,
    a_template_and_its_values_are_checked_before_a_space_is_made,
];

/// The templates of spaces that a person sees.
async fn listed(person: &Person, world: &World) -> Vec<Value> {
    let list = person.client.call("listTemplates").here(world).expect(200).await;
    let items = list["items"].as_array().unwrap();
    assert_eq!(list["count"], items.len());
    items.iter().filter(|item| item["builtIn"] == false).cloned().collect()
}

async fn page_titles(world: &World, space: NodeId) -> Vec<String> {
    let pages = world.admin.client.call("listPages").space(space).expect(200).await;
    let pages = pages["pages"].as_array().unwrap().iter();
    pages.map(|page| page["title"].as_str().unwrap().to_owned()).collect()
}

async fn a_space_is_a_template_as_it_was_when_it_was_marked(database: TestDatabase) {
    let world = World::new(database).await;
    let space = new_space(&world, "Start here").await;
    let text =
        "---\nparameters: {support: Where readers get help}\n---\n\n[Help](/params/support) ![Logo](/params/logo)";
    let made = add(&world, space, &[("Help", text)]).await;
    let template = mark(&world, space).expect(200).await;
    assert_eq!(template["id"], space.to_string());
    assert_eq!(
        (&template["title"], &template["pages"]),
        (&json!("Start here"), &json!(2))
    );
    let link = [
        "file",
        "url",
        "page",
        "anchor",
        "user",
        "collection",
        "space",
        "openapi",
    ];
    assert_eq!(
        template["parameters"],
        json!([
            { "name": "logo", "kinds": ["file", "url"] },
            { "name": "support", "kinds": link, "description": "Where readers get help" },
        ])
    );
    assert_eq!(listed(&world.read, &world).await, std::slice::from_ref(&template));
    // Marking the same content again changes nothing.
    assert_eq!(mark(&world, space).expect(200).await, template);
    write(&world, space, vec![edit(&made["Help"], "[Help](/params/help)")]).await;
    assert_eq!(listed(&world.read, &world).await, std::slice::from_ref(&template));
    let again = mark(&world, space).expect(200).await;
    assert_eq!(again["parameters"][0]["name"], "help");
    assert_eq!(again["createdAt"], template["createdAt"]);
    assert_ne!(again["revision"], template["revision"]);
    for _ in 0..2 {
        let unmark = world.admin.client.call("unmarkSpaceAsTemplate").space(space);
        unmark.expect(204).await;
        assert!(listed(&world.admin, &world).await.is_empty());
    }
    let refused = create(&world.admin, &world, json!({ "id": space })).send().await;
    refused.has_detail("/body/template/id", "unknown-template");
}

async fn templates_are_listed_for_those_who_read_their_spaces(database: TestDatabase) {
    let world = World::new(database).await;
    let (open, closed) = (new_space(&world, "Open").await, new_space(&world, "Closed").await);
    for space in [open, closed] {
        mark(&world, space).expect(200).await;
    }
    let close = world.admin.client.call("updateSpaceById").space(closed);
    close.json(json!({ "defaultLevel": null })).expect(200).await;
    let seen = |templates: Vec<Value>| templates.iter().map(|it| it["title"].clone()).collect::<Vec<_>>();
    assert_eq!(seen(listed(&world.admin, &world).await), ["Closed", "Open"]);
    assert_eq!(seen(listed(&world.read, &world).await), ["Open"]);
    assert!(seen(listed(&world.guest, &world).await).is_empty());
    create(&world.create, &world, json!({ "id": open })).expect(201).await;
    let refused = create(&world.create, &world, json!({ "id": closed })).send().await;
    refused.has_detail("/body/template/id", "unknown-template");
    // Nobody uses the template of another organization.
    let call = world
        .other_admin
        .client
        .call("createSpace")
        .within(world.other_organization);
    let refused = call.json(json!({ "template": { "id": open } })).send().await;
    refused.has_detail("/body/template/id", "unknown-template");
    let list = world
        .other_admin
        .client
        .call("listTemplates")
        .within(world.other_organization);
    let list = list.expect(200).await;
    assert_eq!(
        (list["count"].as_u64(), &list["items"][0]["id"]),
        (Some(5), &json!("builtin:handbook"))
    );
}

async fn a_template_goes_and_comes_back_with_its_space_and_ends_with_a_transfer(database: TestDatabase) {
    let world = World::new(database).await;
    let space = new_space(&world, "Template").await;
    mark(&world, space).expect(200).await;
    let call = |operation: &str| world.admin.client.call(operation).space(space);
    call("deleteSpaceById").expect(204).await;
    assert!(listed(&world.admin, &world).await.is_empty());
    let refused = create(&world.admin, &world, json!({ "id": space })).send().await;
    refused.has_detail("/body/template/id", "unknown-template");
    call("restoreSpace").expect(200).await;
    assert_eq!(listed(&world.admin, &world).await.len(), 1);
    let members = bindery::areas::organizations::members::add(
        &world.app().kernel,
        world.other_organization,
        world.admin.id,
        Some(entity::organizations::members::MemberRole::Create),
    );
    members.await.unwrap();
    let to = json!({ "organization": world.other_organization });
    call("transferSpace").json(to).expect(200).await;
    assert!(listed(&world.admin, &world).await.is_empty());
    let list = world
        .admin
        .client
        .call("listTemplates")
        .within(world.other_organization);
    assert_eq!(list.expect(200).await["count"], 5);
}

async fn large_content_is_no_template(database: TestDatabase) {
    let world = World::new(database).await;
    let space = new_space(&world, "Large").await;
    let pages: Vec<String> = (0..500).map(|number| format!("Page {number}")).collect();
    for pages in pages.chunks(50) {
        let pages: Vec<(&str, &str)> = pages.iter().map(|title| (title.as_str(), "")).collect();
        add(&world, space, &pages).await;
    }
    let refused = mark(&world, space).expect(409).await;
    assert_eq!(refused["error"]["type"], "unusable-template");
    let message = "A template has at most 500 pages, and the space has 501.";
    assert_eq!(refused["error"]["message"], message);
    let space = new_space(&world, "Contradiction").await;
    add(&world, space, &[("a", "[a](/params/a#part) ![a](/params/a)")]).await;
    let refused = mark(&world, space).expect(409).await;
    assert_eq!(refused["error"]["type"], "unusable-template");
}

async fn a_space_starts_with_the_content_of_a_template(database: TestDatabase) {
    let world = World::new(database).await;
    let template = new_space(&world, "Template").await;
    add(&world, template, &[("Second", "Words of the second page.")]).await;
    mark(&world, template).expect(200).await;
    let made = create(&world.create, &world, json!({ "id": template }))
        .expect(201)
        .await;
    let space = node_id(&made);
    assert_eq!(page_titles(&world, space).await, ["Untitled", "Second"]);
    let revisions = world.admin.client.call("listRevisions").space(space);
    let found = world
        .admin
        .client
        .call("searchSpaceContent")
        .space(space)
        .query("query", "second");
    assert_eq!(texts(&found.expect(200).await, "/title"), ["Second"]);
    assert_eq!(revisions.expect(200).await["count"], 1);
    // What is made from a template does not depend on it.
    for operation in ["unmarkSpaceAsTemplate", "deleteSpaceById"] {
        world.admin.client.call(operation).space(template).expect(204).await;
    }
    assert_eq!(page_titles(&world, space).await, ["Untitled", "Second"]);
}

async fn the_templates_of_the_server_can_be_used(database: TestDatabase) {
    let world = World::new(database).await;
    let list = world.create.client.call("listTemplates").here(&world).expect(200).await;
    let built_in = list["items"].as_array().unwrap();
    assert_eq!(built_in.len(), 5);
    for template in built_in {
        let parameters = template["parameters"].as_array().unwrap().iter();
        let values = parameters.map(|parameter| {
            let name = parameter["name"].as_str().unwrap().to_owned();
            (name, json!({ "kind": "url", "url": "https://help.example/" }))
        });
        let values: serde_json::Map<String, Value> = values.collect();
        let body = json!({ "id": template["id"], "params": { "contentRefs": values } });
        let space = node_id(&create(&world.create, &world, body).expect(201).await);
        let links = world.admin.client.call("listSpaceLinks").space(space).expect(200).await;
        assert_eq!(links["stats"]["broken"]["total"], 0, "{}: {links:#}", template["id"]);
        let revision = world
            .admin
            .client
            .call("getCurrentRevision")
            .space(space)
            .expect(200)
            .await;
        assert!(!revision["pages"].as_array().unwrap().is_empty());
        let pages = world.admin.client.call("listPages").space(space).expect(200).await;
        for page in leaves(&pages["pages"]) {
            let call = world
                .admin
                .client
                .call("getPageById")
                .space(space)
                .path("pageId", &page);
            let read = call
                .query("format", "markdown")
                .query("evaluated", true)
                .expect(200)
                .await;
            let markdown = read["markdown"].as_str().unwrap();
            for rest in ["/params/", "space.vars", "\\{%"] {
                assert!(!markdown.contains(rest), "{rest} in {markdown}");
            }
        }
    }
}

/// The ids of the pages with text.
fn leaves(pages: &Value) -> Vec<String> {
    let each = pages.as_array().unwrap().iter().map(|page| {
        let own = (page["type"] == "document").then(|| page["id"].as_str().unwrap().to_owned());
        own.into_iter().chain(leaves(&page["pages"])).collect::<Vec<_>>()
    });
    each.flatten().collect()
}

async fn a_template_and_its_values_are_checked_before_a_space_is_made(database: TestDatabase) {
    let world = World::new(database).await;
    let before = world
        .admin
        .client
        .call("listSpacesInOrganizationById")
        .here(&world)
        .expect(200)
        .await;
    let refs = |references: Value| json!({ "id": "builtin:runbook", "params": { "contentRefs": references } });
    let url = json!({ "kind": "url", "url": "https://help.example/" });
    let at = |name: &str| format!("/body/template/params/contentRefs/{name}");
    for (template, pointer, code) in [
        (json!({ "id": "builtin:runbook" }), at("escalation"), "required"),
        (
            refs(json!({ "escalation": url, "a/b": url })),
            at("a~1b"),
            "unknown-parameter",
        ),
        (
            refs(json!({ "escalation": { "kind": "reusable-content", "reusableContent": "a" } })),
            at("escalation"),
            "parameter-kind",
        ),
        (
            refs(json!({ "escalation": { "kind": "page", "page": world.own("pageId") } })),
            at("escalation"),
            "parameter-target",
        ),
        (
            json!({ "id": "builtin:none" }),
            "/body/template/id".to_owned(),
            "unknown-template",
        ),
    ] {
        let refused = create(&world.create, &world, template).send().await;
        refused.has_detail(&pointer, code);
    }
    let call = world.create.client.call("createSpace").here(&world);
    let both = json!({ "empty": true, "template": { "id": "builtin:handbook" } });
    call.json(both).send().await.has_detail("/body", "exclusive");
    let after = world
        .admin
        .client
        .call("listSpacesInOrganizationById")
        .here(&world)
        .expect(200)
        .await;
    assert_eq!(before["count"], after["count"]);
    let page = json!({ "kind": "page", "page": world.own("pageId"), "space": world.space });
    create(&world.create, &world, refs(json!({ "escalation": page })))
        .expect(201)
        .await;
}
