//! Spaces in the places where sites show them.

use serde_json::{Value, json};

use crate::support::{
    client::Call,
    database::{TestDatabase, on_each_database},
    paths::texts,
    published::{Published, find, id, visitor},
    sites::add,
    world::{Person, World},
};

on_each_database![
    new_spaces_are_created_with_their_place,
    new_spaces_start_from_templates,
    site_spaces_have_titles_of_their_own,
    site_spaces_are_copied_with_their_spaces,
    copies_need_the_space_itself,
];

async fn new_spaces_are_created_with_their_place(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    let item = add(
        &world,
        &site,
        "addSpaceToSite",
        json!({ "spaceId": null, "title": "Arm" }),
    )
    .await;
    assert_eq!(
        (&item["title"], &item["space"]["title"]),
        (&json!("Arm"), &json!("Arm"))
    );
    let section = add(
        &world,
        &site,
        "addSectionToSite",
        json!({ "spaceId": null, "title": "Leg" }),
    )
    .await;
    // The first section has the site space that was there before, too.
    let space = &section["siteSpaces"][1]["space"];
    assert_eq!((&section["title"], &space["title"]), (&json!("Leg"), &json!("Leg")));
    let pages = world.create.client.call("listPages").path("spaceId", id(space));
    assert_eq!(pages.expect(200).await["pages"].as_array().unwrap().len(), 1);
    // A member with the role create becomes admin of a new space, and publishes no other.
    let call = |space: Value| {
        world
            .on_site(&world.create, "addSpaceToSite", &site)
            .json(json!({ "spaceId": space }))
    };
    call(Value::Null).expect(201).await;
    let refused = call(item["space"]["id"].clone()).send().await;
    refused.expect(400);
    refused.has_detail("/body/spaceId", "space-level");
    let refused = world.on_site(&world.create, "addSpaceToSite", &site);
    let refused = refused.json(json!({ "spaceId": null, "pageId": "x" })).send().await;
    refused.expect(400);
    refused.has_detail("/body/pageId", "unknown");
}

async fn new_spaces_start_from_templates(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    for (operation, pointer) in [
        ("addSpaceToSite", "/space/id"),
        ("addSectionToSite", "/siteSpaces/0/space/id"),
    ] {
        let template = |id: &str| json!({ "id": id });
        let body = json!({ "spaceId": null, "title": "Handbook", "template": template("builtin:handbook") });
        let added = add(&world, &site, operation, body).await;
        let space = added.pointer(pointer).unwrap();
        let pages = world
            .admin
            .client
            .call("listPages")
            .path("spaceId", space.as_str().unwrap());
        assert!(
            pages.expect(200).await["pages"].as_array().unwrap().len() > 1,
            "{operation}"
        );
        let runbook = |references: Value| json!({ "id": "builtin:runbook", "params": { "contentRefs": references } });
        let url = json!({ "kind": "url", "url": "https://tidewater.example/" });
        let shared = json!({ "kind": "reusable-content", "reusableContent": "a" });
        let nowhere = json!({ "kind": "page", "space": "x", "page": "x" });
        for (space, template, rule) in [
            (Value::Null, template("builtin:none"), "unknown-template"),
            (Value::Null, runbook(json!({ "escalation": shared })), "parameter-kind"),
            (
                Value::Null,
                runbook(json!({ "escalation": nowhere })),
                "parameter-target",
            ),
            (Value::Null, runbook(json!({ "other": url })), "unknown-parameter"),
            (space.clone(), template("builtin:handbook"), "form"),
        ] {
            let call = world.on_site(&world.admin, operation, &site);
            let refused = call
                .json(json!({ "spaceId": space, "template": template }))
                .expect(400)
                .await;
            let rules = texts(&json!({ "items": refused["error"]["details"] }), "/code");
            assert!(rules.iter().any(|it| it == rule), "{operation} {rule}: {refused}");
        }
    }
}

async fn site_spaces_have_titles_of_their_own(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let (site, space) = (&published.site, &published.spaces[0]);
    let item = add(
        &world,
        site,
        "addSpaceToSite",
        json!({ "spaceId": space["id"], "title": "Version 2" }),
    )
    .await;
    assert_eq!(
        (&item["title"], &item["space"]["title"]),
        (&json!("Version 2"), &json!("One"))
    );
    let customization = |person, operation| {
        let call = world.on_site(person, operation, site);
        call.path("siteSpaceId", id(&item))
    };
    let read = customization(&world.read, "getSiteSpaceCustomizationById")
        .expect(200)
        .await;
    assert_eq!(read["title"], "Version 2");
    let seen = async || {
        let client = visitor(&world, &find(&world, &published.address).await);
        let list = client.call("listSiteSpaces").here(&world).path("siteId", id(site));
        list.expect(200).await["items"][1].clone()
    };
    let localized = json!({ "de": "Fassung 3" });
    let body = json!({ "title": "Version 3", "localizedTitle": localized });
    let set = customization(&world.create, "overrideSiteSpaceCustomizationById")
        .json(body)
        .expect(200)
        .await;
    assert_eq!(
        (&set["title"], &set["localizedTitle"]),
        (&json!("Version 3"), &localized)
    );
    let item_seen = seen().await;
    assert_eq!(
        (&item_seen["title"], &item_seen["localizedTitle"]),
        (&json!("Version 3"), &localized)
    );
    let body = json!({ "localizedTitle": null });
    customization(&world.create, "overrideSiteSpaceCustomizationById")
        .json(body)
        .expect(200)
        .await;
    let item_seen = seen().await;
    assert_eq!(
        (&item_seen["title"], item_seen.get("localizedTitle")),
        (&json!("Version 3"), None)
    );
    customization(&world.create, "deleteSiteSpaceCustomizationById")
        .expect(204)
        .await;
    assert_eq!(seen().await["title"], "One");
}

fn duplicate<'a>(world: &'a World, person: &'a Person, site: &Value, item: &Value) -> Call<'a> {
    let call = world.on_site(person, "duplicateSiteSpace", site);
    call.path("siteSpaceId", id(item))
}

async fn site_spaces_are_copied_with_their_spaces(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::in_sections(&world, &["One"]).await;
    let (site, space) = (&published.site, &published.spaces[0]);
    let sections = world.on_site(&world.read, "listSiteSections", site).expect(200).await;
    let item = &sections["items"][0]["siteSpaces"][0];
    add(
        &world,
        site,
        "addSpaceToSite",
        json!({ "spaceId": space["id"], "title": "Last" }),
    )
    .await;
    let page = world.admin.client.call("getPageByPath").path("spaceId", id(space));
    let page = page.path("pagePath", "start").expect(200).await;
    let update = world
        .on_site(&world.admin, "updateSiteSpaceById", site)
        .path("siteSpaceId", id(item));
    let body = json!({ "pageId": page["id"], "condition": "visitor.claims.unsigned.partner", "hidden": true });
    update.json(body).expect(200).await;
    let copy = duplicate(&world, &world.admin, site, item)
        .json(json!({ "draft": true }))
        .expect(201)
        .await;
    assert_ne!(copy["space"]["id"], space["id"]);
    assert_eq!(
        (&copy["path"], &copy["section"], &copy["draft"]),
        (&json!("one-3"), &item["section"], &json!(true))
    );
    let kept = [&copy["pageId"], &copy["condition"], &copy["hidden"]];
    assert_eq!(
        kept,
        [&page["id"], &json!("visitor.claims.unsigned.partner"), &json!(true)]
    );
    let text = world
        .admin
        .client
        .call("getPageById")
        .path("spaceId", id(&copy["space"]));
    let text = text
        .path("pageId", id(&page))
        .query("format", "markdown")
        .expect(200)
        .await;
    assert!(text["markdown"].as_str().unwrap().contains("Of One"));
    let second = duplicate(&world, &world.admin, site, &copy).expect(201).await;
    assert_eq!(second["draft"], false);
    let sections = world.on_site(&world.read, "listSiteSections", site).expect(200).await;
    let order: Vec<&Value> = (0..4)
        .map(|index| &sections["items"][0]["siteSpaces"][index]["id"])
        .collect();
    assert_eq!(order[..3], [&item["id"], &copy["id"], &second["id"]]);
}

async fn copies_need_the_space_itself(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let site = &published.site;
    let list = world.on_site(&world.read, "listSiteSpaces", site).expect(200).await;
    let item = &list["items"][0];
    // The role `create` gives no level `admin` on a space of others.
    duplicate(&world, &world.create, site, item).expect(403).await;
    duplicate(&world, &world.admin, site, site).expect(404).await;
}
