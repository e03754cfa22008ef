//! The audit log: every write leaves an event, what changes nothing and what only reads leaves none.

use std::collections::HashSet;

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    paths::texts,
    process::command,
    world::{Person, World},
};

on_each_database![
    a_command_lists_events_outside_of_organizations,
    a_write_is_an_event_with_who_what_and_when,
    refused_and_idle_writes_leave_no_event,
    events_are_filtered,
    events_before_a_time_are_read_page_by_page,
    events_are_read_one_by_one,
    every_write_of_the_contract_is_an_action,
    the_command_line_is_recorded_too,
    changes_outside_of_organizations_stay_out_of_their_logs,
    a_transfer_is_an_event_in_both_organizations,
];

async fn events(world: &World, filters: &[(&str, &str)]) -> Value {
    let call = world.admin.client.call("listOrganizationAuditEvents").here(world);
    let call = filters.iter().fold(call, |call, (name, value)| call.query(name, value));
    call.expect(200).await
}

async fn rename(world: &World, title: &str) {
    let call = world.admin.client.call("updateTeamInOrganizationById").in_team(world);
    call.json(json!({ "title": title })).expect(200).await;
}

async fn a_write_is_an_event_with_who_what_and_when(database: TestDatabase) {
    let world = World::new(database).await;
    world.clock().advance(TimeDelta::seconds(3));
    rename(&world, "Manuals").await;
    let newest = events(&world, &[("limit", "1")]).await["items"][0].clone();
    assert_eq!(newest["action"], "teams.updateTeamInOrganizationById");
    assert_eq!(
        newest["actor"],
        json!({ "type": "user", "id": world.admin.id, "label": world.admin.email })
    );
    assert_eq!(
        newest["target"],
        json!({ "type": "team", "id": world.team, "label": "Manuals" })
    );
    assert_eq!(newest["source"], "api");
    let at = newest["occurredAt"]
        .as_str()
        .unwrap()
        .parse::<chrono::DateTime<chrono::Utc>>()
        .unwrap();
    assert_eq!(at, world.app().kernel.clock.now().to_utc());
    // Guests, and everybody below admin, read nothing of it.
    for person in [&world.create, &world.guest] {
        let call = person.client.call("listOrganizationAuditEvents").here(&world);
        call.expect(403).await;
    }
}

async fn refused_and_idle_writes_leave_no_event(database: TestDatabase) {
    let world = World::new(database).await;
    let count = async || events(&world, &[]).await["count"].clone();
    let before = count().await;
    let low = world.read.client.call("updateTeamInOrganizationById").in_team(&world);
    low.json(json!({ "title": "No" })).expect(403).await;
    let unknown = world
        .admin
        .client
        .call("updateMembersInOrganizationTeam")
        .in_team(&world);
    unknown
        .json(json!({ "add": ["nobody@nowhere.example"] }))
        .expect(400)
        .await;
    let absent = world.admin.client.call("removeTeamFromOrganizationById").here(&world);
    absent.path("teamId", world.other_team).expect(204).await;
    let same = world.admin.client.call("updateMemberInOrganizationById").here(&world);
    same.path("userId", world.edit.id)
        .json(json!({ "role": "edit" }))
        .expect(200)
        .await;
    world
        .admin
        .client
        .call("getTeamInOrganizationById")
        .in_team(&world)
        .expect(200)
        .await;
    assert_eq!(count().await, before);
    rename(&world, "Yes").await;
    assert_ne!(count().await, before);
}

async fn events_are_filtered(database: TestDatabase) {
    let world = World::new(database).await;
    world.clock().advance(TimeDelta::seconds(10));
    let between = world.app().kernel.clock.now().to_utc().to_rfc3339();
    rename(&world, "First").await;
    let space = world.create.client.call("createSpace").here(&world);
    let space = space.json(json!({ "title": "Second" })).expect(201).await;
    let labels = async |filters: &[(&str, &str)]| texts(&events(&world, filters).await, "/target/label");
    assert_eq!(labels(&[("from", &between)]).await, ["Second", "First"]);
    assert!(!labels(&[("to", &between)]).await.contains(&"First".to_owned()));
    assert_eq!(
        labels(&[("action", "spaces.createSpace"), ("from", &between)]).await,
        ["Second"]
    );
    assert_eq!(labels(&[("actor", &world.create.id.to_string())]).await, ["Second"]);
    assert_eq!(labels(&[("target", space["id"].as_str().unwrap())]).await, ["Second"]);
    assert!(labels(&[("action", "spaces.create")]).await.is_empty());
    let bad = world.admin.client.call("listOrganizationAuditEvents").here(&world);
    bad.query("limit", 101)
        .send()
        .await
        .has_detail("/query/limit", "maximum");
}

async fn events_before_a_time_are_read_page_by_page(database: TestDatabase) {
    let world = World::new(database).await;
    for number in 0..6 {
        world.clock().advance(TimeDelta::seconds(1));
        rename(&world, &format!("Title {number}")).await;
    }
    let to = world.app().kernel.clock.now().to_utc().to_rfc3339();
    let team = world.team.to_string();
    let (to, target) = (("to", to.as_str()), ("target", team.as_str()));
    for filters in [vec![to], vec![to, target]] {
        let whole = events(&world, &[&filters[..], &[("limit", "100")]].concat()).await;
        let whole = texts(&whole, "/id");
        let mut walked: Vec<String> = Vec::new();
        let mut next: Option<String> = None;
        while walked.len() < 5 {
            let page = [("limit", "2"), ("page", next.as_deref().unwrap_or_default())];
            let page = if next.is_none() { &page[..1] } else { &page[..] };
            let page = events(&world, &[&filters[..], page].concat()).await;
            walked.extend(texts(&page, "/id"));
            next = page.pointer("/next/page").map(|page| page.as_str().unwrap().to_owned());
        }
        assert_eq!(walked, whole[..walked.len()], "{filters:?}");
    }
}

async fn events_are_read_one_by_one(database: TestDatabase) {
    let world = World::new(database).await;
    let call = world.admin.client.call("updateMemberInOrganizationById").here(&world);
    let answer = call
        .path("userId", world.edit.id)
        .json(json!({ "role": "review" }))
        .send()
        .await;
    answer.expect(200);
    let newest = events(&world, &[("limit", "1")]).await["items"][0].clone();
    let id = newest["id"].as_str().unwrap();
    let read = async |by: &Person, organization: String| {
        let call = by
            .client
            .call("getOrganizationAuditEvent")
            .path("organizationId", organization);
        call.path("auditEventId", id).send().await
    };
    let event = read(&world.admin, world.organization.to_string()).await.expect(200);
    let details = world.admin.client.call("getOrganizationAuditEvent").here(&world);
    assert_eq!(details.path("auditEventId", id).expect(200).await, event);
    assert_eq!(event["payload"], json!({ "role": "review" }));
    assert_eq!(event["correlationId"], answer.headers["x-request-id"].to_str().unwrap());
    for member in ["id", "action", "actor", "target", "occurredAt", "urls"] {
        assert_eq!(event[member], newest[member], "{member}");
    }
    read(&world.other_admin, world.other_organization.to_string())
        .await
        .expect(404);
}

async fn every_write_of_the_contract_is_an_action(database: TestDatabase) {
    let world = World::new(database).await;
    let call = world
        .admin
        .client
        .call("listOrganizationAuditEventActions")
        .here(&world);
    let list = call.expect(200).await;
    let known: HashSet<String> = texts(&list, "/id").into_iter().collect();
    for operation in openapi::operations::OPERATIONS
        .iter()
        .filter(|operation| !operation.safe)
    {
        let action = format!("{}.{}", operation.area, operation.id);
        assert!(known.contains(&action), "{action}");
    }
    assert!(
        !known
            .iter()
            .any(|action| action.contains(".get") || action.contains(".list"))
    );
}

async fn the_command_line_is_recorded_too(database: TestDatabase) {
    let world = World::new(database).await;
    let added = events(&world, &[("action", "members.add"), ("limit", "1")]).await["items"][0].clone();
    assert_eq!(added["actor"], json!({ "type": "system", "id": "bindery" }));
    assert_eq!(added["source"], "script");
    let created = events(&world, &[("action", "organizations.create")]).await;
    assert_eq!(created["count"], 1);
}

async fn changes_outside_of_organizations_stay_out_of_their_logs(database: TestDatabase) {
    let world = World::new(database).await;
    let before = events(&world, &[]).await["count"].clone();
    let update = world.admin.client.call("updateUserById").path("userId", world.admin.id);
    update.json(json!({ "displayName": "Ada" })).expect(200).await;
    world
        .admin
        .client
        .call("createUserToken")
        .json(json!({ "label": "x" }))
        .expect(201)
        .await;
    assert_eq!(events(&world, &[]).await["count"], before);
}

async fn a_transfer_is_an_event_in_both_organizations(database: TestDatabase) {
    let world = World::new(database).await;
    let create = world.admin.client.call("createOrganization");
    let other = create.json(json!({ "title": "Harbour" })).expect(201).await;
    let other = other["id"].as_str().unwrap();
    let space = world.new_space("Harbour").await["id"].clone();
    let transfer = world.admin.client.call("transferSpace").space(space.as_str().unwrap());
    transfer.json(json!({ "organization": other })).expect(200).await;
    let organizations = [
        (world.organization.to_string(), json!({ "organization": other })),
        (other.to_owned(), json!({ "from": world.organization })),
    ];
    for (organization, payload) in organizations {
        let list = world.admin.client.call("listOrganizationAuditEvents");
        let list = list
            .path("organizationId", &organization)
            .query("action", "spaces.transferSpace");
        let events = list.expect(200).await;
        assert_eq!(
            (&events["count"], &events["items"][0]["target"]["id"]),
            (&json!(1), &space)
        );
        let read = world.admin.client.call("getOrganizationAuditEvent");
        let read = read
            .path("organizationId", &organization)
            .path("auditEventId", events["items"][0]["id"].as_str().unwrap());
        assert_eq!(read.expect(200).await["payload"], payload);
    }
}

async fn a_command_lists_events_outside_of_organizations(database: TestDatabase) {
    let (url, home) = (database.url().to_owned(), tempfile::tempdir().unwrap());
    let world = World::new(database).await;
    for person in [&world.edit, &world.read] {
        let create = person.client.call("createUserToken");
        create.json(json!({ "label": "For a script" })).expect(201).await;
    }
    let audit = |arguments: &[&str]| -> Vec<Value> {
        let output = command(home.path(), &url, &[&["audit", "--json"], arguments].concat());
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let newest = &audit(&["--limit", "1"])[0];
    assert_eq!(newest["target"], "For a script");
    assert_eq!(newest["target type"], "token");
    let own = audit(&[&world.edit.id.to_string()]);
    let made = own.iter().filter(|event| event["target"] == "For a script");
    assert_eq!(made.count(), 1);
    assert!(own.iter().all(|event| event != newest));
    assert!(audit(&[]).len() > own.len());
}
