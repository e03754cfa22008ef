//! Sites: their settings, publication and addresses.

use serde_json::{Value, json};

use crate::support::{
    client::Call,
    database::{TestDatabase, on_each_database},
    paths::texts,
    world::{Person, World},
};

on_each_database![
    sites_are_made_changed_and_deleted,
    names_in_addresses_are_unique,
    lists_are_filtered,
    permissions_follow_the_role,
    only_administrators_publish_spaces,
    publication_is_a_switch,
    deleted_and_transferred_spaces_leave_sites,
    only_administrators_open_a_published_site_to_everyone,
    events_name_the_site_spaces_that_left,
    all_features_of_the_server_are_listed,
];

async fn sites_are_made_changed_and_deleted(database: TestDatabase) {
    let world = World::new(database).await;
    let create = world.admin.client.call("createSite").here(&world);
    let untitled = create.expect(201).await;
    assert_eq!(untitled["title"], "Untitled site");
    assert_eq!(untitled["type"], "basic");
    assert_eq!(untitled["visibility"], "public");
    assert_eq!(untitled["siteSpaces"], 0);
    assert_eq!(
        untitled["ads"],
        json!({ "status": "disabled", "topic": "webdev", "zoneId": "" })
    );

    let (gripper, care) = (world.new_space("Gripper G4").await, world.new_space("Care").await);
    let site = world.new_site("Tidewater's Manuals", &[&gripper, &care]).await;
    assert_eq!(site["basename"], "tidewater-s-manuals");
    assert_eq!(site["siteSpaces"], 2);
    assert_eq!(site["published"], false);
    assert_eq!(site["urls"]["published"], json!(null));
    assert_eq!(world.outline(&site).await, json!(["Gripper G4", "Care"]));

    let body = json!({
        "title": "Manuals", "visibility": "unlisted", "basename": "manuals", "adaptiveContent": { "enabled": true },
        "agentsContext": "excluded", "proxy": "tidewater.example/docs",
    });
    let update = world.on_site(&world.create, "updateSiteById", &site);
    let changed = update.json(body.clone()).expect(200).await;
    for member in ["title", "visibility", "basename", "adaptiveContent", "agentsContext"] {
        assert_eq!(changed[member], body[member], "{member}");
    }
    assert_eq!(changed["proxy"]["origin"], "tidewater.example/docs");
    let target = changed["proxy"]["target"].as_str().unwrap();
    assert!(target.ends_with("/sites/manuals/"), "{target}");
    let update = world.on_site(&world.create, "updateSiteById", &site);
    let changed = update.json(json!({ "proxy": null })).expect(200).await;
    assert_eq!(changed["proxy"], json!(null));
    let read = world.on_site(&world.create, "getSiteById", &site).expect(200).await;
    assert_eq!(read, changed);

    for _ in 0..2 {
        let delete = world.on_site(&world.admin, "deleteSiteById", &site);
        delete.expect(204).await;
    }
    world.on_site(&world.admin, "getSiteById", &site).expect(404).await;
    let space = world.admin.client.call("getSpaceById");
    space.path("spaceId", gripper["id"].as_str().unwrap()).expect(200).await;
}

async fn names_in_addresses_are_unique(database: TestDatabase) {
    let world = World::new(database).await;
    let first = world.new_site("Manuals", &[]).await;
    let second = world.new_site("Manuals", &[]).await;
    assert_eq!(first["basename"], "manuals");
    let name = second["basename"].as_str().unwrap();
    assert!(name.starts_with("manuals-") && name.len() == 14, "{name}");
    let update = world.on_site(&world.admin, "updateSiteById", &second);
    let taken = update.json(json!({ "basename": "manuals" })).send().await;
    assert_eq!(taken.expect(409)["error"]["type"], "basename-taken");
    let in_chinese = world.new_site("手册", &[]).await;
    assert_eq!(in_chinese["basename"], "shou-ce");
    let of_signs = world.new_site("!!", &[]).await;
    assert_eq!(of_signs["basename"], "site");
}

async fn permissions_follow_the_role(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    let permissions = |read, create, admin| {
        json!({
            "view": true, "access": read, "viewAdaptiveSchema": read,
            "edit": create, "create": create, "editAdaptiveSchema": create,
            "admin": admin, "installIntegration": admin,
        })
    };
    for (person, expected) in [
        (&world.read, permissions(true, false, false)),
        (&world.create, permissions(true, true, false)),
        (&world.admin, permissions(true, true, true)),
    ] {
        let read = world.on_site(person, "getSiteById", &site).expect(200).await;
        assert_eq!(read["permissions"], expected);
        assert_eq!(
            (&read["appliedType"], &read["defaultLevel"]),
            (&read["type"], &json!("inherit"))
        );
    }
}

async fn lists_are_filtered(database: TestDatabase) {
    let world = World::new(database).await;
    let space = world.new_space("Gripper G4").await;
    let with_space = world.new_site("With a space", &[&space]).await;
    let published = world.new_site("Published", &[]).await;
    world.on_site(&world.admin, "publishSite", &published).expect(200).await;
    let body = json!({ "type": "premium", "title": "Premium" });
    let create = world.admin.client.call("createSite").here(&world);
    create.json(body).expect(201).await;
    for (filter, value, found) in [
        ("space", space["id"].as_str().unwrap(), json!(["With a space"])),
        ("title", "WITH A", json!(["With a space"])),
        ("published", "true", json!(["Published"])),
        ("type", "premium", json!(["Premium"])),
    ] {
        let list = world.read.client.call("listSites").here(&world);
        let list = list.query(filter, value).expect(200).await;
        assert_eq!(json!(texts(&list, "/title")), found, "{filter}");
    }
    let list = world.read.client.call("listSites").here(&world);
    let list = list.query("type", "premium").query("type", "basic").expect(200).await;
    assert_eq!(list["items"][0]["title"], "Premium");
    assert_eq!(list["items"][2]["id"], with_space["id"]);
}

async fn only_administrators_publish_spaces(database: TestDatabase) {
    let world = World::new(database).await;
    let space = world.new_space("Gripper G4").await;
    let create = world.create.client.call("createSite").here(&world);
    let refused = create.json(json!({ "spaces": [space["id"]] })).send().await;
    refused.expect(400);
    refused.has_detail("/body/spaces/0", "space-level");
    let site = world.new_site("Manuals", &[]).await;
    for space in [space["id"].as_str().unwrap(), &world.other_space.to_string(), "nothing"] {
        for operation in ["addSpaceToSite", "addSectionToSite"] {
            let add = world.on_site(&world.create, operation, &site);
            let refused = add.json(json!({ "spaceId": space })).send().await;
            refused.expect(400);
            refused.has_detail("/body/spaceId", "space-level");
        }
    }
    world.on_site(&world.create, "publishSite", &site).expect(403).await;
}

async fn publication_is_a_switch(database: TestDatabase) {
    let world = World::new(database).await;
    let space = world.new_space("Gripper G4").await;
    let site = world.new_site("Manuals", &[&space]).await;
    for _ in 0..2 {
        let published = world.on_site(&world.admin, "publishSite", &site).expect(200).await;
        assert_eq!(published["published"], true);
        let address = published["urls"]["published"].as_str().unwrap();
        assert!(address.ends_with("/sites/manuals/"), "{address}");
        let spaces = world.on_site(&world.read, "listSiteSpaces", &site).expect(200).await;
        assert_eq!(spaces["items"][0]["urls"]["published"], address);
    }
    let events = world.admin.client.call("listOrganizationAuditEvents").here(&world);
    let events = events.query("action", "sites.publishSite").expect(200).await;
    assert_eq!(events["items"].as_array().unwrap().len(), 1);
    let hidden = world.on_site(&world.create, "unpublishSite", &site).expect(200).await;
    assert_eq!(hidden["published"], false);
    assert_eq!(hidden["urls"]["published"], json!(null));
}

async fn deleted_and_transferred_spaces_leave_sites(database: TestDatabase) {
    let world = World::new(database).await;
    let (stays, goes) = (world.new_space("Stays").await, world.new_space("Goes").await);
    let site = world.new_site("Manuals", &[&goes, &stays]).await;
    let delete = world.admin.client.call("deleteSpaceById");
    delete.path("spaceId", goes["id"].as_str().unwrap()).expect(204).await;
    assert_eq!(world.outline(&site).await, json!(["Stays"]));
    let spaces = world.on_site(&world.read, "listSiteSpaces", &site).expect(200).await;
    assert_eq!(spaces["items"][0]["default"], true);
    let read = world.on_site(&world.read, "getSiteById", &site).expect(200).await;
    assert_eq!(read["siteSpaces"], 1);
    let events = world.admin.client.call("listOrganizationAuditEvents").here(&world);
    let events = events.query("limit", 2).expect(200).await;
    let targets = texts(&events, "/target/type");
    assert!(targets.contains(&"site".to_owned()), "{targets:?}");

    let create = world.admin.client.call("createOrganization");
    let other = create.json(json!({ "title": "Other" })).expect(201).await;
    let transfer = world.admin.client.call("transferSpace");
    let transfer = transfer.path("spaceId", stays["id"].as_str().unwrap());
    transfer.json(json!({ "organization": other["id"] })).expect(200).await;
    assert_eq!(world.outline(&site).await, json!([]));
    let read = world.on_site(&world.read, "getSiteById", &site).expect(200).await;
    assert_eq!(read["siteSpaces"], 0);
}

async fn only_administrators_open_a_published_site_to_everyone(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    fn set<'a>(world: &World, person: &'a Person, site: &Value, body: &Value) -> Call<'a> {
        world.on_site(person, "updateSiteById", site).json(body.clone())
    }
    let (public, unlisted) = (json!({ "visibility": "public" }), json!({ "visibility": "unlisted" }));
    // While it is not published, whoever publishes it decides.
    for visibility in ["visitor-auth", "public", "share-link"] {
        set(&world, &world.create, &site, &json!({ "visibility": visibility }))
            .expect(200)
            .await;
    }
    world.on_site(&world.admin, "publishSite", &site).expect(200).await;
    for closed in ["share-link", "visitor-auth"] {
        let closed = json!({ "visibility": closed });
        set(&world, &world.create, &site, &closed).expect(200).await;
        for open in [&public, &unlisted] {
            let refused = set(&world, &world.create, &site, open).expect(403).await;
            assert_eq!(refused["error"]["type"], "forbidden");
            let read = world.on_site(&world.read, "getSiteById", &site).expect(200).await;
            assert_eq!(read["visibility"], closed["visibility"]);
            set(&world, &world.admin, &site, open).expect(200).await;
            // Other changes are for those who edit the site, and so are fewer readers.
            let body = json!({ "title": "Guides", "visibility": open["visibility"] });
            set(&world, &world.create, &site, &body).expect(200).await;
            set(&world, &world.create, &site, &closed).expect(200).await;
        }
    }
    set(&world, &world.admin, &site, &public).expect(200).await;
    // Everyone reads both; only search engines make the difference.
    set(&world, &world.create, &site, &unlisted).expect(200).await;
    set(&world, &world.create, &site, &public).expect(200).await;
}

async fn events_name_the_site_spaces_that_left(database: TestDatabase) {
    let world = World::new(database).await;
    let call = world.admin.client.call("createCollection").here(&world);
    let collection = call.json(json!({ "title": "Products" })).expect(201).await;
    let (collection, stays) = (collection["id"].as_str().unwrap(), world.new_space("Stays").await);
    let mut spaces = Vec::new();
    for title in ["One", "Two", "Three"] {
        let call = world.admin.client.call("createSpace").here(&world);
        let mut body = json!({ "title": title });
        if title != "Three" {
            body["parent"] = json!(collection);
        }
        spaces.push(call.json(body).expect(201).await);
    }
    let first = world
        .new_site("First", &[&spaces[0], &stays, &spaces[1], &spaces[0]])
        .await;
    let second = world.new_site("Second", &[&spaces[1], &spaces[2]]).await;
    let items = async |site: &Value| {
        let list = world.on_site(&world.admin, "listSiteSpaces", site).expect(200).await;
        list["items"].as_array().unwrap().clone()
    };
    let (of_first, of_second) = (items(&first).await, items(&second).await);
    let left = |items: &[&Value]| {
        let mut left: Vec<Value> = items
            .iter()
            .map(|item| json!({ "siteSpace": item["id"], "space": item["space"]["id"] }))
            .collect();
        left.sort_by_key(|item| item["siteSpace"].to_string());
        json!({ "siteSpaces": left })
    };
    let events = async |action: &str| {
        let call = world.admin.client.call("listOrganizationAuditEvents").here(&world);
        let list = call.query("action", action).expect(200).await;
        let all = list["items"].as_array().unwrap().iter();
        let mut found = Vec::new();
        for event in all.filter(|event| event["target"]["type"] == "site") {
            let call = world.admin.client.call("getOrganizationAuditEvent").here(&world);
            let call = call.path("auditEventId", event["id"].as_str().unwrap());
            let mut payload = call.expect(200).await["payload"].clone();
            let left = payload["siteSpaces"].as_array_mut().unwrap();
            left.sort_by_key(|item| item["siteSpace"].to_string());
            found.push((event["target"]["id"].clone(), json!({ "siteSpaces": left })));
        }
        found
    };
    let delete = world.admin.client.call("deleteCollectionById");
    delete.path("collectionId", collection).expect(204).await;
    let found = events("collections.deleteCollectionById").await;
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found.contains(&(first["id"].clone(), left(&[&of_first[0], &of_first[2], &of_first[3]]))),
        "{found:?}"
    );
    assert!(
        found.contains(&(second["id"].clone(), left(&[&of_second[0]]))),
        "{found:?}"
    );
    assert_eq!(world.outline(&first).await, json!(["Stays"]));
    assert_eq!(world.outline(&second).await, json!(["Three"]));
    let read = world.on_site(&world.read, "getSiteById", &first).expect(200).await;
    assert_eq!(read["siteSpaces"], 1);

    let create = world.admin.client.call("createOrganization");
    let other = create.json(json!({ "title": "Other" })).expect(201).await;
    let transfer = world.admin.client.call("transferSpace");
    let transfer = transfer.path("spaceId", spaces[2]["id"].as_str().unwrap());
    transfer.json(json!({ "organization": other["id"] })).expect(200).await;
    let found = events("spaces.transferSpace").await;
    assert_eq!(found, [(second["id"].clone(), left(&[&of_second[1]]))]);
    let delete = world.admin.client.call("deleteSpaceById");
    delete.path("spaceId", stays["id"].as_str().unwrap()).expect(204).await;
    let found = events("spaces.deleteSpaceById").await;
    assert_eq!(found, [(first["id"].clone(), left(&[&of_first[1]]))]);
}

async fn all_features_of_the_server_are_listed(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    let mut listed: Vec<&str> = site["features"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["id"].as_str().unwrap())
        .collect();
    listed.sort_unstable();
    // Those that are not there are of what the server does not have: advertisements, agents, insights with feedback, and the
    // plan without a custom domain.
    let expected = [
        "sites-adaptive-content",
        "sites-advanced-customization",
        "sites-api-playground",
        "sites-basic-customization",
        "sites-custom-domain",
        "sites-custom-fonts",
        "sites-custom-subdirectory",
        "sites-full-text-search",
        "sites-multivariant-site",
        "sites-pdf-export",
        "sites-preview-deployments",
        "sites-public-visibility",
        "sites-redirects",
        "sites-sections",
        "sites-seo",
        "sites-share-links",
        "sites-unlisted-visibility",
        "sites-visitor-authentication",
        "sites-visitors",
    ];
    assert_eq!(listed, expected);
}
