//! Settings of the items in the structure of sites.

use serde_json::{Value, json};

use crate::support::{
    client::Call,
    database::{TestDatabase, on_each_database},
    published::{Published, find, id, visitor},
    sites::add,
    world::World,
};

on_each_database![
    hidden_site_spaces_are_still_read,
    site_spaces_begin_at_a_page,
    pages_of_a_former_space_are_not_kept,
    sections_and_groups_move_between_groups,
];

fn site_space<'a>(world: &'a World, site: &Value, item: &Value) -> Call<'a> {
    let call = world.on_site(&world.admin, "updateSiteSpaceById", site);
    call.path("siteSpaceId", id(item))
}

fn section<'a>(world: &'a World, site: &Value, section: &Value) -> Call<'a> {
    let call = world.on_site(&world.create, "updateSiteSectionById", site);
    call.path("siteSectionId", id(section))
}

fn group<'a>(world: &'a World, site: &Value, group: &Value) -> Call<'a> {
    let call = world.on_site(&world.create, "updateSiteSectionGroupById", site);
    call.path("siteSectionGroupId", id(group))
}

async fn hidden_site_spaces_are_still_read(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    let list = world
        .on_site(&world.read, "listSiteSpaces", &published.site)
        .expect(200)
        .await;
    let item = &list["items"][1];
    assert_eq!(item["hidden"], false);
    let changed = site_space(&world, &published.site, item)
        .json(json!({ "hidden": true }))
        .expect(200)
        .await;
    assert_eq!(changed["hidden"], true);
    let found = find(&world, &format!("{}two/start", published.address)).await;
    assert_eq!(found["siteSpace"], item["id"]);
    let client = visitor(&world, &found);
    let structure = client.call("getSiteStructure").here(&world);
    let structure = structure.path("siteId", id(&published.site)).expect(200).await;
    assert_eq!(structure["structure"][1]["hidden"], true);
    let changed = site_space(&world, &published.site, item)
        .json(json!({ "hidden": false }))
        .expect(200)
        .await;
    assert_eq!(changed["hidden"], false);
}

async fn site_spaces_begin_at_a_page(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    let (site, [one, two]) = (&published.site, [&published.spaces[0], &published.spaces[1]]);
    let page = async |space: &Value| {
        let call = world.admin.client.call("getPageByPath").path("spaceId", id(space));
        call.path("pagePath", "start").expect(200).await["id"].clone()
    };
    let (of_one, of_two) = (page(one).await, page(two).await);
    let item = add(
        &world,
        site,
        "addSpaceToSite",
        json!({ "spaceId": one["id"], "pageId": of_one }),
    )
    .await;
    assert_eq!(item["pageId"], of_one);
    let body = json!({ "spaceId": two["id"], "title": "Two", "pageId": of_two });
    let added = add(&world, site, "addSectionToSite", body).await;
    // The first section takes over the other site spaces.
    let last = added["siteSpaces"].as_array().unwrap().last().unwrap();
    assert_eq!(last["pageId"], of_two);
    for (operation, body) in [
        ("addSpaceToSite", json!({ "spaceId": one["id"], "pageId": of_two })),
        ("addSectionToSite", json!({ "spaceId": one["id"], "pageId": of_two })),
    ] {
        let refused = world.on_site(&world.admin, operation, site).json(body).send().await;
        refused.expect(400);
        refused.has_detail("/body/pageId", "unknown");
    }
    let refused = site_space(&world, site, &item)
        .json(json!({ "pageId": of_two }))
        .send()
        .await;
    refused.expect(400);
    refused.has_detail("/body/pageId", "unknown");
    let found = find(&world, &published.address).await;
    let client = visitor(&world, &found);
    let seen = client.call("listSiteSpaces").here(&world);
    let seen = seen.path("siteId", id(site)).expect(200).await;
    assert_eq!(seen["items"][2]["pageId"], of_one);
    // A page of one space is none of another.
    let changed = json!({ "spaceId": two["id"] });
    let changed = site_space(&world, site, &item).json(changed).expect(200).await;
    assert_eq!(changed.get("pageId"), None);
    let changed = site_space(&world, site, &item)
        .json(json!({ "pageId": of_two }))
        .expect(200)
        .await;
    assert_eq!(changed["pageId"], of_two);
    let same = json!({ "spaceId": two["id"], "hidden": true });
    let changed = site_space(&world, site, &item).json(same).expect(200).await;
    assert_eq!(changed["pageId"], of_two);
    let changed = site_space(&world, site, &item)
        .json(json!({ "pageId": null }))
        .expect(200)
        .await;
    assert_eq!(changed.get("pageId"), None);
}

/// A space and a page are set at the same time: whichever comes first, the page is one of the space.
async fn pages_of_a_former_space_are_not_kept(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    let (site, [one, two]) = (&published.site, [&published.spaces[0], &published.spaces[1]]);
    let page = world.admin.client.call("getPageByPath").path("spaceId", id(one));
    let page = page.path("pagePath", "start").expect(200).await["id"].clone();
    let item = add(&world, site, "addSpaceToSite", json!({ "spaceId": one["id"] })).await;
    for _ in 0..20 {
        let change = |body: Value| site_space(&world, site, &item).json(body);
        let begin = change(json!({ "spaceId": one["id"] }));
        begin.expect(200).await;
        let (space, with_page) = tokio::join!(
            change(json!({ "spaceId": two["id"] })).send(),
            change(json!({ "pageId": page })).send(),
        );
        space.expect(200);
        assert!(matches!(with_page.status, 200 | 400), "{}", with_page.text);
        let list = world.on_site(&world.admin, "listSiteSpaces", site).expect(200).await;
        let mut items = list["items"].as_array().unwrap().iter();
        let now = items.find(|other| other["id"] == item["id"]).unwrap();
        assert_eq!((&now["space"]["id"], now.get("pageId")), (&two["id"], None), "{now}");
    }
}

async fn sections_and_groups_move_between_groups(database: TestDatabase) {
    let world = World::new(database).await;
    let space = world.new_space("Space").await;
    let site = world.new_site("Manuals", &[]).await;
    let outer = add(&world, &site, "addSectionGroupToSite", json!({ "title": "Outer" })).await;
    let inner = add(&world, &site, "addSectionGroupToSite", json!({ "title": "Inner" })).await;
    let body = json!({ "spaceId": space["id"], "title": "First", "siteSectionGroupId": inner["id"] });
    let first = add(&world, &site, "addSectionToSite", body).await;
    assert_eq!(first["sectionGroup"], inner["id"]);
    let body = json!({ "parentSectionGroupId": outer["id"] });
    let moved = group(&world, &site, &inner).json(body).expect(200).await;
    assert_eq!(moved["sectionGroup"], outer["id"]);
    assert_eq!(
        world.outline(&site).await,
        json!([["Outer", [["Inner", [["First", ["Space"]]]]]]])
    );
    let body = json!({ "siteSectionGroupId": outer["id"] });
    let moved = section(&world, &site, &first).json(body).expect(200).await;
    assert_eq!(moved["sectionGroup"], outer["id"]);
    assert_eq!(
        world.outline(&site).await,
        json!([["Outer", [["Inner", []], ["First", ["Space"]]]]])
    );
    let moved = section(&world, &site, &first)
        .json(json!({ "siteSectionGroupId": null }))
        .expect(200)
        .await;
    assert_eq!(moved.get("sectionGroup"), None);
    let moved = group(&world, &site, &inner)
        .json(json!({ "parentSectionGroupId": null }))
        .expect(200)
        .await;
    assert_eq!(moved.get("sectionGroup"), None);
    assert_eq!(
        world.outline(&site).await,
        json!([["Outer", []], ["First", ["Space"]], ["Inner", []]])
    );

    let nowhere = json!({ "spaceId": space["id"], "siteSectionGroupId": "x" });
    let add_to_nowhere = world.on_site(&world.admin, "addSectionToSite", &site).json(nowhere);
    for (call, member) in [
        (add_to_nowhere, "siteSectionGroupId"),
        (
            section(&world, &site, &first).json(json!({ "siteSectionGroupId": "x" })),
            "siteSectionGroupId",
        ),
        (
            group(&world, &site, &outer).json(json!({ "parentSectionGroupId": "x" })),
            "parentSectionGroupId",
        ),
        (
            group(&world, &site, &outer).json(json!({ "parentSectionGroupId": outer["id"] })),
            "parentSectionGroupId",
        ),
    ] {
        let refused = call.send().await;
        refused.expect(400);
        refused.has_detail(&format!("/body/{member}"), "site-item");
    }
    let mut parent = outer.clone();
    for _ in 0..3 {
        let body = json!({ "title": "Deeper", "parent": parent["id"] });
        parent = add(&world, &site, "addSectionGroupToSite", body).await;
    }
    let body = json!({ "parentSectionGroupId": parent["id"] });
    let refused = group(&world, &site, &inner).json(body).expect(412).await;
    assert_eq!(refused["error"]["type"], "groups-too-deep");
}
