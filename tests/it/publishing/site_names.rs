//! The names of sites in their addresses, and the addresses that the operator chooses.

use serde_json::json;

use crate::support::{
    database::{TestDatabase, on_each_database},
    published::{Published, find},
    world::World,
};

on_each_database![
    addresses_of_sites_are_in_their_normal_form,
    names_in_hosts_are_labels,
    names_in_paths_may_be_longer,
];

async fn addresses_of_sites_are_in_their_normal_form(database: TestDatabase) {
    let sites = |flags: &mut platform::config::Flags| {
        flags.sites_url = Some("HTTPS://{site}.Docs.Tidewater.Example:443/All/".to_owned());
    };
    let world = World::with(database, sites).await;
    let published = Published::new(&world, &["One"]).await;
    assert_eq!(published.address, "https://manuals.docs.tidewater.example/All/");
    for address in [
        published.address.clone(),
        "https://MANUALS.docs.Tidewater.example:443/All/".to_owned(),
    ] {
        assert_eq!(find(&world, &address).await["site"], published.site["id"], "{address}");
    }
}

async fn names_in_hosts_are_labels(database: TestDatabase) {
    let sites = |flags: &mut platform::config::Flags| flags.sites_url = Some("https://{site}.sites.example".to_owned());
    let world = World::with(database, sites).await;
    let title = "Tidewater ".repeat(9);
    let mut names = Vec::new();
    for _ in 0..2 {
        let site = world.new_site(title.trim_end(), &[]).await;
        let name = site["basename"].as_str().unwrap().to_owned();
        assert!(name.len() <= 63 && name.starts_with("tidewater-tidewater"), "{name}");
        let published = world.on_site(&world.admin, "publishSite", &site).expect(200).await;
        assert_eq!(published["urls"]["published"], format!("https://{name}.sites.example/"));
        names.push(name);
    }
    assert_ne!(names[0], names[1]);
    let site = world.new_site("Manuals", &[]).await;
    let rename = |name: String| {
        let update = world.on_site(&world.create, "updateSiteById", &site);
        update.json(json!({ "basename": name }))
    };
    rename("a".repeat(63)).expect(200).await;
    let refused = rename("a".repeat(64)).send().await;
    refused.expect(400);
    refused.has_detail("/body/basename", "too-long");
}

async fn names_in_paths_may_be_longer(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    published.set(&world, json!({ "basename": "a".repeat(100) })).await;
    let address = format!("{}/sites/{}/", world.service.base, "a".repeat(100));
    assert_eq!(find(&world, &address).await["site"], published.site["id"]);
}
