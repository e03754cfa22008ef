//! Teams and who belongs to them.

use entity::ids::TeamId;
use serde_json::{Value, json};

use super::{
    paths::texts,
    recount::counters_are_right,
    world::{Person, World},
};

pub fn id(value: &Value) -> TeamId {
    value["id"].as_str().unwrap().parse().unwrap()
}

pub async fn create(world: &World, title: &str, members: &[&Person]) -> Value {
    let members: Vec<String> = members.iter().map(|person| person.id.to_string()).collect();
    let call = world.admin.client.call("createOrganizationTeam").here(world);
    call.json(json!({ "title": title, "members": members }))
        .expect(201)
        .await
}

pub async fn team(world: &World, team: TeamId) -> Value {
    let call = world.admin.client.call("getTeamInOrganizationById");
    call.team(world.organization, team).expect(200).await
}

/// Who belongs to the team with which role, the latest first.
pub async fn roles(world: &World, team: TeamId) -> Vec<(String, String)> {
    let call = world.admin.client.call("listTeamMembersInOrganizationById");
    let list = call.team(world.organization, team).expect(200).await;
    let people = texts(&list, "/organization/user/displayName");
    assert_eq!(list["count"], people.len());
    assert_eq!(self::team(world, team).await["members"], people.len());
    counters_are_right(&world.app().kernel.db, "after the call").await;
    people.into_iter().zip(texts(&list, "/team/role")).collect()
}

pub async fn people(world: &World, team: TeamId) -> Vec<String> {
    let mut people: Vec<String> = roles(world, team).await.into_iter().map(|(name, _)| name).collect();
    people.sort();
    people
}
