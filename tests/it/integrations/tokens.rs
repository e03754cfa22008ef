//! Tokens of integrations and of their installations: how they are made, what they end with, and in whose name they write.

use bindery::areas::identity::users;
use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::support::{
    client::Client,
    database::{TestDatabase, on_each_database},
    installed::{Installed, TITLE, publish},
    late_body::LateBody,
    world::World,
};

on_each_database![
    tokens_of_installations_are_for_the_integration_alone,
    tokens_end_with_the_installation,
    tokens_end_with_the_integration,
    tokens_end_after_an_hour,
    forged_tokens_are_refused,
    a_pending_installation_has_the_approved_scopes,
    removal_counts_in_a_running_write,
    installations_write_in_the_name_of_the_integration,
    installations_list_their_spaces_alone,
];

const SCOPES: [&str; 3] = ["space:metadata:read", "space:content:write", "site:metadata:read"];

async fn read_space(world: &World, client: &Client) -> u16 {
    client.call("getSpaceById").space(world.space).send().await.status
}

async fn tokens_of_installations_are_for_the_integration_alone(database: TestDatabase) {
    let world = World::new(database).await;
    let installed = Installed::everywhere(&world, "tide-tables", &SCOPES).await;
    let other = Installed::everywhere(&world, "harbor-lights", &SCOPES).await;
    let create = async |client: &Client, installation: &Installed| {
        let call = client.call("createIntegrationInstallationToken");
        let call = call.path("integrationName", &installed.name);
        call.path("installationId", installation.id).send().await
    };
    let created = create(&installed.own, &installed).await.expect(200);
    let client = world.nobody().with_token(created["token"].as_str().unwrap());
    assert_eq!(read_space(&world, &client).await, 200);
    assert_eq!(create(&installed.own, &other).await.status, 404);
    assert_eq!(create(&world.admin.client, &installed).await.status, 403);
    assert_eq!(create(&installed.client, &installed).await.status, 403);
    // The other integration does not see a private one.
    assert_eq!(create(&other.own, &installed).await.status, 404);
}

async fn tokens_end_with_the_installation(database: TestDatabase) {
    let world = World::new(database).await;
    let installed = Installed::everywhere(&world, "tide-tables", &SCOPES).await;
    assert_eq!(read_space(&world, &installed.client).await, 200);
    let remove = world.admin.client.call("uninstallIntegration");
    let remove = remove.path("integrationName", &installed.name);
    remove.path("installationId", installed.id).expect(204).await;
    assert_eq!(read_space(&world, &installed.client).await, 401);
}

async fn tokens_end_with_the_integration(database: TestDatabase) {
    let world = World::new(database).await;
    let installed = Installed::everywhere(&world, "tide-tables", &SCOPES).await;
    let read = async |client: &Client| {
        let call = client
            .call("getIntegrationByName")
            .path("integrationName", &installed.name);
        call.send().await.status
    };
    assert_eq!(read(&installed.own).await, 200);
    assert_eq!(read(&installed.client).await, 200);
    let remove = world.admin.client.call("unpublishIntegration");
    remove.path("integrationName", &installed.name).expect(204).await;
    assert_eq!(read(&installed.own).await, 401);
    assert_eq!(read(&installed.client).await, 401);
    // An integration of the same name is another one.
    publish(&world, &installed.name, &SCOPES).await;
    assert_eq!(read(&installed.own).await, 401);
    assert_eq!(read(&installed.client).await, 401);
}

async fn tokens_end_after_an_hour(database: TestDatabase) {
    let world = World::new(database).await;
    let installed = Installed::everywhere(&world, "tide-tables", &SCOPES).await;
    world.clock().advance(TimeDelta::minutes(59));
    assert_eq!(read_space(&world, &installed.client).await, 200);
    world.clock().advance(TimeDelta::minutes(1));
    assert_eq!(read_space(&world, &installed.client).await, 401);
}

async fn forged_tokens_are_refused(database: TestDatabase) {
    let world = World::new(database).await;
    let installed = Installed::everywhere(&world, "tide-tables", &SCOPES).await;
    let authorization = installed.client.authorization();
    let token = authorization.strip_prefix("Bearer ").unwrap();
    let (claims, signature) = token.rsplit_once('.').unwrap();
    let (kept, _) = signature.split_at(signature.len() - 4);
    let own_id = installed.integration.to_string();
    let forged = [
        claims.to_owned(),
        format!("{claims}."),
        format!("{claims}.{kept}"),
        format!("{claims}.{kept}AAAA"),
        format!("{claims}0.{signature}"),
        format!("{}.{signature}", claims.replace(&installed.id.to_string(), &own_id)),
        format!("{}.{signature}", claims.replace("installation", "integration")),
        "bni_".to_owned(),
        "bni_.".to_owned(),
    ];
    for token in forged {
        let client = world.nobody().with_token(&token);
        assert_eq!(read_space(&world, &client).await, 401, "{token}");
    }
}

async fn a_pending_installation_has_the_approved_scopes(database: TestDatabase) {
    let world = World::new(database).await;
    let installed = Installed::everywhere(&world, "tide-tables", &SCOPES).await;
    let read_content = async || {
        let call = installed.client.call("getCurrentRevision").space(world.space);
        call.send().await.status
    };
    assert_eq!(read_content().await, 403);
    let more = ["space:metadata:read", "space:content:read"];
    publish(&world, &installed.name, &more).await;
    let installation = world.admin.client.call("getIntegrationInstallationById");
    let installation = installation.path("integrationName", &installed.name);
    let installation: Value = installation.path("installationId", installed.id).expect(200).await;
    assert_eq!(installation["status"], "pending");
    assert_eq!(read_space(&world, &installed.client).await, 200);
    assert_eq!(read_content().await, 403);
    let approve = world.admin.client.call("installIntegration");
    let approve = approve.path("integrationName", &installed.name);
    let approve = approve.json(json!({ "organization": world.organization }));
    approve.expect(201).await;
    assert_eq!(read_content().await, 200);
}

async fn removal_counts_in_a_running_write(database: TestDatabase) {
    let world = World::new(database).await;
    let installed = Installed::everywhere(&world, "tide-tables", &SCOPES).await;
    let begin = async || -> LateBody {
        let call = installed.client.call("createChangeRequest").space(world.space);
        call.json(json!({ "subject": "Late tides" })).send_head().await
    };
    let is_refused = async |call: LateBody, status: u16| {
        let (answered, answer) = call.send().await;
        assert_eq!(answered, status, "{answer}");
    };
    is_refused(begin().await, 201).await;

    let call = begin().await;
    publish(&world, &installed.name, &["space:metadata:read"]).await;
    is_refused(call, 403).await;
    publish(&world, &installed.name, &SCOPES).await;

    let call = begin().await;
    let remove = world.admin.client.call("uninstallIntegrationFromSpace");
    let remove = remove.path("integrationName", &installed.name);
    let remove = remove.path("installationId", installed.id);
    remove.path("spaceId", world.space).expect(204).await;
    is_refused(call, 404).await;
}

async fn installations_write_in_the_name_of_the_integration(database: TestDatabase) {
    let world = World::new(database).await;
    let installed = Installed::everywhere(&world, "tide-tables", &SCOPES).await;
    let create = installed.client.call("createChangeRequest").space(world.space);
    let created: Value = create.json(json!({ "subject": "Tides" })).expect(201).await;
    assert_eq!(created["createdBy"]["displayName"], TITLE);

    let events = world.admin.client.call("listOrganizationAuditEvents").here(&world);
    let events: Value = events.expect(200).await;
    let by_installation = |event: &&Value| event["target"]["id"] == created["id"];
    let event = events["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(by_installation)
        .unwrap();
    assert_eq!(
        event["actor"],
        json!({ "type": "installation", "id": installed.id, "label": "tide-tables" })
    );
    assert_eq!(event["source"], "integration");

    // The user in whose name an integration writes is no member, and has access to nothing.
    let author = created["createdBy"]["id"].as_str().unwrap();
    let member = world.admin.client.call("getMemberInOrganizationById").here(&world);
    member.path("userId", author).expect(404).await;
    let people = world
        .admin
        .client
        .call("listPermissionsAggregateInSpace")
        .space(world.space);
    let people: Value = people.query("limit", 100).expect(200).await;
    assert!(!people.to_string().contains(author), "{people}");
    let users = users::list(&world.app().kernel).await.unwrap();
    assert!(users.iter().any(|user| user.id == world.admin.id));
    assert!(users.iter().all(|user| user.id.to_string() != author));
}

async fn installations_list_their_spaces_alone(database: TestDatabase) {
    let world = World::new(database).await;
    let installed = Installed::everywhere(&world, "tide-tables", &SCOPES).await;
    world.new_space("Not installed").await;
    let list = installed.client.call("listSpacesInOrganizationById").here(&world);
    let list: Value = list.expect(200).await;
    let ids: Vec<&Value> = list["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|space| &space["id"])
        .collect();
    assert_eq!(ids, [&json!(world.space)]);
}
