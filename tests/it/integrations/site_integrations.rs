//! Integrations of sites, and the scripts that they add to pages.

use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    world::World,
};

on_each_database![
    sites_list_their_integrations,
    scripts_are_listed,
    scripts_need_an_active_installation
];

const NAME: &str = "gauge";

/// Publishes and installs an integration, and returns the id of the installation.
async fn install(world: &World, manifest: Value) -> String {
    world.publish(NAME, manifest).await;
    let call = world
        .admin
        .client
        .call("installIntegration")
        .path("integrationName", NAME);
    let installation = call
        .json(json!({ "organization": world.organization }))
        .expect(201)
        .await;
    installation["id"].as_str().unwrap().to_owned()
}

async fn on_site(world: &World, installation: &str, site: &Value) {
    let call = world.admin.client.call("installIntegrationOnSite");
    let call = call.path("integrationName", NAME).path("installationId", installation);
    call.json(json!({ "siteId": site["id"] })).expect(201).await;
}

async fn update(world: &World, installation: &str, change: Value) {
    let call = world.admin.client.call("updateIntegrationInstallation");
    let call = call.path("integrationName", NAME).path("installationId", installation);
    call.json(change).expect(200).await;
}

async fn scripts(world: &World, site: &Value) -> Value {
    world
        .on_site(&world.read, "listSiteIntegrationScripts", site)
        .expect(200)
        .await
}

async fn sites_list_their_integrations(database: TestDatabase) {
    let world = World::new(database).await;
    let (site, other) = (world.new_site("Manuals", &[]).await, world.new_site("Tides", &[]).await);
    let list = async |site: &Value, search: &str| {
        let call = world.on_site(&world.read, "listSiteIntegrations", site);
        call.query("search", search).expect(200).await
    };
    assert_eq!(list(&site, "").await, json!({ "items": [], "count": 0 }));
    let installation = install(&world, json!({})).await;
    on_site(&world, &installation, &site).await;
    let listed = list(&site, "GAUGE").await;
    assert_eq!(
        (&listed["count"], &listed["items"][0]["name"]),
        (&json!(1), &json!(NAME))
    );
    assert_eq!(list(&site, "wind").await["count"], 0);
    assert_eq!(list(&other, "").await["count"], 0);
    update(&world, &installation, json!({ "site_selection": "all" })).await;
    assert_eq!(list(&other, "").await["count"], 1);
}

async fn scripts_are_listed(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    let manifest = json!({
        "scopes": ["site:script:inject", "site:script:cookies"],
        "contentSecurityPolicy": { "script-src": "https://tides.tidewater.example" },
    });
    let installation = install(&world, manifest.clone()).await;
    assert_eq!(scripts(&world, &site).await, json!([]));
    on_site(&world, &installation, &site).await;
    let listed = scripts(&world, &site).await;
    let address = listed[0]["script"].as_str().unwrap().to_owned();
    let path = format!("/integrations/{NAME}/installations/{installation}/sites/");
    assert!(
        address.contains(&path) && address.contains("/script.js?v=1-"),
        "{address}"
    );
    assert_eq!(listed[0]["cookies"], true);
    assert_eq!(
        listed[0]["contentSecurityPolicy"],
        "script-src https://tides.tidewater.example"
    );
    let published = world.on_site(&world.read, "getPublishedContentSite", &site);
    assert_eq!(published.expect(200).await["scripts"], listed);
    // The address changes with the configuration, and with the version.
    update(&world, &installation, json!({ "configuration": { "harbor": "north" } })).await;
    let configured = scripts(&world, &site).await[0]["script"].clone();
    assert_ne!(configured, json!(address));
    world.publish(NAME, manifest).await;
    let next = scripts(&world, &site).await[0]["script"].clone();
    assert!(next.as_str().unwrap().contains("/script.js?v=2-"), "{next}");
}

async fn scripts_need_an_active_installation(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    let form = json!({ "site": { "properties": { "key": { "type": "string" } }, "required": ["key"] } });
    let manifest = json!({ "scopes": ["site:script:inject"], "configurations": form });
    let installation = install(&world, manifest).await;
    on_site(&world, &installation, &site).await;
    assert_eq!(scripts(&world, &site).await, json!([]));
    let call = world.admin.client.call("updateIntegrationSiteInstallation");
    let call = call.path("integrationName", NAME).path("installationId", &installation);
    let call = call.path("siteId", site["id"].as_str().unwrap());
    call.json(json!({ "configuration": { "key": "g-7" } }))
        .expect(200)
        .await;
    let listed = scripts(&world, &site).await;
    assert_eq!(
        (listed.as_array().unwrap().len(), &listed[0]["cookies"]),
        (1, &json!(false))
    );
    // A version without the scope adds no script.
    world.publish(NAME, json!({ "scopes": [] })).await;
    let reinstall = world
        .admin
        .client
        .call("installIntegration")
        .path("integrationName", NAME);
    reinstall
        .json(json!({ "organization": world.organization }))
        .expect(201)
        .await;
    assert_eq!(scripts(&world, &site).await, json!([]));
}
