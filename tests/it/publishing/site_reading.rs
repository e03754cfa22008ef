//! The structure of sites as visitors see it, with their tokens and with the keys of share links.

use serde_json::{Value, json};

use crate::support::{
    client::Client,
    database::{TestDatabase, on_each_database},
    published::{Published, find, id, resolve, visitor},
    world::World,
};

on_each_database![
    visitors_see_what_conditions_give,
    items_of_the_header_have_conditions,
    redirects_lead_to_what_the_visitor_sees,
    keys_of_share_links_open_the_site_to_everyone_with_a_token,
];

const READS: [&str; 4] = [
    "getPublishedContentSite",
    "getSiteStructure",
    "listSiteSections",
    "listSiteSpaces",
];

async fn visitors_see_what_conditions_give(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    let add = async |title: &str| {
        let space = world.new_space(title).await;
        let call = world.on_site(&world.admin, "addSectionToSite", &published.site);
        call.json(json!({ "spaceId": space["id"], "title": title }))
            .expect(201)
            .await
    };
    let (_, secret) = (add("Open").await, add("Secret").await);
    let call = world.on_site(&world.admin, "updateSiteSectionById", &published.site);
    let call = call.path("siteSectionId", id(&secret));
    let condition = json!({ "condition": "visitor.claims.unsigned.staff" });
    call.json(condition).expect(200).await;
    let call = world.on_site(&world.admin, "addSectionGroupToSite", &published.site);
    let grouped = json!({ "title": "For staff", "sections": [id(&secret)] });
    call.json(grouped).expect(201).await;
    published
        .set(&world, json!({ "adaptiveContent": { "enabled": true } }))
        .await;

    let read = async |client: &Client, operation: &str| {
        let call = client.call(operation).here(&world).path("siteId", id(&published.site));
        call.expect(200).await.to_string()
    };
    let other = visitor(&world, &find(&world, &published.address).await);
    let staff = json!({ "unsignedClaims": { "staff": true } });
    let staff = resolve(&world, &published.address, staff).expect(200).await;
    let staff = visitor(&world, &staff);
    for operation in READS {
        let (seen, all) = (read(&other, operation).await, read(&staff, operation).await);
        assert!(seen.contains("Open") && all.contains("Open"), "{operation}: {seen}");
        assert!(
            !seen.contains("Secret") && all.contains("Secret"),
            "{operation}: {seen} {all}"
        );
        // A group without sections is nothing to see, and conditions are for editors.
        assert!(!seen.contains("For staff"), "{operation}: {seen}");
        assert!(!all.contains("visitor.claims"), "{operation}: {all}");
    }
    let members = read(&world.admin.client, "getSiteStructure").await;
    assert!(members.contains("visitor.claims"), "{members}");

    // Of other sites, the visitor sees nothing; and nothing of this one when it is unpublished.
    let elsewhere = world.new_site("Elsewhere", &[]).await;
    let call = other.call("getSiteStructure").here(&world);
    call.path("siteId", id(&elsewhere)).expect(404).await;
    world
        .on_site(&world.admin, "unpublishSite", &published.site)
        .expect(200)
        .await;
    let call = staff.call("getSiteStructure").here(&world);
    call.path("siteId", id(&published.site)).expect(404).await;
}

async fn keys_of_share_links_open_the_site_to_everyone_with_a_token(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    published.set(&world, json!({ "visibility": "share-link" })).await;
    let link = async |site: &Value| {
        let create = world.on_site(&world.admin, "createSiteShareLink", site);
        let link = create.json(json!({ "name": "Partners" })).expect(201).await;
        let address = link["urls"]["published"].as_str().unwrap().to_owned();
        let key = address.trim_end_matches('/').rsplit_once('/').unwrap().1.to_owned();
        (link, key, address)
    };
    let (own, key, address) = link(&published.site).await;
    let (_, other_key, _) = link(&world.new_site("Elsewhere", &[]).await).await;
    let space = id(&published.spaces[1]);
    let stranger = &world.stranger.client;
    let structure = |key: &str| {
        let call = stranger.call("getSiteStructure").here(&world);
        call.path("siteId", id(&published.site)).query("shareKey", key)
    };
    let seen = structure(&key).expect(200).await.to_string();
    assert!(seen.contains(&format!("{address}two/")), "{seen}");
    for operation in READS {
        let call = stranger
            .call(operation)
            .here(&world)
            .path("siteId", id(&published.site));
        call.expect(404).await;
    }
    let read = |key: &str| {
        stranger
            .call("getSpaceById")
            .path("spaceId", space)
            .query("shareKey", key)
    };
    let seen = read(&key).expect(200).await;
    assert_eq!(
        (&seen["title"], &seen["permissions"]["comment"]),
        (&json!("Two"), &json!(false))
    );
    for wrong in [other_key.as_str(), "x", &key.replace(&key[..4], "0000")] {
        structure(wrong).expect(404).await;
        read(wrong).expect(404).await;
    }
    structure("").expect(404).await;
    let nobody = world.nobody();
    let call = nobody.call("getSpaceById").path("spaceId", space);
    call.query("shareKey", &key).expect(401).await;

    let update = world.on_site(&world.admin, "updateSiteShareLinkById", &published.site);
    let update = update.path("shareLinkId", id(&own));
    update.json(json!({ "active": false })).expect(200).await;
    structure(&key).expect(404).await;
    read(&key).expect(404).await;
}

async fn items_of_the_header_have_conditions(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    published
        .set(&world, json!({ "adaptiveContent": { "enabled": true } }))
        .await;
    let settings = world.on_site(&world.admin, "getSiteCustomizationById", &published.site);
    let mut settings = settings.expect(200).await;
    let item = |title: &str| json!({ "title": title, "to": { "kind": "url", "url": "https://tidewater.example/" } });
    let mut secret = item("Staff");
    secret["condition"] = json!("visitor.claims.unsigned.staff");
    settings["header"]["links"] = json!([item("Home"), secret]);
    let update = world.on_site(&world.admin, "updateSiteCustomizationById", &published.site);
    update.json(settings).expect(200).await;
    let titles = async |client: &Client| {
        let call = client.call("getPublishedContentSite").here(&world);
        let site = call.path("siteId", id(&published.site)).expect(200).await;
        let links = site["customizations"]["site"]["header"]["links"].clone();
        let titles: Vec<Value> = links
            .as_array()
            .unwrap()
            .iter()
            .map(|link| link["title"].clone())
            .collect();
        (titles, links.to_string().contains("visitor.claims"))
    };
    let other = visitor(&world, &find(&world, &published.address).await);
    let staff = json!({ "unsignedClaims": { "staff": true } });
    let staff = visitor(&world, &resolve(&world, &published.address, staff).expect(200).await);
    assert_eq!(titles(&other).await, (vec![json!("Home")], false));
    assert_eq!(titles(&staff).await, (vec![json!("Home"), json!("Staff")], false));
    assert_eq!(
        titles(&world.read.client).await,
        (vec![json!("Home"), json!("Staff")], true)
    );
}

async fn redirects_lead_to_what_the_visitor_sees(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let space = id(&published.spaces[0]);
    let secret = json!({ "operation": "insert_page", "title": "Secret", "condition": "visitor.claims.unsigned.staff",
        "document": { "markdown": "For staff." } });
    let call = world.admin.client.call("updateSpaceContent").path("spaceId", space);
    call.json(json!({ "changes": [secret] })).expect(200).await;
    published
        .set(&world, json!({ "adaptiveContent": { "enabled": true } }))
        .await;
    let items = world
        .on_site(&world.admin, "listSiteSpaces", &published.site)
        .expect(200)
        .await;
    for slug in ["start", "secret"] {
        let page = world.admin.client.call("getPageByPath").path("spaceId", space);
        let page = page.path("pagePath", slug).expect(200).await;
        let create = world.on_site(&world.admin, "createSiteRedirect", &published.site);
        let destination = json!({ "kind": "site-page", "siteSpaceId": items["items"][0]["id"], "pageId": page["id"] });
        let body = json!({ "source": format!("/old-{slug}"), "destination": destination });
        create.json(body).expect(201).await;
    }
    let other = visitor(&world, &find(&world, &published.address).await);
    let staff = json!({ "unsignedClaims": { "staff": true } });
    let staff = visitor(&world, &resolve(&world, &published.address, staff).expect(200).await);
    for (client, source, status) in [
        (&other, "start", 200),
        (&staff, "start", 200),
        (&other, "secret", 404),
        (&staff, "secret", 200),
    ] {
        let call = client.call("getSiteRedirectBySource").here(&world);
        let call = call.path("siteId", id(&published.site));
        let found = call.query("source", format!("/old-{source}")).expect(status).await;
        if status == 200 {
            assert_eq!(found["target"], format!("{}{source}", published.address));
        }
    }

    published.set(&world, json!({ "visibility": "share-link" })).await;
    let create = world.on_site(&world.admin, "createSiteShareLink", &published.site);
    let link = create.json(json!({ "name": "Partners" })).expect(201).await;
    let address = link["urls"]["published"].as_str().unwrap();
    let key = address.trim_end_matches('/').rsplit_once('/').unwrap().1;
    let call = world.stranger.client.call("getSiteRedirectBySource").here(&world);
    let call = call.path("siteId", id(&published.site)).query("shareKey", key);
    let found = call.query("source", "/old-start").expect(200).await;
    assert_eq!(found["target"], format!("{}/start", address.trim_end_matches('/')));
}
