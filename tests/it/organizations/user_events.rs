//! Events that belong to no organization, for the user whom they concern.

use std::collections::HashSet;

use bindery::areas::identity;
use chrono::TimeDelta;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::{
    database::{TestDatabase, on_each_database},
    paths::texts,
    world::{Person, World},
};

on_each_database![
    users_read_what_concerns_them,
    changes_by_operators_are_events_of_the_user,
    events_of_others_are_not_there,
    users_walk_their_events,
];

async fn list(person: &Person) -> Value {
    let call = person.client.call("listUserAuditEvents");
    call.query("limit", 100).expect(200).await
}

async fn create_token(person: &Person, label: &str) -> Value {
    let create = person.client.call("createUserToken");
    create.json(json!({ "label": label })).expect(201).await
}

async fn users_read_what_concerns_them(database: TestDatabase) {
    let world = World::new(database).await;
    world.clock().advance(TimeDelta::seconds(3));
    let token = create_token(&world.edit, "For a script").await;
    world.clock().advance(TimeDelta::seconds(1));
    let update = world.edit.client.call("updateUserById").path("userId", world.edit.id);
    update.json(json!({ "displayName": "Ada" })).expect(200).await;
    let events = list(&world.edit).await;
    let actions = texts(&events, "/action");
    assert_eq!(actions[..2], ["users.updateUserById", "tokens.createUserToken"]);
    let created = &events["items"][1];
    assert_eq!(
        created["target"],
        json!({ "type": "token", "id": token["id"], "label": "For a script" })
    );
    assert_eq!(created["actor"]["id"], world.edit.id.to_string());
    let read = |id: &Value| {
        let call = world.edit.client.call("getUserAuditEvent");
        call.path("auditEventId", id.as_str().unwrap()).expect(200)
    };
    let updated = read(&events["items"][0]["id"]).await;
    assert_eq!(updated["payload"], json!({ "displayName": "Ada" }));
    for member in ["id", "action", "actor", "target", "occurredAt", "urls"] {
        assert_eq!(updated[member], events["items"][0][member], "{member}");
    }
    // The address of an event is that of the operation that reads it.
    let location = updated["urls"]["location"].as_str().unwrap();
    let (_, path) = location.split_once("/v1/").unwrap();
    assert_eq!(path, format!("user/audit-events/{}", updated["id"].as_str().unwrap()));
    world.nobody().call("listUserAuditEvents").expect(401).await;
    let unknown = world.edit.client.call("getUserAuditEvent");
    unknown.path("auditEventId", "no-uuid").expect(404).await;
}

async fn changes_by_operators_are_events_of_the_user(database: TestDatabase) {
    let world = World::new(database).await;
    world.clock().advance(TimeDelta::seconds(3));
    let app = world.app();
    let token = identity::tokens::create(&app.kernel, world.read.id, "By the operator", None).await;
    identity::tokens::revoke(&app.identity, world.read.id, token.unwrap().row.id)
        .await
        .unwrap();
    identity::users::set_suspended(&app.identity, world.read.id, true)
        .await
        .unwrap();
    identity::users::set_suspended(&app.identity, world.read.id, false)
        .await
        .unwrap();
    let events = list(&world.read).await;
    let newest: Vec<(String, String)> = texts(&events, "/action")
        .into_iter()
        .zip(texts(&events, "/actor/type"))
        .collect();
    let mut newest: Vec<(&str, &str)> = newest.iter().take(4).map(|(action, by)| (&**action, &**by)).collect();
    // All at one time, so in no order.
    newest.sort_unstable();
    let by_operator = |action| (action, "system");
    assert_eq!(
        newest,
        ["tokens.create", "tokens.revoke", "users.suspend", "users.suspend"].map(by_operator)
    );
}

async fn events_of_others_are_not_there(database: TestDatabase) {
    let world = World::new(database).await;
    create_token(&world.edit, "Secret label").await;
    let own = list(&world.edit).await;
    let id = own["items"][0]["id"].as_str().unwrap();
    // Not even an admin of an organization that the user belongs to.
    for person in [&world.admin, &world.read, &world.stranger] {
        let others = list(person).await.to_string();
        assert!(!others.contains("Secret label") && !others.contains(id));
        let read = person.client.call("getUserAuditEvent");
        read.path("auditEventId", id).expect(404).await;
    }
    // Events of an organization are not in the list of the user, nor events of the user in that of the organization.
    let event = world.admin.client.call("getUserAuditEvent");
    event.path("auditEventId", &world.event).expect(404).await;
    let event = world.admin.client.call("getOrganizationAuditEvent").here(&world);
    event.path("auditEventId", id).expect(404).await;
    let never = world.edit.client.call("getUserAuditEvent");
    never.path("auditEventId", Uuid::nil()).expect(404).await;
}

async fn users_walk_their_events(database: TestDatabase) {
    let world = World::new(database).await;
    for number in 0..7 {
        // Two each at one time.
        world.clock().advance(TimeDelta::seconds(number % 2));
        create_token(&world.edit, &format!("Number {number}")).await;
    }
    let all = list(&world.edit).await;
    let (mut walked, mut page) = (Vec::new(), None);
    loop {
        let call = world.edit.client.call("listUserAuditEvents").query("limit", 2);
        let call = match &page {
            Some(page) => call.query("page", page),
            None => call,
        };
        let answer = call.expect(200).await;
        walked.extend(texts(&answer, "/id"));
        match answer["next"]["page"].as_str() {
            Some(next) => page = Some(next.to_owned()),
            None => break,
        }
    }
    assert_eq!(walked, texts(&all, "/id"));
    assert_eq!(walked.iter().collect::<HashSet<_>>().len(), walked.len());
    assert!(walked.len() >= 7);
    // A page belongs to its user.
    let first = world
        .edit
        .client
        .call("listUserAuditEvents")
        .query("limit", 2)
        .expect(200)
        .await;
    let next = first["next"]["page"].as_str().unwrap();
    let other = world.admin.client.call("listUserAuditEvents");
    other.query("page", next).expect(400).await;
}
