//! Access that ends while a request is on its way: every operation with a body, which comes after the caller has lost what
//! the operation needs.

use bindery::areas::{identity, organizations::members};
use chrono::TimeDelta;
use entity::organizations::members::MemberRole;
use serde_json::{Value, json};

use crate::support::{
    contract::{self, Operation},
    database::{TestDatabase, on_each_database},
    late_body::LateBody,
    world::{Person, World},
};

on_each_database![
    a_revoked_token_writes_nothing,
    a_suspended_user_writes_nothing,
    a_disabled_member_writes_nothing,
    a_demoted_admin_invites_nobody,
    a_lost_level_on_the_target_makes_nothing,
    a_deleted_space_is_not_changed,
    access_that_stays_is_enough,
];

/// The operations that read a body before they write.
fn operations() -> impl Iterator<Item = Operation> {
    // Only people have a token that can be revoked.
    contract::operations().filter(|operation| operation.body_example().is_some() && operation.access().level != "token")
}

/// A call by this person, up to the body.
async fn begin(world: &World, person: &Person, operation: &Operation) -> LateBody {
    let call = person.client.operation(contract::operation(operation.id));
    let parameters = operation.path_parameters().into_iter();
    let call = parameters.fold(call, |call, name| match name {
        "userId" if operation.access().resource == "user" => call.path(name, person.id),
        _ => call.path(name, world.own_at(operation.path, name)),
    });
    let call = call.json(operation.body_example().unwrap().clone()).send_head().await;
    world.clock().advance(TimeDelta::seconds(2));
    call
}

async fn admin(world: &World, name: &str) -> Person {
    world.member(name, Some(MemberRole::Admin)).await
}

async fn audit_events(world: &World, person: &Person) -> usize {
    let call = world
        .admin
        .client
        .call("listOrganizationAuditEvents")
        .path("organizationId", world.organization);
    let events: Value = call.query("limit", 100).expect(200).await;
    let by = |event: &&Value| event["actor"]["id"] == person.id.to_string();
    events["items"].as_array().unwrap().iter().filter(by).count()
}

async fn a_revoked_token_writes_nothing(database: TestDatabase) {
    let world = World::new(database).await;
    for operation in operations() {
        let person = admin(&world, &format!("late{}", operation.id.to_lowercase())).await;
        let call = begin(&world, &person, &operation).await;
        for token in identity::tokens::list(&world.app().kernel, person.id).await.unwrap() {
            identity::tokens::revoke(&world.app().identity, person.id, token.id)
                .await
                .unwrap();
        }
        let (status, answer) = call.send().await;
        assert_eq!(status, 401, "{}: {answer}", operation.id);
        assert_eq!(audit_events(&world, &person).await, 0, "{}", operation.id);
    }
}

async fn a_suspended_user_writes_nothing(database: TestDatabase) {
    let world = World::new(database).await;
    for operation in operations() {
        let person = admin(&world, &format!("late{}", operation.id.to_lowercase())).await;
        let call = begin(&world, &person, &operation).await;
        identity::users::set_suspended(&world.app().identity, person.id, true)
            .await
            .unwrap();
        let (status, answer) = call.send().await;
        assert_eq!(status, 401, "{}: {answer}", operation.id);
        assert_eq!(audit_events(&world, &person).await, 0, "{}", operation.id);
    }
}

async fn a_disabled_member_writes_nothing(database: TestDatabase) {
    let world = World::new(database).await;
    for operation in operations().filter(in_organization) {
        let person = admin(&world, &format!("late{}", operation.id.to_lowercase())).await;
        let call = begin(&world, &person, &operation).await;
        members::set_disabled(&world.app().kernel, world.organization, person.id, true)
            .await
            .unwrap();
        let (status, answer) = call.send().await;
        let expected = if operation.declares(404) { 404 } else { 403 };
        assert_eq!(status, expected, "{}: {answer}", operation.id);
        assert_eq!(audit_events(&world, &person).await, 0, "{}", operation.id);
    }
}

fn in_organization(operation: &Operation) -> bool {
    !["caller", "user", "organizationCreator", "publishedContent"].contains(&operation.access().resource)
}

/// The level that the contract requires is `guest`; the roles that one may give depend on one's own.
async fn a_demoted_admin_invites_nobody(database: TestDatabase) {
    let world = World::new(database).await;
    let operation = contract::operation("inviteUsersToOrganization");
    let person = admin(&world, "demoted").await;
    let call = begin(&world, &person, &operation).await;
    let demote = world.admin.client.call("updateMemberInOrganizationById");
    let demote = demote
        .path("organizationId", world.organization)
        .path("userId", person.id);
    demote.json(json!({ "role": "read" })).expect(200).await;
    let (status, answer) = call.send().await;
    assert_eq!(status, 403, "{answer}");
}

/// The target is named in the body, so the level on it is decided when the body is there.
async fn a_lost_level_on_the_target_makes_nothing(database: TestDatabase) {
    let world = World::new(database).await;
    let collection = world.collection;
    let cases = [
        ("createSpace", json!({ "parent": collection })),
        ("createCollection", json!({ "parent": collection })),
        (
            "createOrganizationInvite",
            json!({ "level": "read", "collection": collection }),
        ),
    ];
    for (operation, body) in cases {
        let guest = world.member(&format!("target{}", operation.to_lowercase()), None).await;
        let set = async |role: Value| {
            let call = world.admin.client.call("updateUserPermissionInCollection");
            let call = call.collection(collection).path("userId", guest.id);
            call.json(json!({ "role": role })).expect(204).await;
        };
        let begin = async || {
            guest
                .client
                .call(operation)
                .here(&world)
                .json(body.clone())
                .send_head()
                .await
        };
        set(json!("admin")).await;
        let call = begin().await;
        let (status, answer) = call.send().await;
        assert_eq!(status, 201, "{operation}: {answer}");
        let call = begin().await;
        set(json!("review")).await;
        let (status, answer) = call.send().await;
        assert_eq!(status, 403, "{operation}: {answer}");
        let call = begin().await;
        set(json!(null)).await;
        let (status, answer) = call.send().await;
        assert_eq!(status, 404, "{operation}: {answer}");
        assert_eq!(audit_events(&world, &guest).await, 1, "{operation}");
    }
}

async fn a_deleted_space_is_not_changed(database: TestDatabase) {
    let world = World::new(database).await;
    for operation in operations().filter(|operation| operation.access().resource == "space") {
        let person = admin(&world, &format!("late{}", operation.id.to_lowercase())).await;
        let call = begin(&world, &person, &operation).await;
        let delete = world.admin.client.call("deleteSpaceById").space(world.space);
        delete.expect(204).await;
        let (status, answer) = call.send().await;
        // Examples name what the space does not have.
        assert!(matches!(status, 400 | 404), "{}: {answer}", operation.id);
        assert_eq!(audit_events(&world, &person).await, 0, "{}", operation.id);
        let restore = world.admin.client.call("restoreSpace").space(world.space);
        restore.send().await;
    }
    let page = json!({ "operation": "insert_page", "title": "Late", "document": {} });
    let edit = world.admin.client.call("updateSpaceContent").space(world.space);
    let edit = edit.json(json!({ "changes": [page] })).send_head().await;
    let delete = world.admin.client.call("deleteSpaceById").space(world.space);
    delete.expect(204).await;
    let (status, answer) = edit.send().await;
    assert_eq!(status, 404, "{answer}");
}

async fn access_that_stays_is_enough(database: TestDatabase) {
    let world = World::new(database).await;
    let mut refused = Vec::new();
    for operation in operations() {
        let person = admin(&world, &format!("late{}", operation.id.to_lowercase())).await;
        let call = begin(&world, &person, &operation).await;
        let (status, answer) = call.send().await;
        assert!(status != 401 && status != 403, "{}: {answer}", operation.id);
        if status >= 300 {
            refused.push((operation.id, status));
        }
    }
    assert!(refused.len() * 2 < operations().count(), "{refused:?}");
}
