//! Publishing, finding and unpublishing integrations.

use bindery::areas::integrations::integrations::secrets;
use entity::{
    ids::IntegrationInstallationId,
    integrations::installations::{self, InstallationStatus},
};
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use crate::support::{
    client::{Call, Client},
    database::{TestDatabase, on_each_database},
    integrations::{manifest, publish, with},
    process::command,
    world::World,
};

on_each_database![
    publishing_again_makes_the_next_version,
    names_belong_to_one_organization,
    organizations_are_named_by_id_or_hostname,
    private_integrations_are_seen_by_members,
    unlisted_integrations_are_found_by_name,
    installed_integrations_are_seen,
    strangers_see_little_of_the_owner,
    lists_are_filtered,
    new_scopes_wait_for_approval,
    secrets_stay_secret,
    events_go_to_a_tunnel_in_development_mode,
    unpublished_integrations_are_gone,
    the_operator_verifies_integrations,
];

fn get<'a>(client: &'a Client, name: &str) -> Call<'a> {
    client.call("getIntegrationByName").path("integrationName", name)
}

fn publish_in<'a>(client: &'a Client, organization: &str) -> Call<'a> {
    let call = client.call("publishIntegration").path("integrationName", "gauge");
    call.json(manifest(organization))
}

fn unpublish<'a>(client: &'a Client, name: &str) -> Call<'a> {
    client.call("unpublishIntegration").path("integrationName", name)
}

fn start_development_mode(client: &Client, body: Value) -> Call<'_> {
    let call = client.call("setIntegrationDevelopmentMode");
    call.path("integrationName", "gauge").json(body)
}

fn names(list: &Value) -> Vec<&str> {
    let items = list["items"].as_array().unwrap().iter();
    items.map(|item| item["name"].as_str().unwrap()).collect()
}

async fn publishing_again_makes_the_next_version(database: TestDatabase) {
    let world = World::new(database).await;
    let first = world
        .publish(
            "gauge",
            json!({ "summary": "Long.", "categories": ["content", "content"], "target": "space" }),
        )
        .await;
    assert_eq!((&first["version"], &first["summary"]), (&json!(1), &json!("Long.")));
    assert_eq!(first["categories"], json!(["content"]));
    assert_eq!(
        (&first["visibility"], &first["verified"]),
        (&json!("private"), &json!(false))
    );
    assert_eq!(first["owner"]["id"], json!(world.organization));
    assert_eq!(first["permissions"], json!({ "admin": true }));
    let second = world.publish("gauge", json!({ "title": "Gauge" })).await;
    assert_eq!((&second["version"], &second["title"]), (&json!(2), &json!("Gauge")));
    assert!(second.get("summary").is_none());
    assert_eq!((&second["target"], &second["categories"]), (&json!("all"), &json!([])));
    let read = get(&world.read.client, "gauge").expect(200).await;
    assert_eq!(read["permissions"], json!({ "admin": false }));
    assert_eq!(read["title"], "Gauge");
    let script = bindery::areas::integrations::integrations::store::script(
        world.app().kernel.db.read(),
        world.integration("gauge").await.id,
    );
    assert_eq!(script.await.unwrap().unwrap(), manifest("")["script"]);
    let events = world.admin.client.call("listOrganizationAuditEvents").here(&world);
    let events = events.query("limit", 1).expect(200).await;
    assert_eq!(events["items"][0]["action"], "integrations.publishIntegration");
    assert_eq!(events["items"][0]["target"]["label"], "gauge");
}

async fn names_belong_to_one_organization(database: TestDatabase) {
    let world = World::new(database).await;
    world.publish("gauge", json!({})).await;
    let theirs = manifest(world.other_organization);
    let take = async |name: &str, status: u16| {
        let call = world.other_admin.client.call("publishIntegration");
        let answer = call
            .path("integrationName", name)
            .json(theirs.clone())
            .expect(status)
            .await;
        answer["error"]["type"].clone()
    };
    assert_eq!(take("gauge", 409).await, "name-taken");
    assert_eq!(take("Gauge", 409).await, "name-taken");
    take("...", 400).await;
    let own = world.admin.client.call("publishIntegration");
    let own = own.path("integrationName", "GAUGE").json(manifest(world.organization));
    assert_eq!(own.expect(409).await["error"]["type"], "name-taken");
    let unpublish = world.admin.client.call("unpublishIntegration");
    unpublish.path("integrationName", "gauge").expect(204).await;
    take("gauge", 200).await;
}

async fn organizations_are_named_by_id_or_hostname(database: TestDatabase) {
    let world = World::new(database).await;
    let name = world.own("subdomain");
    let published = publish_in(&world.admin.client, &name).expect(200).await;
    assert_eq!(published["owner"]["hostname"], json!(name));
    publish_in(&world.create.client, &name).expect(403).await;
    publish_in(&world.create.client, &world.organization.to_string())
        .expect(403)
        .await;
    publish_in(&world.stranger.client, &name).expect(404).await;
    publish_in(&world.admin.client, &world.foreign("subdomain"))
        .expect(404)
        .await;
    publish_in(&world.admin.client, "nowhere").expect(404).await;
}

async fn private_integrations_are_seen_by_members(database: TestDatabase) {
    let world = World::new(database).await;
    world.publish("gauge", json!({})).await;
    for person in [&world.admin, &world.read] {
        get(&person.client, "gauge").expect(200).await;
        let list = person.client.call("listOrganizationIntegrations").here(&world);
        assert!(names(&list.expect(200).await).contains(&"gauge"));
    }
    for person in [&world.guest, &world.stranger, &world.other_admin] {
        get(&person.client, "gauge").expect(404).await;
        let list = person.client.call("listIntegrations").expect(200).await;
        assert!(!names(&list).contains(&"gauge"));
    }
    get(&world.admin.client, "nothing").expect(404).await;
    let theirs = world.other_admin.client.call("listOrganizationIntegrations");
    let theirs = theirs.within(world.other_organization).expect(200).await;
    assert!(!names(&theirs).contains(&"gauge"));
}

async fn unlisted_integrations_are_found_by_name(database: TestDatabase) {
    let world = World::new(database).await;
    world.publish("hidden", json!({ "visibility": "unlisted" })).await;
    world.publish("open", json!({ "visibility": "public" })).await;
    for client in [&world.stranger.client, &world.other_admin.client] {
        get(client, "hidden").expect(200).await;
        let list = client.call("listIntegrations").expect(200).await;
        assert!(names(&list).contains(&"open") && !names(&list).contains(&"hidden"));
    }
    let own = world.admin.client.call("listOrganizationIntegrations").here(&world);
    let own = own.expect(200).await;
    assert!(names(&own).contains(&"open") && names(&own).contains(&"hidden"));
    // What anybody sees, few may change.
    let change = world.stranger.client.call("setIntegrationDevelopmentMode");
    let change = change.path("integrationName", "open");
    change
        .json(json!({ "tunnelUrl": "https://tunnel.example/" }))
        .expect(403)
        .await;
    let remove = world.other_admin.client.call("unpublishIntegration");
    remove.path("integrationName", "open").expect(403).await;
}

async fn installed_integrations_are_seen(database: TestDatabase) {
    let world = World::new(database).await;
    world.publish("gauge", json!({})).await;
    world
        .add_installation("gauge", world.other_organization, json!([]))
        .await;
    get(&world.other_admin.client, "gauge").expect(200).await;
    get(&world.stranger.client, "gauge").expect(404).await;
    let theirs = world.other_admin.client.call("listOrganizationIntegrations");
    let theirs = theirs.within(world.other_organization).expect(200).await;
    assert!(names(&theirs).contains(&"gauge"));
    let public = world.other_admin.client.call("listIntegrations").expect(200).await;
    assert!(!names(&public).contains(&"gauge"));
}

async fn strangers_see_little_of_the_owner(database: TestDatabase) {
    let world = World::new(database).await;
    let domains = world.admin.client.call("updateOrganizationById").here(&world);
    domains
        .json(json!({ "emailDomains": ["tidewater.example"] }))
        .expect(200)
        .await;
    world.publish("open", json!({ "visibility": "public" })).await;
    let listed = world.stranger.client.call("listIntegrations");
    let listed = listed.query("search", "OPEN").expect(200).await;
    let listed = listed["items"].as_array().unwrap();
    let listed = listed.iter().find(|item| item["name"] == "open").unwrap();
    let read = get(&world.stranger.client, "open").expect(200).await;
    for owner in [&listed["owner"], &read["owner"]] {
        assert_eq!(owner["id"], json!(world.organization));
        assert_eq!(owner["emailDomains"], json!([]));
        assert_eq!(owner["permissions"]["view"], false);
        assert!(owner.get("defaultContent").is_none() && owner.get("defaultRole").is_none());
    }
    let own = get(&world.read.client, "open").expect(200).await;
    assert_eq!(own["owner"]["emailDomains"], json!(["tidewater.example"]));
}

async fn lists_are_filtered(database: TestDatabase) {
    let world = World::new(database).await;
    let block = json!({ "id": "level", "title": "Level", "urlUnfurl": ["https://*.Tides.example/harbors/*"] });
    world
        .publish(
            "with-block",
            json!({ "visibility": "public", "title": "Level", "blocks": [block], "target": "site" }),
        )
        .await;
    let source = json!({ "id": "harbors", "title": "Harbors", "configuration": { "componentId": "choose" } });
    let scopes = json!(["site:script:inject", "site:visitor:claims"]);
    world
        .publish(
            "with-source",
            json!({ "visibility": "public", "contentSources": [source], "scopes": scopes, "categories": ["analytics"] }),
        )
        .await;
    publish(
        &world.other_admin.client,
        "theirs",
        with(manifest(world.other_organization), json!({ "visibility": "public" })),
    )
    .await;
    let mine = ["with-block", "with-source", "theirs"];
    let found = async |name: &str, value: &str| -> Vec<String> {
        let list = world.read.client.call("listIntegrations").query(name, value);
        let list = list.query("limit", 1000).expect(200).await;
        let of_organization = world.read.client.call("listOrganizationIntegrations").here(&world);
        let of_organization = of_organization
            .query(name, value)
            .query("limit", 1000)
            .expect(200)
            .await;
        let found = |list: &Value| {
            let found = names(list).into_iter().filter(|name| mine.contains(name));
            found.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(found(&list), found(&of_organization));
        found(&list)
    };
    assert_eq!(found("search", "LEVEL").await, ["with-block"]);
    assert_eq!(found("search", "h-sour").await, ["with-source"]);
    assert_eq!(found("search", "%").await, [""; 0]);
    assert_eq!(found("category", "analytics").await, ["with-source"]);
    assert_eq!(found("blockDomain", "north.tides.example").await, ["with-block"]);
    assert_eq!(found("blockDomain", "tides.example").await, [""; 0]);
    assert_eq!(found("blockDomain", "des.example").await, [""; 0]);
    assert_eq!(found("blocks", "true").await, ["with-block"]);
    assert_eq!(found("blocks", "false").await, ["theirs", "with-source"]);
    assert_eq!(found("contentSources", "true").await, ["with-source"]);
    assert_eq!(found("owner", &world.other_organization.to_string()).await, ["theirs"]);
    assert_eq!(found("scope", "site:visitor:claims").await, ["with-source"]);
    assert_eq!(found("scope", "site:visitor:auth").await, [""; 0]);
    assert_eq!(found("target", "site").await, ["theirs", "with-source", "with-block"]);
    assert_eq!(found("target", "space").await, ["theirs", "with-source"]);
    assert_eq!(found("target", "all").await, ["theirs", "with-source"]);
}

async fn new_scopes_wait_for_approval(database: TestDatabase) {
    let world = World::new(database).await;
    world.publish("gauge", json!({})).await;
    let approved = json!(["space:content:read", "openapi:read"]);
    let more = world.add_installation("gauge", world.organization, approved).await;
    let approved = json!(["space:content:read"]);
    let less = world
        .add_installation("gauge", world.other_organization, approved)
        .await;
    let status = async |id: IntegrationInstallationId| {
        let found = installations::Entity::find_by_id(id);
        found.one(world.app().kernel.db.read()).await.unwrap().unwrap().status
    };
    world.publish("gauge", json!({ "title": "Same scopes" })).await;
    assert_eq!(status(less).await, InstallationStatus::Active);
    world
        .publish("gauge", json!({ "scopes": ["openapi:read", "space:content:read"] }))
        .await;
    assert_eq!(
        (status(more).await, status(less).await),
        (InstallationStatus::Active, InstallationStatus::Pending)
    );
    world.publish("gauge", json!({ "scopes": ["openapi:write"] })).await;
    assert_eq!(status(more).await, InstallationStatus::Pending);
}

async fn secrets_stay_secret(database: TestDatabase) {
    let world = World::new(database).await;
    let answer = world
        .publish("gauge", json!({ "secrets": { "KEY": "tide-3417" } }))
        .await;
    let read = get(&world.admin.client, "gauge").expect(200).await;
    let list = world.admin.client.call("listOrganizationIntegrations").here(&world);
    let events = world.admin.client.call("listOrganizationAuditEvents").here(&world);
    for seen in [answer, read, list.expect(200).await, events.expect(200).await] {
        assert!(!seen.to_string().contains("tide-3417"));
    }
    let row = world.integration("gauge").await;
    assert!(!row.secrets.windows(9).any(|part| part == b"tide-3417"));
    let opened = secrets::open(&world.app().kernel, &row).unwrap();
    assert_eq!(opened["KEY"], "tide-3417");
    // Sealed for this row alone.
    world.publish("other", json!({})).await;
    let other = entity::integrations::Model {
        secrets: row.secrets,
        ..world.integration("other").await
    };
    assert!(secrets::open(&world.app().kernel, &other).is_err());
}

async fn events_go_to_a_tunnel_in_development_mode(database: TestDatabase) {
    let world = World::new(database).await;
    world.publish("gauge", json!({ "visibility": "unlisted" })).await;
    let tunnel = json!({ "tunnelUrl": "https://tunnel.tidewater.example/" });
    start_development_mode(&world.admin.client, tunnel.clone())
        .expect(204)
        .await;
    let row = world.integration("gauge").await;
    assert_eq!(row.tunnel_url.as_deref(), Some("https://tunnel.tidewater.example/"));
    assert!(!row.tunnel_all);
    // The path of the event is added at the end.
    for address in [
        "https://tunnel.tidewater.example/?key=3417",
        "https://tunnel.tidewater.example/#events",
    ] {
        let refused = start_development_mode(&world.admin.client, json!({ "tunnelUrl": address }));
        refused.send().await.has_detail("/body/tunnelUrl", "pattern");
    }
    // It stays on when a version is published.
    world.publish("gauge", json!({})).await;
    start_development_mode(&world.admin.client, with(tunnel.clone(), json!({ "all": true })))
        .expect(204)
        .await;
    assert!(world.integration("gauge").await.tunnel_all);
    for refused in [
        "http://127.0.0.1:4000/",
        "http://[::1]/",
        "http://10.0.0.1/",
        "https://me:secret@tunnel.example/",
    ] {
        let answer = start_development_mode(&world.admin.client, json!({ "tunnelUrl": refused }))
            .send()
            .await;
        answer.has_detail("/body/tunnelUrl", "address");
    }
    start_development_mode(&world.create.client, tunnel).expect(403).await;
    for _ in 0..2 {
        let end = world.admin.client.call("disableIntegrationDevelopmentMode");
        end.path("integrationName", "gauge").expect(204).await;
        assert_eq!(world.integration("gauge").await.tunnel_url, None);
    }
}

async fn unpublished_integrations_are_gone(database: TestDatabase) {
    let world = World::new(database).await;
    world.publish("gauge", json!({})).await;
    // Who does not see it learns nothing and changes nothing.
    unpublish(&world.stranger.client, "gauge").expect(204).await;
    unpublish(&world.create.client, "gauge").expect(403).await;
    get(&world.admin.client, "gauge").expect(200).await;
    for _ in 0..2 {
        unpublish(&world.admin.client, "gauge").expect(204).await;
        get(&world.admin.client, "gauge").expect(404).await;
    }
    let again = world.publish("gauge", json!({})).await;
    assert_eq!(again["version"], 1);
}

async fn the_operator_verifies_integrations(database: TestDatabase) {
    let url = database.url().to_owned();
    let world = World::new(database).await;
    world.publish("gauge", json!({})).await;
    let home = tempfile::tempdir().unwrap();
    let verify = |arguments: &[&str]| command(home.path(), &url, &[&["integration", "verify"], arguments].concat());
    let verified = verify(&["gauge"]);
    assert!(verified.status.success(), "{verified:?}");
    assert_eq!(get(&world.read.client, "gauge").expect(200).await["verified"], true);
    // A new version stays verified.
    assert_eq!(world.publish("gauge", json!({})).await["verified"], true);
    assert!(verify(&["gauge", "--undo"]).status.success());
    assert_eq!(get(&world.read.client, "gauge").expect(200).await["verified"], false);
    let unknown = verify(&["nothing"]);
    assert!(!unknown.status.success());
    assert!(
        String::from_utf8(unknown.stderr)
            .unwrap()
            .contains("There is no such integration.")
    );
}
