//! Integrations of sites, of which there are none.

use serde_json::json;

use crate::support::{
    database::{TestDatabase, on_each_database},
    world::World,
};

on_each_database![sites_have_no_integrations];

async fn sites_have_no_integrations(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    let list = world
        .on_site(&world.read, "listSiteIntegrations", &site)
        .query("search", "analytics");
    assert_eq!(list.expect(200).await, json!({ "items": [], "count": 0 }));
    let scripts = world.on_site(&world.read, "listSiteIntegrationScripts", &site);
    assert_eq!(scripts.expect(200).await, json!([]));
}
