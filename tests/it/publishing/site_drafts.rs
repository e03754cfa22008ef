//! Drafts in the structure of sites.

use serde_json::{Value, json};

use crate::support::{
    client::Client,
    database::{TestDatabase, on_each_database},
    paths::texts,
    published::{Published, find, id, resolve, visitor},
    world::World,
};

on_each_database![
    visitors_do_not_see_drafts,
    the_address_of_a_site_shows_no_draft,
    drafts_are_added,
    previews_show_drafts_unless_told_otherwise,
];

async fn sections(world: &World, published: &Published) -> Vec<Value> {
    let list = world.on_site(&world.read, "listSiteSections", &published.site);
    list.expect(200).await["items"].as_array().unwrap().clone()
}

async fn update(
    world: &World,
    site: &Value,
    (operation, parameter): (&str, &'static str),
    item: &Value,
    change: Value,
) {
    let call = world.on_site(&world.create, operation, site);
    call.path(parameter, id(item)).json(change).expect(200).await;
}

const SECTION: (&str, &str) = ("updateSiteSectionById", "siteSectionId");
const SITE_SPACE: (&str, &str) = ("updateSiteSpaceById", "siteSpaceId");
const GROUP: (&str, &str) = ("updateSiteSectionGroupById", "siteSectionGroupId");

/// The titles of the sections that a visitor sees.
async fn seen(world: &World, client: &Client, site: &Value) -> Vec<String> {
    let list = client.call("listSiteSections").here(world).path("siteId", id(site));
    texts(&list.expect(200).await, "/title")
}

/// A draft section, a section in a draft group, and a section whose only site space is a draft are all the same to visitors.
async fn visitors_do_not_see_drafts(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::in_sections(&world, &["One", "Two", "Three"]).await;
    let (site, base) = (&published.site, &published.address);
    let section = sections(&world, &published).await.swap_remove(1);
    let item = &section["siteSpaces"][0];
    let call = world.on_site(&world.create, "addSectionGroupToSite", site);
    let group = call.json(json!({ "title": "Outer" })).expect(201).await;
    let call = world.on_site(&world.create, "addSectionGroupToSite", site);
    let inner = json!({ "title": "Inner", "parent": id(&group), "sections": [id(&section)] });
    call.json(inner).expect(201).await;
    let client = visitor(&world, &find(&world, base).await);
    let finds = async || {
        let search = client.call("searchSiteContent").here(&world).path("siteId", id(site));
        let found = search.json(json!({ "query": "two", "mode": "all" })).expect(200).await;
        let mut found = found["items"].as_array().unwrap().iter();
        found.any(|space| space["id"] == published.spaces[1]["id"])
    };
    for (kind, draft) in [(SECTION, &section), (SITE_SPACE, item), (GROUP, &group)] {
        update(&world, site, kind, draft, json!({ "draft": true })).await;
        assert_eq!(seen(&world, &client, site).await, ["One", "Three"], "{kind:?}");
        let profile = client.call("getPublishedContentSite").here(&world);
        let profile = profile.path("siteId", id(site)).expect(200).await;
        assert_eq!(
            texts(&json!({ "items": profile["structure"]["structure"] }), "/title"),
            ["One", "Three"]
        );
        assert_eq!(profile["customizations"]["siteSpaces"].get(id(item)), None);
        let space = client.call("getSpaceById").path("spaceId", id(&published.spaces[1]));
        space.expect(404).await;
        assert!(!finds().await, "{kind:?}");
        // The path is that of a page, which the default section does not have.
        let found = find(&world, &format!("{base}two/start")).await;
        assert_eq!(
            (&found["space"], &found["pathname"]),
            (&published.spaces[0]["id"], &json!("/two/start"))
        );
        let by_url = world.admin.client.call("getContentByUrl");
        by_url.query("url", format!("{base}two/start")).expect(404).await;
        // Members see the draft, which has no address for readers.
        let members = sections(&world, &published).await;
        let of_two = members.iter().find(|it| it["id"] == section["id"]).unwrap();
        assert_eq!(of_two["siteSpaces"][0]["urls"], json!({}), "{kind:?}");
        assert_eq!(of_two["draft"], json!(kind == SECTION));
        assert_eq!(of_two["siteSpaces"][0]["draft"], json!(kind == SITE_SPACE));
        let space = world
            .admin
            .client
            .call("getSpaceById")
            .path("spaceId", id(&published.spaces[1]));
        let space = space.expect(200).await;
        assert_eq!(
            (&space["visibility"], space["urls"].get("published")),
            (&json!("private"), None)
        );
        update(&world, site, kind, draft, json!({ "draft": false })).await;
        assert_eq!(seen(&world, &client, site).await.len(), 3, "{kind:?}");
        assert!(finds().await, "{kind:?}");
        let found = find(&world, &format!("{base}two/start")).await;
        assert_eq!(found["space"], published.spaces[1]["id"]);
    }
}

async fn the_address_of_a_site_shows_no_draft(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    let (site, base) = (&published.site, &published.address);
    let list = world.on_site(&world.read, "listSiteSpaces", site).expect(200).await;
    let [one, two] = [&list["items"][0], &list["items"][1]];
    update(&world, site, SITE_SPACE, one, json!({ "draft": true })).await;
    let found = find(&world, base).await;
    assert_eq!(
        (&found["space"], &found["canonicalUrl"]),
        (&published.spaces[1]["id"], &json!(base))
    );
    let space = world
        .admin
        .client
        .call("getSpaceById")
        .path("spaceId", id(&published.spaces[1]));
    assert_eq!(space.expect(200).await["urls"]["published"], *base);
    update(&world, site, SITE_SPACE, two, json!({ "draft": true })).await;
    resolve(&world, base, json!({})).expect(404).await;
}

async fn drafts_are_added(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let (site, space) = (&published.site, id(&published.spaces[0]));
    let add = async |operation: &str, body: Value| {
        let call = world.on_site(&world.admin, operation, site);
        call.json(body).expect(201).await
    };
    let item = add("addSpaceToSite", json!({ "spaceId": space, "draft": true })).await;
    assert_eq!(item["draft"], true);
    // It would hide what is published.
    let refused = world.on_site(&world.admin, "addSectionToSite", site);
    let refused = refused.json(json!({ "spaceId": space, "draft": true })).send().await;
    refused.expect(400);
    refused.has_detail("/body/draft", "first-section");
    let section = add("addSectionToSite", json!({ "spaceId": space, "title": "First" })).await;
    assert_eq!(section["draft"], false);
    let section = add(
        "addSectionToSite",
        json!({ "spaceId": space, "title": "Second", "draft": true }),
    )
    .await;
    assert_eq!(
        (&section["draft"], &section["siteSpaces"][0]["draft"]),
        (&json!(true), &json!(false))
    );
    let group = add("addSectionGroupToSite", json!({ "title": "Group", "draft": true })).await;
    assert_eq!(group["draft"], true);
    let client = visitor(&world, &find(&world, &published.address).await);
    assert_eq!(seen(&world, &client, site).await, ["First"]);
}

async fn previews_show_drafts_unless_told_otherwise(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    let site = &published.site;
    let list = world.on_site(&world.read, "listSiteSpaces", site).expect(200).await;
    let draft = &list["items"][1];
    update(&world, site, SITE_SPACE, draft, json!({ "draft": true })).await;
    let preview = || world.on_site(&world.read, "getSitePublishingPreviewById", site);
    let refused = preview()
        .query("siteSpace", id(draft))
        .query("draft", false)
        .send()
        .await;
    refused.expect(400);
    refused.has_detail("/query/siteSpace", "site-item");
    let address = preview().query("siteSpace", id(draft)).expect(200).await;
    let found = find(&world, address["url"].as_str().unwrap()).await;
    assert_eq!(found["space"], published.spaces[1]["id"]);
    let live = preview().query("draft", false).expect(200).await;
    let live = find(&world, live["url"].as_str().unwrap()).await;
    for (found, titles) in [(&found, &["One", "Two"][..]), (&live, &["One"])] {
        let client = visitor(&world, found);
        let list = client.call("getSiteStructure").here(&world).path("siteId", id(site));
        let list = json!({ "items": list.expect(200).await["structure"] });
        assert_eq!(texts(&list, "/title"), titles);
        let space = client.call("getSpaceById").path("spaceId", id(&published.spaces[1]));
        space.expect(if titles.len() == 2 { 200 } else { 404 }).await;
    }
}
