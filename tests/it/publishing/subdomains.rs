//! The names of organizations, and what they lead to.

use serde_json::json;

use crate::support::{
    database::{TestDatabase, on_each_database},
    published::{Published, find, resolve},
    world::World,
};

on_each_database![
    names_lead_to_organizations,
    names_of_sites_and_organizations_do_not_lead_to_strangers,
    the_default_content_is_a_site_of_the_organization,
    the_name_of_an_organization_shows_its_default_content,
];

async fn names_lead_to_organizations(database: TestDatabase) {
    let world = World::new(database).await;
    let find = |name: &str| world.stranger.client.call("getSubdomain").path("subdomain", name);
    assert_eq!(
        find("tidewater-labs").expect(200).await,
        json!({
            "object": "subdomain", "subdomain": "tidewater-labs", "isActive": false,
            "target": { "type": "organization", "organization": world.organization },
        })
    );
    let update = || world.admin.client.call("updateOrganizationById").here(&world);
    update().json(json!({ "hostname": "tidewater" })).expect(200).await;
    find("tidewater-labs").expect(404).await;
    let published = Published::new(&world, &["One"]).await;
    let content = json!({ "type": "site", "site": published.site["id"] });
    update().json(json!({ "defaultContent": content })).expect(200).await;
    assert_eq!(find("tidewater").expect(200).await["isActive"], true);
    for reserved in ["www", "api", "admin"] {
        let answer = update().json(json!({ "hostname": reserved })).expect(409).await;
        assert_eq!(answer["error"]["type"], "hostname-taken", "{reserved}");
    }
}

async fn the_default_content_is_a_site_of_the_organization(database: TestDatabase) {
    let world = World::new(database).await;
    let update = |content| {
        let call = world.admin.client.call("updateOrganizationById").here(&world);
        call.json(json!({ "defaultContent": content }))
    };
    let read = async || {
        let organization = world
            .admin
            .client
            .call("getOrganizationById")
            .here(&world)
            .expect(200)
            .await;
        let list = world
            .admin
            .client
            .call("listOrganizationsForAuthenticatedUser")
            .expect(200)
            .await;
        assert_eq!(list["items"][0], organization);
        organization
    };
    for unknown in ["x".to_owned(), world.foreign("siteId"), world.space.to_string()] {
        let answer = update(json!({ "type": "site", "site": unknown })).send().await;
        answer.has_detail("/body/defaultContent/site", "unknown-site");
    }
    let site = world.new_site("Manuals", &[]).await;
    let content = json!({ "type": "site", "site": site["id"] });
    assert_eq!(update(content.clone()).expect(200).await["defaultContent"], content);
    assert_eq!(read().await["defaultContent"], content);
    let other = json!({ "type": "site", "site": world.own("siteId") });
    assert_eq!(
        update(other).expect(200).await["defaultContent"]["site"],
        world.own("siteId")
    );
    update(json!(null)).expect(200).await;
    assert_eq!(read().await.get("defaultContent"), None);
    update(content).expect(200).await;
    world.on_site(&world.admin, "deleteSiteById", &site).expect(204).await;
    assert_eq!(read().await.get("defaultContent"), None);
}

async fn the_name_of_an_organization_shows_its_default_content(database: TestDatabase) {
    let sites = |flags: &mut platform::config::Flags| flags.sites_url = Some("https://{site}.sites.example".to_owned());
    let world = World::with(database, sites).await;
    let published = Published::new(&world, &["One"]).await;
    let base = "https://tidewater-labs.sites.example/";
    resolve(&world, base, json!({})).expect(404).await;
    let update = world.admin.client.call("updateOrganizationById").here(&world);
    let content = json!({ "type": "site", "site": published.site["id"] });
    update.json(json!({ "defaultContent": content })).expect(200).await;
    let found = find(&world, &format!("{base}start")).await;
    assert_eq!(
        (&found["site"], &found["pathname"]),
        (&published.site["id"], &json!("/start"))
    );
    assert_eq!(found["canonicalUrl"], "https://manuals.sites.example/start");
    world
        .on_site(&world.admin, "unpublishSite", &published.site)
        .expect(200)
        .await;
    resolve(&world, base, json!({})).expect(404).await;
}

async fn names_of_sites_and_organizations_do_not_lead_to_strangers(database: TestDatabase) {
    let world = World::new(database).await;
    let rename = |name: &str| {
        let call = world.admin.client.call("updateOrganizationById").here(&world);
        call.json(json!({ "hostname": name }))
    };
    let site_of_stranger = |title: &str| {
        let call = world.other_admin.client.call("createSite");
        let call = call.path("organizationId", world.other_organization);
        call.json(json!({ "title": title }))
    };
    rename("tidewater").expect(200).await;
    let theirs = site_of_stranger("Tidewater").expect(201).await;
    assert_ne!(theirs["basename"], "tidewater");
    let update = world.other_admin.client.call("updateSiteById");
    let update = update.path("organizationId", world.other_organization);
    let update = update.path("siteId", theirs["id"].as_str().unwrap());
    let refused = update.json(json!({ "basename": "tidewater" })).expect(409).await;
    assert_eq!(refused["error"]["type"], "basename-taken");
    // One's own site may have the name of one's organization.
    let own = world.new_site("Tidewater", &[]).await;
    assert_eq!(own["basename"], "tidewater");
    site_of_stranger("Ebb").expect(201).await;
    let refused = rename("ebb").expect(409).await;
    assert_eq!(refused["error"]["type"], "hostname-taken");
}
