//! What a site shows at its address while groups and sections of it are empty.

use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    paths::texts,
    published::{Published, find, id, visitor},
    world::World,
};

on_each_database![groups_alone_hide_no_spaces,];

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
