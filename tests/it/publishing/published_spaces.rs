//! What spaces say about the sites that show them.

use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    published::{Published, find, id, visitor},
    world::World,
};

on_each_database![
    spaces_have_the_audience_of_the_most_open_site,
    addresses_of_spaces_are_those_of_their_places,
    addresses_follow_a_space_that_leaves,
    visitors_see_spaces_as_their_site_publishes_them,
    a_visitor_who_sees_less_gets_the_address_that_is_left,
];

/// The same in all answers about the space.
async fn read(world: &World, space: &Value) -> Value {
    let one = world
        .admin
        .client
        .call("getSpaceById")
        .path("spaceId", id(space))
        .expect(200)
        .await;
    let list = world
        .admin
        .client
        .call("listSpacesInOrganizationById")
        .here(world)
        .expect(200)
        .await;
    let listed = list["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|item| item["id"] == one["id"]);
    assert_eq!(*listed.unwrap(), one);
    one
}

async fn spaces_have_the_audience_of_the_most_open_site(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let space = &published.spaces[0];
    let seen = read(&world, space).await;
    assert_eq!(seen["visibility"], "public");
    assert_eq!(seen["urls"]["published"], published.address);
    assert_eq!(seen["urls"]["public"], published.address);
    assert_eq!(seen.get("visitorAuth"), None);
    for (visibility, is_public) in [("unlisted", true), ("share-link", false), ("visitor-auth", false)] {
        published.set(&world, json!({ "visibility": visibility })).await;
        let seen = read(&world, space).await;
        assert_eq!(seen["visibility"], visibility);
        assert_eq!(seen["urls"]["published"], published.address);
        assert_eq!(seen["urls"].get("public").is_some(), is_public, "{visibility}");
    }
    assert_eq!(read(&world, space).await["visitorAuth"], json!({ "backend": "custom" }));
    // A site that is not published counts for nothing.
    let second = world.new_site("Second", &[space]).await;
    assert_eq!(read(&world, space).await["visibility"], "visitor-auth");
    let second = world.on_site(&world.admin, "publishSite", &second).expect(200).await;
    let seen = read(&world, space).await;
    assert_eq!(seen["visibility"], "public");
    assert_eq!(seen["urls"]["published"], second["urls"]["published"]);
    world.on_site(&world.admin, "deleteSiteById", &second).expect(204).await;
    assert_eq!(read(&world, space).await["visibility"], "visitor-auth");
    world
        .on_site(&world.admin, "unpublishSite", &published.site)
        .expect(200)
        .await;
    let seen = read(&world, space).await;
    assert_eq!(seen["visibility"], "private");
    assert_eq!(
        (seen["urls"].get("published"), seen["urls"].get("public")),
        (None, None)
    );
}

async fn addresses_of_spaces_are_those_of_their_places(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    let agree = async || {
        let structure = world
            .on_site(&world.admin, "getSiteStructure", &published.site)
            .expect(200)
            .await;
        let mut addresses = Vec::new();
        let sections = structure["structure"].as_array().unwrap().iter();
        for section in sections {
            let items = section["siteSpaces"]
                .as_array()
                .cloned()
                .unwrap_or_else(|| vec![section.clone()]);
            for item in items {
                let space = read(&world, &item["space"]).await;
                assert_eq!(space["urls"]["published"], item["urls"]["published"]);
                assert_eq!(space, item["space"]);
                addresses.push(
                    item["urls"]["published"]
                        .as_str()
                        .unwrap()
                        .replace(&published.address, ""),
                );
            }
        }
        addresses
    };
    assert_eq!(agree().await, ["", "two/"]);
    let list = world
        .on_site(&world.admin, "listSiteSpaces", &published.site)
        .expect(200)
        .await;
    published
        .set(&world, json!({ "defaultSiteSpace": list["items"][1]["id"] }))
        .await;
    assert_eq!(agree().await, ["one/", ""]);
    let add = world.on_site(&world.admin, "addSectionToSite", &published.site);
    let three = world.new_space("Three").await;
    add.json(json!({ "spaceId": three["id"], "title": "More" }))
        .expect(201)
        .await;
    let add = world.on_site(&world.admin, "addSectionToSite", &published.site);
    let four = world.new_space("Four").await;
    add.json(json!({ "spaceId": four["id"], "title": "Last" }))
        .expect(201)
        .await;
    assert_eq!(agree().await.last().unwrap(), "last/");
    published.set_proxy(&world, "tidewater.example/docs").await;
    assert_eq!(
        read(&world, &four).await["urls"]["published"],
        "https://tidewater.example/docs/last/"
    );
}

async fn addresses_follow_a_space_that_leaves(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    let (base, two) = (&published.address, &published.spaces[1]);
    assert_eq!(read(&world, two).await["urls"]["published"], format!("{base}two/"));
    let delete = world.admin.client.call("deleteSpaceById");
    delete.path("spaceId", id(&published.spaces[0])).expect(204).await;
    let list = world.on_site(&world.admin, "listSiteSpaces", &published.site);
    let list = list.expect(200).await;
    assert_eq!(list["items"][0]["urls"]["published"], *base);
    let seen = read(&world, two).await;
    assert_eq!(seen["urls"]["published"], *base);
    assert_eq!(seen["urls"]["public"], *base);

    // The default section loses its last space.
    for title in ["More", "Last"] {
        let space = world.new_space(title).await;
        let add = world.on_site(&world.admin, "addSectionToSite", &published.site);
        let body = json!({ "spaceId": space["id"], "title": title });
        add.json(body).expect(201).await;
    }
    let sections = world.on_site(&world.admin, "listSiteSections", &published.site);
    let sections = sections.expect(200).await;
    let last = sections["items"][1]["siteSpaces"][0]["space"].clone();
    assert_eq!(read(&world, &last).await["urls"]["published"], format!("{base}last/"));
    let of_first = sections["items"][0]["siteSpaces"].as_array().unwrap().iter();
    for item in of_first {
        let delete = world.admin.client.call("deleteSpaceById");
        delete.path("spaceId", id(&item["space"])).expect(204).await;
    }
    assert_eq!(read(&world, &last).await["urls"]["published"], *base);
}

/// A space as a visitor who comes to an address reads it: the same by itself and in the structure of the site.
async fn seen_at(world: &World, site: &Value, address: &str) -> Value {
    let found = find(world, address).await;
    let client = visitor(world, &found);
    let space = client
        .call("getSpaceById")
        .path("spaceId", found["space"].as_str().unwrap());
    let space = space.expect(200).await;
    let items = client.call("listSiteSpaces").here(world).path("siteId", id(site));
    let items = items.expect(200).await;
    let items = items["items"].as_array().unwrap();
    let item = items.iter().find(|item| item["id"] == found["siteSpace"]).unwrap();
    assert_eq!(space, item["space"]);
    assert_eq!(space["urls"].get("published"), item["urls"].get("published"));
    space
}

async fn visitors_see_spaces_as_their_site_publishes_them(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    let (site, base) = (&published.site, &published.address);
    // A more open site that shows the space, too, is none of theirs.
    let other = world.new_site("Other", &[&published.spaces[1]]).await;
    world.on_site(&world.admin, "publishSite", &other).expect(200).await;
    for (visibility, is_public) in [("public", true), ("unlisted", true)] {
        published.set(&world, json!({ "visibility": visibility })).await;
        let seen = seen_at(&world, site, &format!("{base}two/")).await;
        assert_eq!(seen["visibility"], visibility);
        assert_eq!(seen["urls"]["published"], format!("{base}two/"));
        assert_eq!(seen["urls"].get("public").is_some(), is_public);
        assert_eq!(seen["urls"]["public"], seen["urls"]["published"]);
    }
    published.set(&world, json!({ "visibility": "share-link" })).await;
    let create = world.on_site(&world.admin, "createSiteShareLink", site);
    let link = create.json(json!({ "name": "Partners" })).expect(201).await;
    let with_key = link["urls"]["published"].as_str().unwrap();
    let seen = seen_at(&world, site, with_key).await;
    assert_eq!(seen["visibility"], "share-link");
    assert_eq!(seen["urls"]["published"], with_key);
    assert_eq!(seen["urls"].get("public"), None);
    // A preview of a site that is not published has no address for readers.
    world.on_site(&world.admin, "unpublishSite", site).expect(200).await;
    let preview = world.on_site(&world.read, "getSitePublishingPreviewById", site);
    let preview = preview.expect(200).await;
    let seen = seen_at(&world, site, preview["url"].as_str().unwrap()).await;
    assert_eq!(seen["visibility"], "share-link");
    assert_eq!(seen["urls"].get("published"), None);
}

async fn a_visitor_who_sees_less_gets_the_address_that_is_left(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    let (site, base) = (&published.site, &published.address);
    published
        .set(&world, json!({ "adaptiveContent": { "enabled": true } }))
        .await;
    let items = world.on_site(&world.admin, "listSiteSpaces", site).expect(200).await;
    let update = world.on_site(&world.admin, "updateSiteSpaceById", site);
    let update = update.path("siteSpaceId", id(&items["items"][0]));
    update
        .json(json!({ "condition": "visitor.claims.unsigned.beta" }))
        .expect(200)
        .await;
    let seen = seen_at(&world, site, base).await;
    assert_eq!(seen["title"], "Two");
    assert_eq!(seen["urls"]["published"], *base);
}
