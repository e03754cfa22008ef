//! Who may call what: every operation of the contract, with every caller who may not.

use entity::ids::UserId;
use serde_json::{Value, json};

use crate::support::{
    access::{answer_to_strangers, answer_without_token, one_below},
    client::{Answer, Client},
    contract::{self, Operation},
    database::{TestDatabase, on_each_database},
    world::World,
};

on_each_database![
    without_a_valid_token_every_operation_is_401,
    strangers_see_nothing,
    one_level_too_low_is_403,
    the_user_named_in_the_path_passes,
    objects_of_other_organizations_are_404,
    ids_that_are_none_are_404,
    suspended_users_and_disabled_members_are_out_at_once,
];

/// Calls with the example of the contract as body, without members that name a target of their own for the access check:
/// examples name objects that no world has.
async fn call(client: &Client, operation: Operation, value: impl Fn(&'static str) -> String) -> Answer {
    let (parameters, example) = (operation.path_parameters(), operation.body_example());
    let (resource, targets) = (operation.access().resource, operation.access().body_members);
    let mut call = client.operation(operation);
    for name in parameters {
        call = call.path(name, value(name));
    }
    if let Some(mut example) = example.cloned() {
        if targets.contains(&"target.organization") {
            example["target"] = json!({ "type": "organization", "organization": value("organizationId") });
        }
        if targets.contains(&"target.spaceId") {
            example["target"]["spaceId"] = json!(value("spaceId"));
        }
        if targets.contains(&"source.space") {
            example["source"]["space"] = json!(value("spaceId"));
        }
        if targets.contains(&"target.space") {
            example["target"]["space"] = json!(value("spaceId"));
        }
        if targets.contains(&"organization") {
            example["organization"] = json!(value("organizationId"));
        } else if resource == "spaceInstallationTarget" {
            example["space"] = json!(value("spaceId"));
        } else if resource == "siteInstallationTarget" {
            example["siteId"] = json!(value("siteId"));
        } else {
            example
                .as_object_mut()
                .unwrap()
                .retain(|name, _| !targets.contains(&name.as_str()));
        }
        call = call.json(example);
    }
    call.send().await
}

async fn without_a_valid_token_every_operation_is_401(database: TestDatabase) {
    let world = World::new(database).await;
    let mut callers = world.dead_tokens(&world.admin).await;
    callers.push(("no token", world.nobody()));
    for operation in contract::operations() {
        for (why, client) in &callers {
            let value = |name| world.own_at(operation.path, name);
            let answer = call(client, contract::operation(operation.id), value).await;
            let expected = match *why {
                "no token" => answer_without_token(&operation),
                _ => 401,
            };
            assert_eq!(answer.status, expected, "{} with {why}: {}", operation.id, answer.text);
            if expected != 401 {
                continue;
            }
            let challenge = answer
                .headers
                .get("www-authenticate")
                .map(|value| value.to_str().unwrap());
            assert_eq!(challenge, Some("Bearer"), "{}", operation.id);
        }
    }
}

async fn strangers_see_nothing(database: TestDatabase) {
    let world = World::new(database).await;
    for operation in contract::operations() {
        let Some(expected) = answer_to_strangers(&operation) else {
            continue;
        };
        let (id, path) = (operation.id, operation.path);
        let answer = call(&world.stranger.client, operation, |name| world.own_at(path, name)).await;
        assert_eq!(answer.status, expected, "{id}: {}", answer.text);
    }
}

async fn one_level_too_low_is_403(database: TestDatabase) {
    let world = World::new(database).await;
    for operation in contract::operations() {
        let Some((name, expected)) = one_below(&operation) else {
            continue;
        };
        let (id, path) = (operation.id, operation.path);
        let answer = call(&world.person(name).client, operation, |name| world.own_at(path, name)).await;
        assert_eq!(answer.status, expected, "{id}: {}", answer.text);
    }
}

async fn the_user_named_in_the_path_passes(database: TestDatabase) {
    let world = World::new(database).await;
    for operation in contract::operations() {
        let Some(parameter) = operation.access().or_self else {
            continue;
        };
        // In the team without a role in the organization: below every level but the first.
        let id = operation.id;
        let guest = world.member(&id.to_lowercase(), None).await;
        let join = world.admin.client.call("updateMembersInOrganizationTeam");
        let join = join
            .path("organizationId", world.organization)
            .path("teamId", world.team);
        join.json(json!({ "add": [guest.email] })).expect(204).await;
        world.share(json!({ "teams": [world.team] })).await;
        let named = |named: UserId| {
            let world = &world;
            move |name: &'static str| {
                if name == parameter {
                    named.to_string()
                } else {
                    world.own(name)
                }
            }
        };
        let other = call(&guest.client, operation, named(world.edit.id)).await;
        assert_eq!(other.status, 403, "{id} with somebody else: {}", other.text);
        let own = call(&guest.client, contract::operation(id), named(guest.id)).await;
        assert!((200..300).contains(&own.status), "{id} with oneself: {}", own.text);
    }
}

/// With the first organization in the path and everything else from the other one: absent, whatever the caller may do at home.
async fn objects_of_other_organizations_are_404(database: TestDatabase) {
    let world = World::new(database).await;
    for operation in contract::operations() {
        let parameters = operation.path_parameters();
        let in_organization = parameters.contains(&"organizationId") && parameters.len() > 1;
        if !in_organization && !parameters.iter().any(|name| ["spaceId", "collectionId"].contains(name)) {
            continue;
        }
        let (id, method) = (operation.id, operation.method);
        let visible_container = match operation.access().resource {
            "team" | "space" | "collection" | "changeRequest" | "site" => false,
            "spaceVisitors" | "changeRequestVisitors" | "siteVisitors" | "userVisitors" => false,
            "spaceMembersOnly" | "collectionMembersOnly" | "changeRequestMembersOnly" | "changeRequestReviewers" => {
                false
            }
            _ => method == "delete",
        };
        let path = operation.path;
        let answer = call(&world.admin.client, operation, |name| world.foreign_at(path, name)).await;
        // Deleting what is not there is fine where the caller sees what it would be in.
        let expected = match (id, visible_container) {
            // Makes what it names.
            ("createOrUpdateOpenAPISpecBySlug", _) => 201,
            (_, true) => 204,
            (_, false) => 404,
        };
        assert_eq!(answer.status, expected, "{id}: {}", answer.text);
    }
    let other = world.other_admin.client.call("getTeamInOrganizationById");
    let still = other
        .path("organizationId", world.other_organization)
        .path("teamId", world.other_team);
    still.expect(200).await;
    let other = world.other_admin.client.call("getMemberInOrganizationById");
    let still = other
        .path("organizationId", world.other_organization)
        .path("userId", world.other_admin.id);
    still.expect(200).await;
}

async fn ids_that_are_none_are_404(database: TestDatabase) {
    let world = World::new(database).await;
    let hostile = [
        "x",
        "0",
        "\0",
        "' OR 1=1 --",
        "../../etc/passwd",
        "ü",
        "NaN",
        "00000000-0000-0000-0000-000000000000",
    ];
    for operation in contract::operations() {
        if operation.path_parameters().is_empty() || operation.id == "getOrganizationsForEmailDomain" {
            continue;
        }
        for bad in hostile {
            for broken in operation.path_parameters() {
                let value = |name| {
                    if name == broken {
                        bad.to_owned()
                    } else {
                        world.own_at(operation.path, name)
                    }
                };
                let answer = call(&world.admin.client, contract::operation(operation.id), value).await;
                let resources = &contract::document()["x-access-resources"];
                let access = operation.access();
                let resource = &access.definition;
                let has = |parameters: &Value| {
                    let names = parameters.as_array();
                    names.is_some_and(|names| names.contains(&json!(broken)))
                };
                let outer = resource.get("within").and_then(|within| within["resource"].as_str());
                let of_outer = outer.is_some_and(|outer| has(&resources[outer]["parameters"]));
                let used = has(&resource["parameters"]);
                let may_be_absent = if used {
                    access.may_be_absent && !of_outer
                } else {
                    operation.method == "delete"
                };
                let expected = match (operation.id, broken) {
                    // Asks for a team with a level on the space.
                    ("removeTeamFromSpace", "teamId") => 400,
                    // A hostname that the caller chooses.
                    ("setCustomHostname", "hostname") => 400,
                    ("createOrUpdateOpenAPISpecBySlug", "specSlug") if !["x", "0", "NaN"].contains(&bad) => match bad {
                        "00000000-0000-0000-0000-000000000000" => 201,
                        _ => 400,
                    },
                    ("createOrUpdateOpenAPISpecBySlug", "specSlug") => 201,
                    ("getOrganizationIntegrationStatus", "integrationName") => match bad {
                        "x" | "0" | "NaN" | "00000000-0000-0000-0000-000000000000" => 404,
                        _ => 400,
                    },
                    // Only the integration itself has the level for it.
                    ("createIntegrationInstallationToken", "installationId") => 403,
                    ("publishIntegration", _) => match bad {
                        "x" | "0" | "NaN" | "00000000-0000-0000-0000-000000000000" => 200,
                        _ => 400,
                    },
                    _ if may_be_absent => 204,
                    _ => 404,
                };
                assert_eq!(
                    answer.status, expected,
                    "{} {broken}={bad}: {}",
                    operation.id, answer.text
                );
            }
        }
    }
}

async fn suspended_users_and_disabled_members_are_out_at_once(database: TestDatabase) {
    let world = World::new(database).await;
    let read = async |client: &Client| {
        let call = client
            .call("getOrganizationById")
            .path("organizationId", world.organization);
        call.send().await.status
    };
    assert_eq!(read(&world.edit.client).await, 200);
    bindery::areas::identity::users::set_suspended(&world.app().identity, world.edit.id, true)
        .await
        .unwrap();
    assert_eq!(read(&world.edit.client).await, 401);
    bindery::areas::identity::users::set_suspended(&world.app().identity, world.edit.id, false)
        .await
        .unwrap();
    assert_eq!(read(&world.edit.client).await, 200);

    bindery::areas::organizations::members::set_disabled(&world.app().kernel, world.organization, world.read.id, true)
        .await
        .unwrap();
    assert_eq!(read(&world.read.client).await, 404);
    bindery::areas::organizations::members::set_disabled(&world.app().kernel, world.organization, world.read.id, false)
        .await
        .unwrap();
    assert_eq!(read(&world.read.client).await, 200);
}
