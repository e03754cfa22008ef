//! Share links of sites, and the keys for the tokens of visitors.

use serde_json::json;

use crate::support::{
    database::{TestDatabase, on_each_database},
    world::World,
};

on_each_database![
    share_links_are_made_changed_and_deleted,
    the_key_for_visitors_is_replaced,
    keys_of_share_links_are_stored_nowhere,
];

async fn share_links_are_made_changed_and_deleted(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    let create = world.on_site(&world.admin, "createSiteShareLink", &site);
    let link = create.json(json!({ "name": "For partners" })).expect(201).await;
    assert_eq!((&link["name"], &link["active"]), (&json!("For partners"), &json!(true)));
    let address = link["urls"]["published"].as_str().unwrap();
    let (_, key) = address.rsplit_once("/sites/manuals/").unwrap();
    let id = link["id"].as_str().unwrap();
    assert!(key.starts_with(id) && key.len() == 2 * id.len() + 1, "{address}");

    let update = world.on_site(&world.admin, "updateSiteShareLinkById", &site);
    let update = update.path("shareLinkId", id);
    let changed = update.json(json!({ "active": false, "name": "" })).expect(200).await;
    assert_eq!((&changed["name"], &changed["active"]), (&json!(""), &json!(false)));
    assert_eq!(changed["urls"], link["urls"]);
    let list = world
        .on_site(&world.create, "listSiteShareLinks", &site)
        .expect(200)
        .await;
    assert_eq!(list["items"], json!([changed]));
    // The key is as good as the content: readers do not see it.
    world
        .on_site(&world.review, "listSiteShareLinks", &site)
        .expect(403)
        .await;

    for _ in 0..2 {
        let delete = world.on_site(&world.create, "deleteSiteShareLinkById", &site);
        delete.path("shareLinkId", id).expect(204).await;
    }
    let update = world.on_site(&world.admin, "updateSiteShareLinkById", &site);
    update.path("shareLinkId", id).json(json!({})).expect(404).await;
}

async fn the_key_for_visitors_is_replaced(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    let first = world
        .on_site(&world.admin, "getSitePublishingAuthById", &site)
        .expect(200)
        .await;
    assert_eq!(first["backend"], "custom");
    assert_eq!(first["fallbackURL"], json!(null));
    let update = world.on_site(&world.admin, "updateSitePublishingAuthById", &site);
    let body = json!({ "backend": "integration", "fallbackURL": "https://tidewater.example/login" });
    let changed = update.json(body.clone()).expect(200).await;
    assert_eq!(
        (&changed["backend"], &changed["fallbackURL"]),
        (&body["backend"], &body["fallbackURL"])
    );
    assert_eq!(changed["privateKey"], first["privateKey"]);
    let renewed = world
        .on_site(&world.admin, "regenerateSitePublishingAuthById", &site)
        .expect(200)
        .await;
    assert_ne!(renewed["privateKey"], first["privateKey"]);
    assert_eq!(renewed["fallbackURL"], body["fallbackURL"]);
    let update = world.on_site(&world.admin, "updateSitePublishingAuthById", &site);
    let cleared = update
        .json(json!({ "backend": "custom", "fallbackURL": null }))
        .expect(200)
        .await;
    assert_eq!(
        (&cleared["privateKey"], &cleared["fallbackURL"]),
        (&renewed["privateKey"], &json!(null))
    );
    let other = world.new_site("Other", &[]).await;
    let other = world
        .on_site(&world.admin, "getSitePublishingAuthById", &other)
        .expect(200)
        .await;
    assert_ne!(other["privateKey"], first["privateKey"]);
}

async fn keys_of_share_links_are_stored_nowhere(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    let create = world.on_site(&world.admin, "createSiteShareLink", &site);
    let created = create.json(json!({ "name": "For partners" })).send().await;
    let link = created.expect(201).clone();
    let update = world.on_site(&world.admin, "updateSiteShareLinkById", &site);
    let update = update.path("shareLinkId", link["id"].as_str().unwrap());
    let updated = update.json(json!({ "name": "For all" })).send().await;
    let listed = world.on_site(&world.admin, "listSiteShareLinks", &site).send().await;
    for answer in [created, updated, listed] {
        assert_eq!(answer.headers["cache-control"], "no-store", "{}", answer.text);
    }
}
