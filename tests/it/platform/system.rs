//! The service about itself.

use crate::support::{
    database::{TestDatabase, on_each_database},
    world::World,
};

on_each_database![the_service_says_what_it_is];

async fn the_service_says_what_it_is(database: TestDatabase) {
    let world = World::new(database).await;
    let information = world.stranger.client.call("getApiInformation").expect(200).await;
    assert_eq!(information["version"], env!("CARGO_PKG_VERSION"));
    let build = information["build"].as_str().unwrap();
    let commit = build.len() >= 7 && build.chars().all(|c| c.is_ascii_hexdigit());
    assert!(build == "unknown" || commit, "{build} is neither a commit nor unknown");
}
