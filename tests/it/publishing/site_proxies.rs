//! Addresses below other domains that show sites.

use platform::config::Flags;
use serde_json::{Value, json};

use crate::support::{
    client::Call,
    database::{TestDatabase, on_each_database},
    published::{Published, find, id, resolve},
    world::World,
};

on_each_database![
    hosts_of_proxies_are_in_lower_case,
    a_proxy_is_of_one_site,
    nobody_takes_a_part_of_the_address_of_others,
    hosts_of_the_server_are_no_proxies,
];

/// A site of the other organization, and a change of its proxy.
async fn site_of_stranger(world: &World) -> Value {
    let call = world.other_admin.client.call("createSite");
    let call = call.path("organizationId", world.other_organization);
    call.json(json!({ "title": "Stranger" })).expect(201).await
}

fn claim<'a>(world: &'a World, site: &Value, proxy: &str) -> Call<'a> {
    let update = world.other_admin.client.call("updateSiteById");
    let update = update.path("organizationId", world.other_organization);
    update.path("siteId", id(site)).json(json!({ "proxy": proxy }))
}

async fn hosts_of_proxies_are_in_lower_case(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let update = world.on_site(&world.create, "updateSiteById", &published.site);
    let body = json!({ "proxy": "Docs.Tidewater.Example/Docs" });
    let site = update.json(body).expect(200).await;
    assert_eq!(site["proxy"]["origin"], "docs.tidewater.example/Docs");
    assert_eq!(site["urls"]["published"], "https://docs.tidewater.example/Docs/");
    for address in [
        "https://docs.tidewater.example/Docs/start",
        "https://DOCS.tidewater.example/Docs/start",
    ] {
        let found = find(&world, address).await;
        assert_eq!((&found["site"], &found["pathname"]), (&site["id"], &json!("/start")));
    }
    resolve(&world, "https://docs.tidewater.example/docs/start", json!({}))
        .expect(404)
        .await;
}

async fn a_proxy_is_of_one_site(database: TestDatabase) {
    let world = World::new(database).await;
    let (stranger, published) = (site_of_stranger(&world).await, Published::new(&world, &["One"]).await);
    published
        .set(&world, json!({ "proxy": "tidewater.example/docs" }))
        .await;
    for proxy in ["tidewater.example/docs", "Tidewater.Example/docs"] {
        let refused = claim(&world, &stranger, proxy).expect(409).await;
        assert_eq!(refused["error"]["type"], "proxy-taken");
    }
    let own = world.new_site("Another", &[]).await;
    let update = world.on_site(&world.create, "updateSiteById", &own);
    let refused = update
        .json(json!({ "proxy": "tidewater.example/docs" }))
        .expect(409)
        .await;
    assert_eq!(refused["error"]["type"], "proxy-taken");
    // It stays with its own site, and is free when that gives it up.
    published
        .set(&world, json!({ "proxy": "tidewater.example/docs" }))
        .await;
    assert_eq!(
        find(&world, "https://tidewater.example/docs/").await["site"],
        published.site["id"]
    );
    published.set(&world, json!({ "proxy": null })).await;
    claim(&world, &stranger, "tidewater.example/docs").expect(200).await;
}

async fn nobody_takes_a_part_of_the_address_of_others(database: TestDatabase) {
    let world = World::new(database).await;
    let (stranger, published) = (site_of_stranger(&world).await, Published::new(&world, &["One"]).await);
    published
        .set(&world, json!({ "proxy": "tidewater.example/docs" }))
        .await;
    let refused = claim(&world, &stranger, "tidewater.example/docs/start")
        .expect(409)
        .await;
    assert_eq!(refused["error"]["type"], "proxy-taken");
    for free in ["tidewater.example/docs2", "tidewater.example/other/docs"] {
        claim(&world, &stranger, free).expect(200).await;
    }
    // One's own sites may be below each other.
    let inner = world.new_site("Inner", &[&published.spaces[0]]).await;
    let inner = world.on_site(&world.admin, "publishSite", &inner).expect(200).await;
    let update = world.on_site(&world.create, "updateSiteById", &inner);
    update
        .json(json!({ "proxy": "tidewater.example/docs/inner" }))
        .expect(200)
        .await;
    assert_eq!(
        find(&world, "https://tidewater.example/docs/inner/start").await["site"],
        inner["id"]
    );
    assert_eq!(
        find(&world, "https://tidewater.example/docs/start").await["site"],
        published.site["id"]
    );
}

async fn hosts_of_the_server_are_no_proxies(database: TestDatabase) {
    let own = |flags: &mut Flags| {
        flags.public_url = Some("https://bindery.tidewater.example".to_owned());
        flags.sites_url = Some("https://{site}.docs.example".to_owned());
    };
    let world = World::with(database, own).await;
    let site = world.new_site("Manuals", &[]).await;
    let set = |proxy: &str| {
        let update = world.on_site(&world.create, "updateSiteById", &site);
        update.json(json!({ "proxy": proxy }))
    };
    for own in [
        "bindery.tidewater.example/account",
        "BINDERY.tidewater.example/v1/sites",
        "docs.example/x",
        "other.docs.example/x",
    ] {
        let refused = set(own).send().await;
        refused.expect(400);
        refused.has_detail("/body/proxy", "own-host");
    }
    for free in ["tidewater.example/bindery", "other-docs.example/x"] {
        set(free).expect(200).await;
    }
}
