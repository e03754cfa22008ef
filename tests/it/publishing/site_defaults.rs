//! What a site shows at its address while groups and sections of it are empty.

use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    paths::texts,
    published::{Published, find, id, visitor},
    world::World,
};

on_each_database![
    groups_alone_hide_no_spaces,
    a_section_with_content_comes_before_an_empty_default,
];

/// The structure as a member reads it, the same in both answers that have it.
async fn structure(world: &World, site: &Value) -> Value {
    let read = world.on_site(&world.read, "getSiteStructure", site).expect(200).await;
    let published = world.on_site(&world.read, "getPublishedContentSite", site);
    assert_eq!(published.expect(200).await["structure"], read);
    read
}

async fn groups_alone_hide_no_spaces(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let site = &published.site;
    let add = world.on_site(&world.create, "addSectionGroupToSite", site);
    let group = add.json(json!({ "title": "Products" })).expect(201).await;
    let seen = structure(&world, site).await;
    assert_eq!(seen["type"], "siteSpaces", "{seen}");
    assert_eq!(seen["structure"][0]["space"]["id"], published.spaces[0]["id"]);
    let client = visitor(&world, &find(&world, &published.address).await);
    let call = client.call("getSiteStructure").here(&world).path("siteId", id(site));
    let by_visitor = call.expect(200).await;
    assert_eq!(
        (&by_visitor["type"], &by_visitor["structure"][0]["id"]),
        (&seen["type"], &seen["structure"][0]["id"])
    );
    let groups = world
        .on_site(&world.read, "listSiteSectionGroups", site)
        .expect(200)
        .await;
    assert_eq!(groups["items"][0]["id"], group["id"]);

    // The first section takes the space along, and the group is shown again.
    let add = world.on_site(&world.admin, "addSectionToSite", site);
    let section = add
        .json(json!({ "spaceId": published.spaces[0]["id"], "title": "Grip" }))
        .expect(201)
        .await;
    let seen = structure(&world, site).await;
    assert_eq!(
        texts(&json!({ "items": seen["structure"] }), "/title"),
        ["Products", "Grip"]
    );
    // Without sections and spaces, there are the groups.
    let delete = world.on_site(&world.admin, "deleteSiteSectionById", site);
    delete.path("siteSectionId", id(&section)).expect(204).await;
    let seen = structure(&world, site).await;
    assert_eq!(
        (&seen["type"], &seen["structure"][0]["id"]),
        (&json!("sections"), &group["id"])
    );
    let add = world.on_site(&world.admin, "addSpaceToSite", site);
    let item = add
        .json(json!({ "spaceId": published.spaces[0]["id"] }))
        .expect(201)
        .await;
    let seen = structure(&world, site).await;
    assert_eq!(
        (&seen["type"], &seen["structure"][0]["id"]),
        (&json!("siteSpaces"), &item["id"])
    );
}

async fn a_section_with_content_comes_before_an_empty_default(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    let (site, base) = (&published.site, &published.address);
    let mut sections = Vec::new();
    for title in ["First", "Second"] {
        let space = world.new_space(title).await;
        let add = world.on_site(&world.admin, "addSectionToSite", site);
        sections.push(
            add.json(json!({ "spaceId": space["id"], "title": title }))
                .expect(201)
                .await,
        );
    }
    published
        .set(&world, json!({ "defaultSiteSection": sections[0]["id"] }))
        .await;
    let list = world.on_site(&world.admin, "listSiteSections", site).expect(200).await;
    let items = list["items"][0]["siteSpaces"].as_array().unwrap().clone();
    assert_eq!(items.len(), 3);
    for item in &items {
        let delete = world.on_site(&world.admin, "deleteSiteSpaceById", site);
        delete.path("siteSpaceId", id(item)).expect(204).await;
    }
    let second = &sections[1]["siteSpaces"][0];
    let at_root = async || {
        let call = world.admin.client.call("getContentByUrl").query("url", base);
        let by_member = call.expect(200).await["space"]["id"].clone();
        let list = world
            .on_site(&world.read, "listSiteSpaces", site)
            .query("default", true);
        let listed = list.expect(200).await;
        assert_eq!(listed["items"].as_array().unwrap().len(), 1, "{listed}");
        assert_eq!(listed["items"][0]["space"]["id"], by_member);
        assert_eq!(listed["items"][0]["urls"]["published"], *base);
        assert_eq!(find(&world, base).await["space"], by_member);
        let space = world
            .admin
            .client
            .call("getSpaceById")
            .path("spaceId", by_member.as_str().unwrap());
        assert_eq!(space.expect(200).await["urls"]["published"], *base);
        let sections = world.on_site(&world.read, "listSiteSections", site).expect(200).await;
        let default = sections["items"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|it| it["default"] == true);
        let titles: Vec<&Value> = default.map(|it| &it["title"]).collect();
        assert_eq!(titles.len(), 1, "{sections}");
        (by_member, titles[0].clone())
    };
    assert_eq!(at_root().await, (second["space"]["id"].clone(), json!("Second")));
    // The choice stays: the section is the default once it has content.
    let add = world.on_site(&world.admin, "addSpaceToSite", site);
    let body = json!({ "spaceId": published.spaces[1]["id"], "sectionId": sections[0]["id"] });
    add.json(body).expect(201).await;
    assert_eq!(at_root().await, (published.spaces[1]["id"].clone(), json!("First")));
    let shown = find(&world, &format!("{base}second/")).await;
    assert_eq!(shown["space"], second["space"]["id"]);
}
