//! The structure of sites: sections, groups, site spaces, their order and defaults.

use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    paths::texts,
    sites::add,
    world::World,
};

on_each_database![
    the_first_section_takes_over_what_was_there,
    items_are_sorted,
    groups_nest,
    there_is_always_one_default,
    paths_are_unique_on_a_level,
    readers_see_the_spaces_that_they_may_read,
    the_former_moves_work,
    sizes_are_limited,
];

fn pointer(item: &Value) -> Value {
    json!({ "type": item["object"], "id": item["id"] })
}

async fn sort(world: &World, site: &Value, item: &Value, position: Option<Value>) -> Value {
    let mut body = json!({ "item": pointer(item) });
    if let Some(position) = position {
        body["position"] = position;
    }
    let call = world.on_site(&world.create, "sortSiteStructure", site);
    call.json(body).expect(200).await
}

async fn the_first_section_takes_over_what_was_there(database: TestDatabase) {
    let world = World::new(database).await;
    let (one, two, three) = (
        world.new_space("One").await,
        world.new_space("Two").await,
        world.new_space("Three").await,
    );
    let site = world.new_site("Manuals", &[&one, &two]).await;
    let body = json!({ "spaceId": three["id"], "title": "Products", "icon": "gear" });
    let section = add(&world, &site, "addSectionToSite", body).await;
    assert_eq!(section["path"], "products");
    assert_eq!(section["default"], true);
    assert_eq!(section["icon"], "gear");
    assert_eq!(
        world.outline(&site).await,
        json!([["Products", ["One", "Two", "Three"]]])
    );
    // Without a title, the section has that of its space.
    let section = add(&world, &site, "addSectionToSite", json!({ "spaceId": one["id"] })).await;
    assert_eq!((&section["title"], &section["default"]), (&json!("One"), &json!(false)));
    // Without a section, a space is added to the default one.
    let item = add(&world, &site, "addSpaceToSite", json!({ "spaceId": one["id"] })).await;
    assert_eq!(item["path"], "one-2");
    let body = json!({ "spaceId": two["id"], "sectionId": section["id"] });
    let item = add(&world, &site, "addSpaceToSite", body).await;
    assert_eq!(item["section"], section["id"]);
    let expected = json!([["Products", ["One", "Two", "Three", "One"]], ["One", ["One", "Two"]]]);
    assert_eq!(world.outline(&site).await, expected);
    let read = world.on_site(&world.read, "getSiteById", &site).expect(200).await;
    assert_eq!(read["siteSpaces"], 6);

    let call = world.on_site(&world.create, "deleteSiteSectionById", &site);
    let call = call.path("siteSectionId", section["id"].as_str().unwrap());
    call.expect(204).await;
    let read = world.on_site(&world.read, "getSiteById", &site).expect(200).await;
    assert_eq!(read["siteSpaces"], 4);
}

async fn items_are_sorted(database: TestDatabase) {
    let world = World::new(database).await;
    let space = world.new_space("Space").await;
    let site = world.new_site("Manuals", &[]).await;
    let mut sections = Vec::new();
    for title in ["First", "Second", "Third"] {
        let body = json!({ "spaceId": space["id"], "title": title });
        sections.push(add(&world, &site, "addSectionToSite", body).await);
    }
    let [first, second, third] = &sections[..] else {
        panic!()
    };
    sort(&world, &site, third, Some(json!({ "before": pointer(first) }))).await;
    let titles = async || {
        let list = world.on_site(&world.read, "listSiteSections", &site).expect(200).await;
        texts(&list, "/title")
    };
    assert_eq!(titles().await, ["Third", "First", "Second"]);
    sort(&world, &site, third, Some(json!({ "after": pointer(first) }))).await;
    assert_eq!(titles().await, ["First", "Third", "Second"]);
    sort(&world, &site, first, None).await;
    assert_eq!(titles().await, ["Third", "Second", "First"]);
    // A site space moves to another section, which its path has to be free in.
    let item = &second["siteSpaces"][0];
    let neighbour = &third["siteSpaces"][0];
    let body = json!({ "item": pointer(item), "position": { "after": pointer(neighbour) } });
    let call = world.on_site(&world.create, "sortSiteStructure", &site);
    let refused = call.json(body.clone()).send().await;
    assert_eq!(refused.expect(409)["error"]["type"], "path-taken");
    let call = world.on_site(&world.create, "moveSiteSpace", &site);
    let call = call.path("siteSpaceId", item["id"].as_str().unwrap());
    let after = json!({ "type": "site-space", "siteSpace": neighbour["id"] });
    let refused = call.json(json!({ "position": { "after": after } })).expect(409).await;
    assert_eq!(refused["error"]["type"], "path-taken");
    let update = world.on_site(&world.create, "updateSiteSpaceById", &site);
    let update = update.path("siteSpaceId", item["id"].as_str().unwrap());
    update.json(json!({ "path": "other" })).expect(200).await;
    let call = world.on_site(&world.create, "sortSiteStructure", &site);
    let moved = call.json(body).expect(200).await;
    assert_eq!(moved["section"], third["id"]);
    assert_eq!(moved["default"], false);
    // Sections have no place among site spaces, and nothing is before and after others at once.
    for (position, pointer, code) in [
        (
            json!({ "after": pointer(neighbour) }),
            "/body/position/after",
            "site-item",
        ),
        (
            json!({ "before": { "type": "site-section", "id": "x" } }),
            "/body/position/before",
            "site-item",
        ),
        (
            json!({ "before": pointer(first), "after": pointer(second) }),
            "/body/position",
            "exclusive",
        ),
    ] {
        let body = json!({ "item": self::pointer(third), "position": position });
        let call = world.on_site(&world.create, "sortSiteStructure", &site);
        let refused = call.json(body).send().await;
        refused.expect(400);
        refused.has_detail(pointer, code);
    }
    let body = json!({ "item": { "type": "site-space", "id": third["id"] } });
    let call = world.on_site(&world.create, "sortSiteStructure", &site);
    let refused = call.json(body).send().await;
    refused.expect(400);
    refused.has_detail("/body/item", "site-item");
}

async fn groups_nest(database: TestDatabase) {
    let world = World::new(database).await;
    let space = world.new_space("Space").await;
    let site = world.new_site("Manuals", &[]).await;
    let body = json!({ "spaceId": space["id"], "title": "First" });
    let first = add(&world, &site, "addSectionToSite", body).await;
    let body = json!({ "spaceId": space["id"], "title": "Second" });
    let second = add(&world, &site, "addSectionToSite", body).await;
    let body = json!({ "title": "Outer", "icon": "gear", "sections": [second["id"]] });
    let outer = add(&world, &site, "addSectionGroupToSite", body).await;
    assert_eq!(outer["sections"][0]["id"], second["id"]);
    let body = json!({ "title": "Inner", "parent": outer["id"] });
    let inner = add(&world, &site, "addSectionGroupToSite", body).await;
    assert_eq!(inner["sectionGroup"], outer["id"]);
    let call = world.on_site(&world.create, "addSectionToGroup", &site);
    let call = call.path("siteSectionGroupId", inner["id"].as_str().unwrap());
    call.json(json!({ "sectionId": first["id"] })).expect(201).await;
    let nested = json!([["Outer", [["Second", ["Space"]], ["Inner", [["First", ["Space"]]]]]]]);
    assert_eq!(world.outline(&site).await, nested);

    // A group cannot be in itself, and nests at most four deep.
    let body = json!({ "item": pointer(&outer), "position": { "after": pointer(&inner) } });
    let call = world.on_site(&world.create, "sortSiteStructure", &site);
    let refused = call.json(body).send().await;
    refused.expect(400);
    refused.has_detail("/body/position/after", "site-item");
    let mut deepest = inner.clone();
    for _ in 0..2 {
        let body = json!({ "title": "Deeper", "parent": deepest["id"] });
        deepest = add(&world, &site, "addSectionGroupToSite", body).await;
    }
    let tall = add(&world, &site, "addSectionGroupToSite", json!({ "title": "Tall" })).await;
    let body = json!({ "title": "Low", "parent": tall["id"] });
    let low = add(&world, &site, "addSectionGroupToSite", body).await;
    let position = json!({ "before": pointer(&deepest) });
    let too_deep = [
        (
            "addSectionGroupToSite",
            json!({ "title": "Deeper", "parent": deepest["id"] }),
        ),
        (
            "sortSiteStructure",
            json!({ "item": pointer(&tall), "position": position }),
        ),
        ("moveSiteSectionGroup", json!({ "position": position })),
    ];
    for (operation, body) in too_deep {
        let call = world.on_site(&world.create, operation, &site);
        let call = match operation {
            "moveSiteSectionGroup" => call.path("siteSectionGroupId", tall["id"].as_str().unwrap()),
            _ => call,
        };
        let refused = call.json(body).expect(412).await;
        assert_eq!(refused["error"]["type"], "groups-too-deep", "{operation}");
    }
    for group in [&low, &tall] {
        let call = world.on_site(&world.create, "deleteSiteSectionGroupById", &site);
        let call = call.path("siteSectionGroupId", group["id"].as_str().unwrap());
        call.expect(204).await;
    }
    for (member, body) in [
        ("/body/parent", json!({ "title": "Nowhere", "parent": "x" })),
        ("/body/sections/0", json!({ "title": "Of nothing", "sections": ["x"] })),
    ] {
        let refused = world.on_site(&world.create, "addSectionGroupToSite", &site);
        let refused = refused.json(body).send().await;
        refused.expect(400);
        refused.has_detail(member, "site-item");
    }

    let call = world.on_site(&world.create, "removeSectionFromGroup", &site);
    let call = call.path("siteSectionGroupId", inner["id"].as_str().unwrap());
    call.path("siteSectionId", first["id"].as_str().unwrap())
        .expect(204)
        .await;
    let call = world.on_site(&world.create, "updateSiteSectionGroupById", &site);
    let call = call.path("siteSectionGroupId", outer["id"].as_str().unwrap());
    let renamed = call
        .json(json!({ "title": "Products", "icon": null }))
        .expect(200)
        .await;
    assert_eq!(
        (&renamed["title"], &renamed["icon"]),
        (&json!("Products"), &json!(null))
    );
    let groups = world
        .on_site(&world.read, "listSiteSectionGroups", &site)
        .expect(200)
        .await;
    assert_eq!(texts(&groups, "/title"), ["Products", "Inner", "Deeper", "Deeper"]);
    for _ in 0..2 {
        let call = world.on_site(&world.create, "deleteSiteSectionGroupById", &site);
        let call = call.path("siteSectionGroupId", outer["id"].as_str().unwrap());
        call.expect(204).await;
    }
    let outline = world.outline(&site).await;
    assert_eq!(outline[0], json!(["Second", ["Space"]]));
    assert_eq!(outline[1][0], "Inner");
    assert_eq!(outline[2], json!(["First", ["Space"]]));
}

async fn there_is_always_one_default(database: TestDatabase) {
    let world = World::new(database).await;
    let (one, two) = (world.new_space("One").await, world.new_space("Two").await);
    let site = world.new_site("Manuals", &[&one, &two]).await;
    let defaults = async |expected: bool| {
        let list = world.on_site(&world.read, "listSiteSpaces", &site);
        texts(&list.query("default", expected).expect(200).await, "/title")
    };
    assert_eq!(
        (defaults(true).await, defaults(false).await),
        (vec!["One".to_owned()], vec!["Two".to_owned()])
    );
    let list = world.on_site(&world.read, "listSiteSpaces", &site).expect(200).await;
    let chosen = list["items"][1]["id"].as_str().unwrap();
    let update = world.on_site(&world.create, "updateSiteById", &site);
    update.json(json!({ "defaultSiteSpace": chosen })).expect(200).await;
    assert_eq!(defaults(true).await, ["Two"]);
    let delete = world.on_site(&world.create, "deleteSiteSpaceById", &site);
    delete.path("siteSpaceId", chosen).expect(204).await;
    assert_eq!(defaults(true).await, ["One"]);

    let body = json!({ "spaceId": one["id"], "title": "First" });
    let first = add(&world, &site, "addSectionToSite", body).await;
    let body = json!({ "spaceId": two["id"], "title": "Second" });
    let second = add(&world, &site, "addSectionToSite", body).await;
    let body = json!({ "spaceId": one["id"], "sectionId": second["id"] });
    let item = add(&world, &site, "addSpaceToSite", body).await;
    let body = json!({ "defaultSiteSection": second["id"], "defaultSiteSpace": item["id"] });
    let update = world.on_site(&world.create, "updateSiteById", &site);
    update.json(body).expect(200).await;
    let sections = world.on_site(&world.read, "listSiteSections", &site).expect(200).await;
    let defaults: Vec<_> = (0..2)
        .map(|index| sections["items"][index]["default"].clone())
        .collect();
    assert_eq!(json!(defaults), json!([false, true]));
    assert_eq!(sections["items"][1]["siteSpaces"][1]["default"], true);
    let update = world.on_site(&world.create, "updateSiteSectionById", &site);
    let update = update.path("siteSectionId", second["id"].as_str().unwrap());
    let body = json!({ "defaultSiteSpace": second["siteSpaces"][0]["id"] });
    let changed = update.json(body).expect(200).await;
    assert_eq!(changed["siteSpaces"][0]["default"], true);
    assert_eq!(changed["siteSpaces"][1]["default"], false);
    for (member, value) in [
        ("defaultSiteSpace", &first["siteSpaces"][0]["id"]),
        ("defaultSiteSection", &item["id"]),
    ] {
        let update = world.on_site(&world.create, "updateSiteById", &site);
        let refused = update.json(json!({ member: value })).send().await;
        refused.expect(400);
        refused.has_detail(&format!("/body/{member}"), "site-item");
    }
    let update = world.on_site(&world.create, "updateSiteSectionById", &site);
    let update = update.path("siteSectionId", second["id"].as_str().unwrap());
    let body = json!({ "defaultSiteSpace": first["siteSpaces"][0]["id"] });
    let refused = update.json(body).send().await;
    refused.expect(400);
    refused.has_detail("/body/defaultSiteSpace", "site-item");
    let call = world.on_site(&world.admin, "addSpaceToSite", &site);
    let body = json!({ "spaceId": world.space, "sectionId": "x" });
    let refused = call.json(body).send().await;
    refused.expect(400);
    refused.has_detail("/body/sectionId", "site-item");
}

async fn paths_are_unique_on_a_level(database: TestDatabase) {
    let world = World::new(database).await;
    let space = world.new_space("Gripper").await;
    let site = world.new_site("Manuals", &[&space, &space]).await;
    let list = world.on_site(&world.read, "listSiteSpaces", &site).expect(200).await;
    assert_eq!(texts(&list, "/path"), ["gripper", "gripper-2"]);
    let update = world.on_site(&world.create, "updateSiteSpaceById", &site);
    let update = update.path("siteSpaceId", list["items"][1]["id"].as_str().unwrap());
    let taken = update.json(json!({ "path": "gripper" })).send().await;
    assert_eq!(taken.expect(409)["error"]["type"], "path-taken");
    let update = world.on_site(&world.admin, "updateSiteSpaceById", &site);
    let update = update.path("siteSpaceId", list["items"][1]["id"].as_str().unwrap());
    let body = json!({ "path": "v2.0", "spaceId": world.space, "condition": "visitor.claims.beta" });
    let changed = update.json(body).expect(200).await;
    assert_eq!(changed["path"], "v2.0");
    assert_eq!(changed["condition"], "visitor.claims.beta");
    assert_eq!(changed["space"]["id"], world.space.to_string());
    let first = add(&world, &site, "addSectionToSite", json!({ "spaceId": space["id"] })).await;
    let second = add(&world, &site, "addSectionToSite", json!({ "spaceId": space["id"] })).await;
    assert_eq!(
        (&first["path"], &second["path"]),
        (&json!("gripper"), &json!("gripper-2"))
    );
    let update = world.on_site(&world.create, "updateSiteSectionById", &site);
    let update = update.path("siteSectionId", second["id"].as_str().unwrap());
    let taken = update.json(json!({ "path": "gripper" })).send().await;
    assert_eq!(taken.expect(409)["error"]["type"], "path-taken");
    let body =
        json!({ "description": "About it", "condition": "visitor.claims.beta", "icon": "gear", "title": "Grip" });
    let update = world.on_site(&world.create, "updateSiteSectionById", &site);
    let update = update.path("siteSectionId", second["id"].as_str().unwrap());
    let changed = update.json(body.clone()).expect(200).await;
    for member in ["description", "condition", "icon", "title"] {
        assert_eq!(changed[member], body[member], "{member}");
    }
    let update = world.on_site(&world.create, "updateSiteSectionById", &site);
    let update = update.path("siteSectionId", second["id"].as_str().unwrap());
    let refused = update.json(json!({ "condition": "visitor.claims.(" })).send().await;
    refused.expect(400);
    refused.has_detail("/body/condition", "condition");
    let update = world.on_site(&world.create, "updateSiteSectionById", &site);
    let update = update.path("siteSectionId", second["id"].as_str().unwrap());
    let cleared = json!({ "description": null, "condition": null, "icon": null });
    let changed = update.json(cleared.clone()).expect(200).await;
    for member in ["description", "condition", "icon"] {
        assert_eq!(changed[member], json!(null), "{member}");
    }
}

async fn readers_see_the_spaces_that_they_may_read(database: TestDatabase) {
    let world = World::new(database).await;
    let (open, secret) = (world.new_space("Open").await, world.new_space("Secret").await);
    let hide = world.admin.client.call("updateSpaceById");
    let hide = hide.path("spaceId", secret["id"].as_str().unwrap());
    hide.json(json!({ "defaultLevel": null })).expect(200).await;
    let site = world.new_site("Manuals", &[&secret, &open]).await;
    let list = world.on_site(&world.read, "listSiteSpaces", &site).expect(200).await;
    assert_eq!(
        (texts(&list, "/title"), &list["count"]),
        (vec!["Open".to_owned()], &json!(1))
    );
    let structure = world.on_site(&world.read, "getSiteStructure", &site).expect(200).await;
    assert_eq!(structure["structure"].as_array().unwrap().len(), 1);
    let list = world.on_site(&world.admin, "listSiteSpaces", &site).expect(200).await;
    assert_eq!(texts(&list, "/title"), ["Secret", "Open"]);
}

async fn the_former_moves_work(database: TestDatabase) {
    let world = World::new(database).await;
    let space = world.new_space("Space").await;
    let site = world.new_site("Manuals", &[&space, &space]).await;
    let list = world.on_site(&world.read, "listSiteSpaces", &site).expect(200).await;
    let second = list["items"][1]["id"].as_str().unwrap();
    let move_space = || {
        let call = world.on_site(&world.create, "moveSiteSpace", &site);
        call.path("siteSpaceId", second)
    };
    let before = json!({ "type": "site-space", "siteSpace": list["items"][0]["id"] });
    move_space()
        .json(json!({ "position": { "before": before } }))
        .expect(200)
        .await;
    let paths = async || {
        let list = world.on_site(&world.read, "listSiteSpaces", &site).expect(200).await;
        texts(&list, "/path")
    };
    assert_eq!(paths().await, ["space-2", "space"]);
    move_space().expect(200).await;
    assert_eq!(paths().await, ["space", "space-2"]);
    let body = json!({ "position": { "after": { "type": "site-space", "siteSpace": "x" } } });
    let refused = move_space().json(body).send().await;
    refused.expect(400);
    refused.has_detail("/body/position/after", "site-item");

    let mut sections = Vec::new();
    for title in ["First", "Second"] {
        let body = json!({ "spaceId": space["id"], "title": title });
        sections.push(add(&world, &site, "addSectionToSite", body).await);
    }
    let call = world.on_site(&world.create, "moveSiteSection", &site);
    let call = call.path("siteSectionId", sections[1]["id"].as_str().unwrap());
    let before = json!({ "type": "site-section", "siteSection": sections[0]["id"] });
    call.json(json!({ "position": { "before": before } })).expect(200).await;
    let group = add(&world, &site, "addSectionGroupToSite", json!({ "title": "Group" })).await;
    let call = world.on_site(&world.create, "moveSiteSectionGroup", &site);
    let call = call.path("siteSectionGroupId", group["id"].as_str().unwrap());
    let body = json!({ "position": { "before": pointer(&sections[0]) } });
    call.json(body).expect(200).await;
    let outline = world.outline(&site).await;
    let titles: Vec<_> = outline.as_array().unwrap().iter().map(|item| item[0].clone()).collect();
    assert_eq!(json!(titles), json!(["Second", "Group", "First"]));
}

async fn sizes_are_limited(database: TestDatabase) {
    let world = World::new(database).await;
    let space = world.new_space("Space").await;
    let site = world.new_site("Manuals", &vec![&space; 500]).await;
    let last = world.on_site(&world.read, "listSiteSpaces", &site).query("limit", 500);
    assert_eq!(last.expect(200).await["items"][499]["path"], "space-500");
    for operation in ["addSpaceToSite", "addSectionToSite"] {
        let call = world.on_site(&world.admin, operation, &site);
        let refused = call.json(json!({ "spaceId": space["id"] })).send().await;
        assert_eq!(
            refused.expect(409)["error"]["type"],
            "too-many-site-items",
            "{operation}"
        );
    }
    let items = world.on_site(&world.read, "listSiteSpaces", &site).query("limit", 1);
    let first = items.expect(200).await["items"][0]["id"].clone();
    let call = world.on_site(&world.admin, "duplicateSiteSpace", &site);
    let refused = call.path("siteSpaceId", first.as_str().unwrap()).expect(409).await;
    assert_eq!(refused["error"]["type"], "too-many-site-items");
    let spaces = world.admin.client.call("listSpacesInOrganizationById").here(&world);
    let spaces = spaces.expect(200).await;
    let copies = texts(&spaces, "/title").into_iter().filter(|title| title == "Space");
    assert_eq!(copies.count(), 1);
}
