//! How the world comes to be: by the operations that it is there to test, where there are some.

use std::{collections::HashMap, fs, path::Path};

use bindery::{
    app::App,
    areas::organizations::{members, organizations},
};
use chrono::TimeDelta;
use entity::{
    ids::{NodeId, OrganizationId, TeamId},
    organizations::members::MemberRole,
    platform::jobs,
};
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use super::{DOMAIN, FILES, IDS, Identity, Ids, Person};
use crate::support::{
    content, conversations,
    database::TestDatabase,
    deliveries,
    places::{make, name},
    service::{START, Service},
    specs,
};

/// Fills an empty database, and writes ids and files into the folder.
pub async fn fill(database: TestDatabase, folder: &Path) {
    let files = folder.join(FILES);
    fs::create_dir(&files).unwrap();
    // Before any test starts, so that ids and times of a test come after those of the world.
    let start = START.plus(TimeDelta::seconds(-1));
    let service = Service::start_in(&files, database, start, |_| {}).await;
    // On the heap, because the compiler limits how deep futures hold each other.
    let ids = Box::pin(fill_service(&service)).await;
    fs::write(folder.join(IDS), serde_json::to_vec(&ids).unwrap()).unwrap();
    service.app.kernel.db.close().await.unwrap();
}

async fn fill_service(service: &Service) -> Ids {
    let app = &service.app;
    let admin = person(service, "admin", DOMAIN).await;
    let organization = organizations::create(&app.kernel, admin.id, "Tidewater Robotics")
        .await
        .unwrap()
        .id;
    let mut people = Vec::new();
    for (name, role) in [
        ("create", Some(MemberRole::Create)),
        ("review", Some(MemberRole::Review)),
        ("edit", Some(MemberRole::Edit)),
        ("comment", Some(MemberRole::Comment)),
        ("read", Some(MemberRole::Read)),
        ("guest", None),
        ("team-owner", Some(MemberRole::Read)),
        ("team-member", Some(MemberRole::Read)),
    ] {
        let member = person(service, name, DOMAIN).await;
        members::add(&app.kernel, organization, member.id, role).await.unwrap();
        people.push((name, member));
    }
    people.push(("stranger", person(service, "stranger", "nowhere.example").await));
    let other_admin = person(service, "other-admin", "elsewhere.example").await;
    let other_organization = organizations::create(&app.kernel, other_admin.id, "Elsewhere")
        .await
        .unwrap()
        .id;
    let (team, other_team) = (
        new_team(&admin, organization, "Docs").await,
        new_team(&other_admin, other_organization, "Elsewhere").await,
    );
    let collection = new_collection(&admin, organization, "Products").await;
    let space = new_space(&admin, organization, collection, "Gripper G4").await;
    let other_collection = new_collection(&other_admin, other_organization, "Elsewhere").await;
    let other_space = new_space(&other_admin, other_organization, other_collection, "Elsewhere").await;
    let mut made = content::fill(app, &admin, space).await;
    made.extend(make(&admin, organization, space).await);
    let mut other_made = content::fill(app, &other_admin, other_space).await;
    other_made.extend(make(&other_admin, other_organization, other_space).await);
    made.insert("translationId", translation(app, &admin, organization, space).await);
    other_made.insert(
        "translationId",
        translation(app, &other_admin, other_organization, other_space).await,
    );
    made.extend(name(&admin, organization, "tidewater-labs").await);
    other_made.extend(name(&other_admin, other_organization, "elsewhere-labs").await);
    made.extend(specs::fill(app, &admin, organization, "tidewater-api").await);
    other_made.extend(specs::fill(app, &other_admin, other_organization, "elsewhere-api").await);
    made.extend(conversations::fill(app, &admin, organization, 0).await);
    other_made.extend(conversations::fill(app, &other_admin, other_organization, 0).await);
    for made in [&mut made, &mut other_made] {
        let events = deliveries::fill(app, &made["webhookId"], &made["integrationName"]).await;
        made.extend(events);
    }
    people.extend([("admin", admin), ("other-admin", other_admin)]);
    let people: HashMap<&str, Person> = people.into_iter().collect();
    join_team(&people, organization, team).await;
    Ids {
        event: newest_event(&people["admin"], organization).await,
        other_event: newest_event(&people["other-admin"], other_organization).await,
        user_event: newest_user_event(&people["admin"]).await,
        other_user_event: newest_user_event(&people["other-admin"]).await,
        organization,
        team,
        collection,
        space,
        made: owned(made),
        other_organization,
        other_team,
        other_collection,
        other_space,
        other_made: owned(other_made),
        people: people
            .into_iter()
            .map(|(name, person)| (name.to_owned(), identity(person)))
            .collect(),
    }
}

/// A translation of the space. Its result and its run are gone, so that the world has one space of everything.
async fn translation(app: &App, admin: &Person, organization: OrganizationId, space: NodeId) -> String {
    let create = admin.client.call("createTranslation").within(organization);
    let body = json!({ "source": { "space": space, "language": "en" }, "language": "de" });
    let made: Value = create.json(body).expect(201).await;
    let result = made["result"]["space"].as_str().unwrap();
    admin.client.call("deleteSpaceById").space(result).expect(204).await;
    let remove = |tx| async move { jobs::Entity::delete_many().exec(&tx).await.map(drop) };
    app.kernel.db.write(remove).await.unwrap();
    made["id"].as_str().unwrap().to_owned()
}

/// Whatever succeeds here is no test of it: the next run of the same build finds the template.
async fn person(service: &Service, name: &str, domain: &str) -> Person {
    let person = super::person(service, name, domain).await;
    Person {
        client: person.client.unrecorded(),
        ..person
    }
}

fn owned(ids: HashMap<&'static str, String>) -> HashMap<String, String> {
    ids.into_iter().map(|(name, id)| (name.to_owned(), id)).collect()
}

fn identity(person: Person) -> Identity {
    Identity {
        id: person.id,
        email: person.email,
        token: person.token,
    }
}

async fn join_team(people: &HashMap<&str, Person>, organization: OrganizationId, team: TeamId) {
    let memberships = json!({
        people["team-owner"].id.to_string(): { "role": "owner" },
        people["team-member"].id.to_string(): { "role": "member" },
    });
    let call = people["admin"].client.call("updateMembersInOrganizationTeam");
    let call = call
        .team(organization, team)
        .json(json!({ "memberships": memberships }));
    call.expect(204).await;
}

async fn new_team(admin: &Person, organization: OrganizationId, title: &str) -> TeamId {
    let call = admin
        .client
        .call("createOrganizationTeam")
        .path("organizationId", organization);
    let team: Value = call.json(json!({ "title": title })).expect(201).await;
    team["id"].as_str().unwrap().parse().unwrap()
}

async fn new_collection(admin: &Person, organization: OrganizationId, title: &str) -> NodeId {
    let call = admin.client.call("createCollection").within(organization);
    let collection: Value = call.json(json!({ "title": title })).expect(201).await;
    collection["id"].as_str().unwrap().parse().unwrap()
}

async fn new_space(admin: &Person, organization: OrganizationId, parent: NodeId, title: &str) -> NodeId {
    let call = admin.client.call("createSpace").within(organization);
    let space: Value = call.json(json!({ "title": title, "parent": parent })).expect(201).await;
    space["id"].as_str().unwrap().parse().unwrap()
}

async fn newest_event(admin: &Person, organization: OrganizationId) -> String {
    let call = admin.client.call("listOrganizationAuditEvents").within(organization);
    let events: Value = call.query("limit", 1).expect(200).await;
    events["items"][0]["id"].as_str().unwrap().to_owned()
}

async fn newest_user_event(person: &Person) -> String {
    let events: Value = person
        .client
        .call("listUserAuditEvents")
        .query("limit", 1)
        .expect(200)
        .await;
    events["items"][0]["id"].as_str().unwrap().to_owned()
}
