//! Installations on organizations, spaces and sites.

use entity::organizations::members::MemberRole;
use serde_json::{Value, json};

use crate::support::{
    client::{Call, Client},
    database::{TestDatabase, on_each_database},
    installed::Installed,
    world::World,
};

on_each_database![
    installing_again_answers_the_installation,
    admins_install,
    strangers_see_no_installation,
    targets_limit_the_places,
    all_spaces_are_installed_on,
    spaces_are_counted,
    external_ids_find_installations,
    scripts_change_configurations_and_no_selections,
    installations_of_others_stay_hidden,
    removed_places_are_uninstalled,
    uninstalling_ends_everything,
    spaces_list_their_integrations,
    organizations_list_their_installations,
];

/// An installation on the first organization.
pub struct Gauge<'a> {
    world: &'a World,
    id: String,
}

const NAME: &str = "gauge";

impl<'a> Gauge<'a> {
    /// Publishes an integration with these members in its manifest, and installs it.
    pub async fn new(world: &'a World, members: Value) -> Self {
        world.publish(NAME, members).await;
        let installation = install(world, &world.admin.client).expect(201).await;
        let id = installation["id"].as_str().unwrap().to_owned();
        Self { world, id }
    }

    /// A call about the installation.
    pub fn call<'c>(&self, client: &'c Client, operation: &str) -> Call<'c> {
        let call = client.call(operation).path("integrationName", NAME);
        call.path("installationId", &self.id)
    }

    pub fn admin(&self, operation: &str) -> Call<'a> {
        self.call(&self.world.admin.client, operation)
    }

    pub async fn read(&self) -> Value {
        self.admin("getIntegrationInstallationById").expect(200).await
    }

    pub fn update(&self, change: Value) -> Call<'a> {
        self.admin("updateIntegrationInstallation").json(change)
    }

    pub async fn on_space(&self, space: impl ToString) -> Value {
        let call = self.admin("installIntegrationOnSpace");
        call.json(json!({ "space": space.to_string() })).expect(201).await
    }
}

fn install<'a>(world: &World, client: &'a Client) -> Call<'a> {
    let call = client.call("installIntegration").path("integrationName", NAME);
    call.json(json!({ "organization": world.organization }))
}

pub fn account(schema: Value) -> Value {
    json!({ "configurations": { "account": schema } })
}

pub fn harbor() -> Value {
    account(json!({
        "properties": {
            "harbor": { "type": "string", "enum": ["north", "south"] },
            "depth": { "type": "number", "default": 3 },
            "tides": { "type": "boolean" },
            "login": { "type": "button", "button_text": "Sign in", "callback_url": "/login" },
        },
        "required": ["harbor", "depth"],
    }))
}

fn ids<'a>(list: &'a Value, member: &str) -> Vec<&'a str> {
    let items = list["items"].as_array().unwrap().iter();
    items.map(|item| item[member].as_str().unwrap()).collect()
}

async fn installing_again_answers_the_installation(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Gauge::new(&world, json!({})).await;
    let again = install(&world, &world.admin.client).send().await;
    let body = again.expect(201);
    assert_eq!(body, gauge.read().await);
    assert_eq!(again.headers["location"].to_str().unwrap(), body["urls"]["location"]);
    assert_eq!(
        (
            &body["status"],
            &body["space_selection"],
            &body["site_selection"],
            &body["spaces"]
        ),
        (&json!("active"), &json!("selected"), &json!("selected"), &json!(0))
    );
    assert_eq!(body["target"], json!({ "organization": world.organization }));
    // A new scope waits until somebody installs the integration again.
    world.publish(NAME, json!({ "scopes": ["space:content:write"] })).await;
    assert_eq!(gauge.read().await["status"], "pending");
    let approved = install(&world, &world.admin.client).expect(201).await;
    assert_eq!(approved["status"], "active");
}

async fn admins_install(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Gauge::new(&world, json!({})).await;
    install(&world, &world.create.client).expect(403).await;
    // Admins of a space install on this space alone.
    let member = world.member("keeper", Some(MemberRole::Read)).await;
    let invite = world.admin.client.call("inviteToSpace").space(world.space);
    let invited = json!({ "users": [member.id], "role": "admin" });
    invite.json(invited).expect(204).await;
    let on = |client| gauge.call(client, "installIntegrationOnSpace");
    let here = json!({ "space": world.space });
    on(&world.create.client).json(here.clone()).expect(403).await;
    on(&member.client).json(here).expect(201).await;
    let elsewhere = world.new_space("Elsewhere").await;
    let refused = on(&member.client).json(json!({ "space": elsewhere["id"] }));
    refused.expect(403).await;
    let get = gauge.call(&member.client, "getIntegrationSpaceInstallation");
    get.space(world.space).expect(200).await;
    gauge
        .call(&member.client, "getIntegrationInstallationById")
        .expect(403)
        .await;
    // So do admins of a site.
    let site = world.new_site("Manuals", &[]).await;
    let on = || gauge.call(&member.client, "installIntegrationOnSite");
    on().json(json!({ "siteId": site["id"] })).expect(403).await;
    let invite = world.on_site(&world.admin, "inviteToSite", &site);
    let invited = json!({ "users": [member.id], "role": "admin" });
    invite.json(invited).expect(204).await;
    on().json(json!({ "siteId": site["id"] })).expect(201).await;
    on().json(json!({ "siteId": world.own("siteId") })).expect(403).await;
}

async fn strangers_see_no_installation(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Gauge::new(&world, json!({ "visibility": "public" })).await;
    for stranger in [&world.stranger.client, &world.other_admin.client] {
        let read = gauge.call(stranger, "getIntegrationInstallationById");
        read.expect(404).await;
        let update = gauge.call(stranger, "updateIntegrationInstallation");
        update.json(json!({})).expect(404).await;
        gauge.call(stranger, "uninstallIntegration").expect(204).await;
        let list = stranger
            .call("listIntegrationInstallations")
            .path("integrationName", NAME);
        assert_eq!(list.expect(200).await, json!({ "items": [], "count": 0 }));
        install(&world, stranger).expect(404).await;
    }
    gauge.read().await;
    // A space of another organization is none of the installation.
    let on = gauge.admin("installIntegrationOnSpace");
    on.json(json!({ "space": world.other_space })).expect(404).await;
    let on = gauge.admin("installIntegrationOnSite");
    on.json(json!({ "siteId": world.foreign("siteId") })).expect(404).await;
}

async fn targets_limit_the_places(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Gauge::new(&world, json!({ "target": "site" })).await;
    let on = gauge
        .admin("installIntegrationOnSpace")
        .json(json!({ "space": world.space }));
    on.send().await.has_detail("/body/space", "installation-target");
    let all = gauge.update(json!({ "space_selection": "all" })).send().await;
    all.has_detail("/body/space_selection", "installation-target");
    let all = gauge.update(json!({ "site_selection": "all" })).expect(200).await;
    assert_eq!(all["site_selection"], "all");
    let on = gauge.admin("installIntegrationOnSite");
    on.json(json!({ "siteId": world.own("siteId") })).expect(201).await;
    world.publish(NAME, json!({ "target": "organization" })).await;
    let on = gauge.admin("installIntegrationOnSite");
    let refused = on.json(json!({ "siteId": world.own("siteId") })).send().await;
    refused.has_detail("/body/siteId", "installation-target");
}

async fn all_spaces_are_installed_on(database: TestDatabase) {
    let world = World::new(database).await;
    let form = json!({ "space": { "properties": { "quay": { "type": "string" } }, "required": ["quay"] } });
    let gauge = Gauge::new(&world, json!({ "configurations": form })).await;
    let get = || gauge.admin("getIntegrationSpaceInstallation").space(world.space);
    get().expect(404).await;
    let list = || gauge.admin("listIntegrationInstallationSpaces");
    assert_eq!(list().expect(200).await, json!({ "items": [], "count": 0 }));
    gauge.update(json!({ "space_selection": "all" })).expect(200).await;
    let all = list().query("limit", 1000).expect(200).await;
    let spaces = world.admin.client.call("listSpacesInOrganizationById").here(&world);
    let spaces = spaces.query("limit", 1000).expect(200).await;
    assert_eq!(ids(&all, "space"), ids(&spaces, "id"));
    assert_eq!(
        all["items"].as_array().unwrap().len() as u64,
        gauge.read().await["spaces"]
    );
    let here = get().expect(200).await;
    assert_eq!(
        (&here["status"], &here["configuration"]),
        (&json!("pending"), &json!({}))
    );
    let update = gauge.admin("updateIntegrationSpaceInstallation").space(world.space);
    let updated = update
        .json(json!({ "configuration": { "quay": "7" } }))
        .expect(200)
        .await;
    assert_eq!(updated["status"], "active");
    assert_eq!(get().expect(200).await, updated);
    let extended = get().query("extended", true).expect(200).await;
    assert_eq!(extended["space"]["id"], json!(world.space));
    // Without its row, the space has the defaults again.
    let remove = gauge.admin("uninstallIntegrationFromSpace").space(world.space);
    remove.expect(204).await;
    assert_eq!(get().expect(200).await, here);
}

async fn spaces_are_counted(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Gauge::new(&world, json!({})).await;
    gauge.on_space(world.space).await;
    gauge.on_space(world.space).await;
    let second = world.new_space("Second").await;
    gauge.on_space(second["id"].as_str().unwrap()).await;
    assert_eq!(gauge.read().await["spaces"], 2);
    let remove = || gauge.admin("uninstallIntegrationFromSpace").space(world.space);
    remove().expect(204).await;
    remove().expect(204).await;
    assert_eq!(gauge.read().await["spaces"], 1);
}

async fn external_ids_find_installations(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Gauge::new(&world, json!({})).await;
    gauge.on_space(world.space).await;
    let found = async |operation: &str, id: &str| {
        let list = world.admin.client.call(operation).path("integrationName", NAME);
        list.query("externalId", id).expect(200).await["count"].clone()
    };
    gauge.update(json!({ "externalIds": ["a", "b"] })).expect(200).await;
    let update = gauge.admin("updateIntegrationSpaceInstallation").space(world.space);
    update.json(json!({ "externalIds": ["c"] })).expect(200).await;
    for (id, [of_organization, of_space]) in [("a", [1, 0]), ("b", [1, 0]), ("c", [0, 1]), ("d", [0, 0])] {
        assert_eq!(found("listIntegrationInstallations", id).await, of_organization, "{id}");
        assert_eq!(found("listIntegrationSpaceInstallations", id).await, of_space, "{id}");
        assert_eq!(found("listIntegrationSiteInstallations", id).await, 0, "{id}");
    }
    gauge.update(json!({ "externalIds": ["b"] })).expect(200).await;
    assert_eq!(found("listIntegrationInstallations", "a").await, 0);
    let twice = gauge.update(json!({ "externalIds": ["b", "b"] })).send().await;
    twice.has_detail("/body/externalIds", "unique-items");
    let six = gauge
        .update(json!({ "externalIds": ["1", "2", "3", "4", "5", "6"] }))
        .send()
        .await;
    six.has_detail("/body/externalIds", "max-items");
}

async fn scripts_change_configurations_and_no_selections(database: TestDatabase) {
    let world = World::new(database).await;
    let installed = Installed::everywhere(&world, NAME, &["space:content:read"]).await;
    for client in [&installed.own, &installed.client] {
        let call = |operation: &str| {
            let call = client.call(operation).path("integrationName", NAME);
            call.path("installationId", installed.id)
        };
        let update = call("updateIntegrationInstallation").json(json!({ "configuration": { "a": 1 } }));
        assert_eq!(update.expect(200).await["configuration"], json!({ "a": 1 }));
        let select = call("updateIntegrationInstallation").json(json!({ "space_selection": "all" }));
        select.expect(403).await;
        let update = call("updateIntegrationSpaceInstallation").space(world.space);
        update.json(json!({ "externalIds": ["x"] })).expect(200).await;
        let on = call("installIntegrationOnSpace").json(json!({ "space": world.space }));
        on.expect(401).await;
        call("uninstallIntegration").expect(401).await;
    }
    // A script does not approve its own scopes.
    world.publish(NAME, json!({ "scopes": ["space:content:write"] })).await;
    let update = installed.client.call("updateIntegrationInstallation");
    let update = update
        .path("integrationName", NAME)
        .path("installationId", installed.id);
    let updated = update.json(json!({ "configuration": {} })).expect(200).await;
    assert_eq!(updated["status"], "pending");
}

async fn installations_of_others_stay_hidden(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Gauge::new(&world, json!({ "visibility": "public" })).await;
    gauge.on_space(world.space).await;
    let call = world.other_admin.client.call("installIntegration");
    let call = call.path("integrationName", NAME);
    let other = call.json(json!({ "organization": world.other_organization }));
    let other = other.expect(201).await;
    for (client, expected) in [
        (&world.admin.client, gauge.id.as_str()),
        (&world.other_admin.client, other["id"].as_str().unwrap()),
    ] {
        let list = client
            .call("listIntegrationInstallations")
            .path("integrationName", NAME);
        assert_eq!(ids(&list.expect(200).await, "id"), [expected]);
    }
    let other = Installed::nowhere(&world, "harbor-lights", &[]).await;
    let list = other
        .own
        .call("listIntegrationInstallations")
        .path("integrationName", NAME);
    assert_eq!(list.expect(200).await["count"], 0);
    gauge
        .call(&other.own, "getIntegrationInstallationById")
        .expect(404)
        .await;
    gauge
        .call(&other.client, "getIntegrationInstallationById")
        .expect(404)
        .await;
}

async fn removed_places_are_uninstalled(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Gauge::new(&world, json!({})).await;
    let (space, site) = (world.new_space("Shallow").await, world.new_site("Shallow", &[]).await);
    let space = space["id"].as_str().unwrap();
    gauge.on_space(space).await;
    gauge.on_space(world.space).await;
    let on = gauge.admin("installIntegrationOnSite");
    on.json(json!({ "siteId": site["id"] })).expect(201).await;
    world
        .admin
        .client
        .call("deleteSpaceById")
        .path("spaceId", space)
        .expect(204)
        .await;
    world.on_site(&world.admin, "deleteSiteById", &site).expect(204).await;
    assert_eq!(gauge.read().await["spaces"], 1);
    let spaces = gauge.admin("listIntegrationInstallationSpaces").expect(200).await;
    assert_eq!(ids(&spaces, "space"), [world.space.to_string()]);
    let sites = gauge.admin("listIntegrationInstallationSites").expect(200).await;
    assert_eq!(sites, json!({ "items": [], "count": 0 }));
    // A restored space was uninstalled.
    world
        .admin
        .client
        .call("restoreSpace")
        .path("spaceId", space)
        .expect(200)
        .await;
    let get = gauge.admin("getIntegrationSpaceInstallation");
    get.path("spaceId", space).expect(404).await;
}

async fn uninstalling_ends_everything(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Gauge::new(&world, json!({})).await;
    gauge.update(json!({ "externalIds": ["a"] })).expect(200).await;
    gauge.on_space(world.space).await;
    gauge.admin("uninstallIntegration").expect(204).await;
    gauge.admin("uninstallIntegration").expect(204).await;
    gauge.admin("getIntegrationInstallationById").expect(404).await;
    let status = world.admin.client.call("getOrganizationIntegrationStatus").here(&world);
    status.path("integrationName", NAME).expect(404).await;
    let again = install(&world, &world.admin.client).expect(201).await;
    assert_ne!(again["id"], json!(gauge.id));
    assert_eq!(again["spaces"], 0);
    let list = world.admin.client.call("listIntegrationInstallations");
    let list = list.path("integrationName", NAME).query("externalId", "a");
    assert_eq!(list.expect(200).await["count"], 0);
}

async fn spaces_list_their_integrations(database: TestDatabase) {
    let world = World::new(database).await;
    let block = json!({ "id": "level", "title": "Water level" });
    let gauge = Gauge::new(&world, json!({ "blocks": [block], "title": "Tide gauge" })).await;
    let space = world.new_space("Harbor").await;
    let space = space["id"].as_str().unwrap();
    let list = || world.read.client.call("listSpaceIntegrations").path("spaceId", space);
    let blocks = || {
        world
            .read
            .client
            .call("listSpaceIntegrationsBlocks")
            .path("spaceId", space)
    };
    assert_eq!(list().expect(200).await, json!({ "items": [], "count": 0 }));
    assert_eq!(blocks().expect(200).await, json!([]));
    gauge.on_space(space).await;
    assert_eq!(ids(&list().expect(200).await, "name"), [NAME]);
    assert_eq!(list().query("search", "TIDE").expect(200).await["count"], 1);
    assert_eq!(list().query("search", "wind").expect(200).await["count"], 0);
    let blocks = blocks().expect(200).await;
    assert_eq!(
        (&blocks[0]["name"], &blocks[0]["blocks"][0]["id"]),
        (&json!(NAME), &json!("level"))
    );
}

async fn organizations_list_their_installations(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Gauge::new(&world, harbor()).await;
    let list = async |client: &Client| {
        let call = client.call("listOrganizationInstallations").here(&world);
        call.query("search", NAME).send().await
    };
    let listed = list(&world.admin.client).await.expect(200);
    assert_eq!(listed["items"][0]["installation"], gauge.read().await);
    assert_eq!(listed["items"][0]["integration"]["name"], NAME);
    list(&world.create.client).await.expect(403);
    let status = world.read.client.call("getOrganizationIntegrationStatus").here(&world);
    let status = status.path("integrationName", NAME).expect(200).await;
    assert_eq!(status, json!({ "status": "pending" }));
    let statuses = async |target: &str| {
        let call = world
            .read
            .client
            .call("listOrganizationIntegrationsStatus")
            .here(&world);
        let list = call.query("target", target).expect(200).await;
        let items = list["items"].as_array().unwrap().clone();
        items.into_iter().find(|item| item["integration"]["name"] == NAME)
    };
    let listed = statuses("organization").await.unwrap();
    assert_eq!(
        (&listed["status"], &listed["integration"]["title"]),
        (&json!("pending"), &json!("Tide gauge"))
    );
    assert_eq!((statuses("space").await, statuses("site").await), (None, None));
    gauge.on_space(world.space).await;
    gauge.update(json!({ "site_selection": "all" })).expect(200).await;
    let with_target = |target: &str| {
        let mut item = listed.clone();
        item["target"] = json!(target);
        Some(item)
    };
    assert_eq!(listed["target"], "organization");
    assert_eq!(
        (statuses("space").await, statuses("site").await),
        (with_target("space"), with_target("site"))
    );
    let names_at = async |member: &str, id: String| {
        let call = world
            .admin
            .client
            .call("listOrganizationIntegrationsStatus")
            .here(&world);
        let list = call.query(member, id).expect(200).await;
        let items = list["items"].as_array().unwrap().iter();
        items.filter(|item| item["integration"]["name"] == NAME).count()
    };
    let other_space = world.new_space("Elsewhere").await["id"].as_str().unwrap().to_owned();
    assert_eq!(names_at("space", world.space.to_string()).await, 1);
    assert_eq!(names_at("space", other_space).await, 0);
    assert_eq!(names_at("space", world.other_space.to_string()).await, 0);
    // On all sites of the organization, but on no others.
    assert_eq!(names_at("site", world.own("siteId")).await, 1);
    assert_eq!(names_at("site", world.foreign("siteId")).await, 0);
}
