//! Share links of sites, and the keys for the tokens of visitors.

use serde_json::json;

use crate::support::{
    database::{TestDatabase, on_each_database},
    insights::event,
    paths::texts,
    published::id,
    world::World,
};

on_each_database![
    share_links_are_made_changed_and_deleted,
    share_links_are_found_by_name_and_key,
    the_key_for_visitors_is_replaced,
    the_address_for_signing_out_is_kept,
    keys_of_share_links_are_stored_nowhere,
    insights_show_no_keys_of_share_links,
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

async fn share_links_are_found_by_name_and_key(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    let mut keys = Vec::new();
    for name in ["Für Ärzte", "100% partners", "Partners"] {
        let create = world.on_site(&world.admin, "createSiteShareLink", &site);
        let link = create.json(json!({ "name": name })).expect(201).await;
        let address = link["urls"]["published"].as_str().unwrap().trim_end_matches('/');
        keys.push(address.rsplit_once('/').unwrap().1.to_owned());
    }
    let other = world.new_site("Other", &[]).await;
    let create = world.on_site(&world.admin, "createSiteShareLink", &other);
    create.json(json!({ "name": "Partners elsewhere" })).expect(201).await;
    let list = |search: &str| {
        let call = world.on_site(&world.admin, "listSiteShareLinks", &site);
        call.query("search", search)
    };
    let mut altered = keys[0].clone();
    altered.replace_range(altered.len() - 1.., if altered.ends_with('a') { "b" } else { "a" });
    for (search, expected) in [
        ("PARTNER", &["Partners", "100% partners"][..]),
        ("ärzte", &["Für Ärzte"]),
        ("0%", &["100% partners"]),
        ("_", &[]),
        (&keys[0], &["Für Ärzte"]),
        (&altered, &[]),
    ] {
        let found = list(search).expect(200).await;
        assert_eq!(texts(&found, "/name"), expected, "{search}");
        assert_eq!(found["count"], expected.len());
    }
    let first = list("partner").query("limit", 1).expect(200).await;
    let next = first["next"]["page"].as_str().unwrap();
    let second = list("partner").query("page", next).expect(200).await;
    assert_eq!(texts(&second, "/name"), ["100% partners"]);
    list("other").query("page", next).expect(400).await;
    // A new name is found.
    let update = world.on_site(&world.admin, "updateSiteShareLinkById", &site);
    let update = update.path("shareLinkId", first["items"][0]["id"].as_str().unwrap());
    update.json(json!({ "name": "Customers" })).expect(200).await;
    assert_eq!(texts(&list("customers").expect(200).await, "/name"), ["Customers"]);
}

async fn the_address_for_signing_out_is_kept(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    let address = json!("https://tidewater.example/logout");
    for (change, expected) in [
        (json!({ "logoutURL": address }), address.clone()),
        (
            json!({ "fallbackURL": "https://tidewater.example/login" }),
            address.clone(),
        ),
        (json!({ "logoutURL": null }), json!(null)),
    ] {
        let mut body = change;
        body["backend"] = json!("custom");
        let update = world.on_site(&world.admin, "updateSitePublishingAuthById", &site);
        assert_eq!(update.json(body).expect(200).await["logoutURL"], expected);
        let get = world.on_site(&world.admin, "getSitePublishingAuthById", &site);
        assert_eq!(get.expect(200).await["logoutURL"], expected);
    }
    let update = world.on_site(&world.admin, "updateSitePublishingAuthById", &site);
    let refused = update.json(json!({ "backend": "custom", "logoutURL": "javascript:alert(1)" }));
    refused.send().await.has_detail("/body/logoutURL", "pattern");
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

/// Members with the level `read` see insights, and need the level `create` for the keys.
async fn insights_show_no_keys_of_share_links(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    world.on_site(&world.admin, "publishSite", &site).expect(200).await;
    let create = world.on_site(&world.admin, "createSiteShareLink", &site);
    let link = create.json(json!({ "name": "Partners" })).expect(201).await;
    let address = link["urls"]["published"].as_str().unwrap();
    let key = address.trim_end_matches('/').rsplit('/').next().unwrap();
    let visit = json!({
        "session": { "referrer": format!("{address}start") },
        "location": { "url": format!("{address}guide?a=1"), "siteShareKey": key },
    });
    world
        .track(&world.admin.client, &site, vec![event("page_view", visit)])
        .await;
    for (column, expected) in [
        ("siteShareKey", id(&link).to_owned()),
        ("url", format!("{}guide?a=1", address.replace(key, id(&link)))),
    ] {
        let column = json!({ "column": column });
        let question = json!({ "select": [column], "groupBy": [column], "range": "last24Hours" });
        assert_eq!(world.aggregate(&site, question).await, [json!([expected])]);
    }
}
