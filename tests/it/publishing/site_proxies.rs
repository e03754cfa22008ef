//! Addresses below other domains that show sites.

use std::sync::Arc;

use bindery::areas::publishing::sites::CheckProxies;
use chrono::TimeDelta;
use platform::{
    config::Flags,
    jobs::{Kinds, Runner},
};
use serde_json::{Value, json};

use crate::support::{
    client::Call,
    database::{TestDatabase, on_each_database},
    published::{Published, find, id, prove, resolve, visitor},
    world::World,
};

on_each_database![
    hosts_of_proxies_are_in_lower_case,
    a_proxy_is_of_one_site,
    a_proxy_leads_nowhere_until_it_is_proven,
    a_proven_proxy_wins_over_those_that_came_first,
    hosts_of_the_server_are_no_proxies,
];

const HOST: &str = "tidewater.example";
const PROXY: &str = "tidewater.example/docs";

/// The site that a visitor finds at a path below the proxy.
async fn site_at(world: &World, path: &str) -> Value {
    find(world, &format!("https://{PROXY}/{path}")).await["site"].clone()
}

/// Checks what is due after this time.
async fn check_after(world: &World, time: TimeDelta) {
    world.clock().advance(time);
    let kinds = Kinds::default().with_periodic(CheckProxies(Arc::clone(&world.app().publishing)));
    Runner::new(world.app().kernel.jobs.clone(), kinds)
        .run_due()
        .await
        .unwrap();
}

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
    prove(&world, "docs.tidewater.example", world.organization);
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
    let published = Published::new(&world, &["One"]).await;
    published.set_proxy(&world, PROXY).await;
    let own = world.new_site("Another", &[]).await;
    let update = || world.on_site(&world.create, "updateSiteById", &own);
    for proxy in [PROXY, "Tidewater.Example/docs"] {
        let refused = update().json(json!({ "proxy": proxy })).expect(409).await;
        assert_eq!(refused["error"]["type"], "proxy-taken");
    }
    // It stays with its own site, and is free when that gives it up.
    published.set_proxy(&world, PROXY).await;
    assert_eq!(site_at(&world, "start").await, published.site["id"]);
    // One's own sites may be below each other.
    let inner = world.new_site("Inner", &[&published.spaces[0]]).await;
    let inner = world.on_site(&world.admin, "publishSite", &inner).expect(200).await;
    let set = world.on_site(&world.create, "updateSiteById", &inner);
    set.json(json!({ "proxy": format!("{PROXY}/inner") })).expect(200).await;
    assert_eq!(site_at(&world, "inner/start").await, inner["id"]);
    assert_eq!(site_at(&world, "start").await, published.site["id"]);
    published.set(&world, json!({ "proxy": null })).await;
    resolve(&world, &format!("https://{PROXY}/start"), json!({}))
        .expect(404)
        .await;
    let changed = update().json(json!({ "proxy": PROXY })).expect(200).await;
    assert_eq!(changed["urls"]["published"], json!(null));
}

async fn a_proxy_leads_nowhere_until_it_is_proven(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    prove(&world, HOST, world.other_organization);
    published.set(&world, json!({ "proxy": PROXY })).await;
    let site = async || {
        let get = world.on_site(&world.admin, "getSiteById", &published.site);
        get.expect(200).await
    };
    let shown_to_visitors = async || {
        let found = find(&world, &published.address).await;
        let reader = visitor(&world, &found);
        let read = reader.call("getPublishedContentSite").here(&world);
        read.path("siteId", id(&published.site)).expect(200).await["site"]["proxy"].clone()
    };
    let resolved = async || {
        let call = resolve(&world, &format!("https://{PROXY}/start"), json!({}));
        call.send().await.status
    };
    assert_eq!(site().await["proxy"]["origin"], PROXY);
    assert_eq!(site().await["urls"]["published"], published.address);
    assert_eq!(shown_to_visitors().await, json!(null));
    assert_eq!(resolved().await, 404);
    prove(&world, HOST, world.organization);
    check_after(&world, TimeDelta::seconds(59)).await;
    assert_eq!(resolved().await, 404);
    // The job runs once a minute.
    check_after(&world, TimeDelta::minutes(1)).await;
    assert_eq!(resolved().await, 200);
    assert_eq!(site().await["urls"]["published"], format!("https://{PROXY}/"));
    assert_eq!(shown_to_visitors().await["origin"], PROXY);
    // A mistake in the zone ends it after a day.
    prove(&world, HOST, world.other_organization);
    check_after(&world, TimeDelta::hours(6)).await;
    for _ in 0..23 {
        check_after(&world, TimeDelta::hours(1)).await;
        assert_eq!(resolved().await, 200);
    }
    check_after(&world, TimeDelta::hours(1)).await;
    assert_eq!(resolved().await, 404);
    // A caller who asks is answered at once.
    prove(&world, HOST, world.organization);
    published.set(&world, json!({ "proxy": PROXY })).await;
    assert_eq!(resolved().await, 200);
    let events = world.admin.client.call("listOrganizationAuditEvents").here(&world);
    let events = events.expect(200).await;
    let checks = events["items"].as_array().unwrap().iter();
    let checks: Vec<&Value> = checks.filter(|event| event["action"] == "sites.checkProxy").collect();
    assert_eq!(checks.len(), 2, "{checks:#?}");
}

async fn a_proven_proxy_wins_over_those_that_came_first(database: TestDatabase) {
    let world = World::new(database).await;
    let (stranger, published) = (site_of_stranger(&world).await, Published::new(&world, &["One"]).await);
    // Unproven ones keep nobody out, wherever they are.
    for proxy in [&format!("{PROXY}/start"), "tidewater.example/other", PROXY] {
        claim(&world, &stranger, proxy).expect(200).await;
        published.set_proxy(&world, PROXY).await;
        assert_eq!(site_at(&world, "start").await, published.site["id"]);
        published.set(&world, json!({ "proxy": null })).await;
        resolve(&world, &format!("https://{PROXY}/start"), json!({}))
            .expect(404)
            .await;
    }
    published.set_proxy(&world, PROXY).await;
    claim(&world, &stranger, PROXY).expect(200).await;
    assert_eq!(site_at(&world, "start").await, published.site["id"]);
    // The records name both: the job takes nothing from who has it, but who asks gets it.
    let both = [world.organization, world.other_organization].map(|of| format!("organization={of}"));
    world.service.names.set(&format!("_bindery.{HOST}"), &both);
    check_after(&world, TimeDelta::minutes(1)).await;
    assert_eq!(site_at(&world, "start").await, published.site["id"]);
    let changed = claim(&world, &stranger, PROXY).expect(200).await;
    assert_eq!(changed["proxy"]["origin"], PROXY);
    resolve(&world, &format!("https://{PROXY}/start"), json!({}))
        .expect(404)
        .await;
    let get = world.on_site(&world.admin, "getSiteById", &published.site);
    assert_eq!(get.expect(200).await["urls"]["published"], published.address);
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
