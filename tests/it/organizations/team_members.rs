//! Who belongs to a team: adding, removing, roles, and who may do it.

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::support::{
    client::Call,
    database::{TestDatabase, on_each_database},
    paths::{each, sorted, texts},
    teams::{create, id, people, roles},
    world::{Person, World},
};

on_each_database![
    people_are_added_and_removed_by_id_and_address,
    a_removed_team_member_is_out,
    memberships_set_roles,
    unknown_people_stop_the_whole_change,
    one_member_at_a_time,
    owners_manage_the_members,
    owners_manage_nothing_else,
    members_leave_a_team_by_themselves,
    guests_see_only_their_teams,
];

fn change(world: &World, body: Value) -> Call<'_> {
    world
        .admin
        .client
        .call("updateMembersInOrganizationTeam")
        .in_team(world)
        .json(body)
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected
        .iter()
        .map(|(name, role)| ((*name).to_owned(), (*role).to_owned()))
        .collect()
}

async fn people_are_added_and_removed_by_id_and_address(database: TestDatabase) {
    let world = World::new(database).await;
    let loud = world.guest.email.to_uppercase();
    let add = json!([
        world.edit.id.to_string(),
        world.create.email,
        loud,
        world.edit.email,
        world.team_owner.email
    ]);
    change(&world, json!({ "add": add })).expect(204).await;
    assert_eq!(
        people(&world, world.team).await,
        ["create", "edit", "guest", "team-member", "team-owner"]
    );
    let owner = roles(&world, world.team)
        .await
        .into_iter()
        .find(|(name, _)| name == "team-owner");
    assert_eq!(owner.unwrap().1, "owner", "adding somebody again changes no role");

    let remove = json!([
        world.edit.email,
        world.create.id.to_string(),
        world.edit.id.to_string(),
        world.comment.email
    ]);
    change(&world, json!({ "remove": remove })).expect(204).await;
    assert_eq!(people(&world, world.team).await, ["guest", "team-member", "team-owner"]);
    for nothing in [json!({}), json!({ "add": [], "remove": [], "memberships": {} })] {
        change(&world, nothing).expect(204).await;
    }
    assert_eq!(people(&world, world.team).await, ["guest", "team-member", "team-owner"]);
}

async fn a_removed_team_member_is_out(database: TestDatabase) {
    let world = World::new(database).await;
    let (edit, member) = (world.edit.id.to_string(), world.team_member.id.to_string());
    let both = json!({
        "add": [edit, world.team_member.email, world.comment.email],
        "remove": [world.edit.email, member],
        "memberships": { edit.clone(): { "role": "owner" }, member.clone(): { "role": "owner" } },
    });
    change(&world, both).expect(204).await;
    assert_eq!(people(&world, world.team).await, ["comment", "team-owner"]);
}

async fn memberships_set_roles(database: TestDatabase) {
    let world = World::new(database).await;
    world.service.advance(TimeDelta::seconds(1));
    let memberships = json!({
        world.team_owner.id.to_string(): { "role": "member" },
        world.team_member.id.to_string(): { "role": "owner" },
        world.edit.id.to_string(): { "role": "owner" },
    });
    change(&world, json!({ "memberships": memberships, "add": [world.edit.email] }))
        .expect(204)
        .await;
    let mut found = roles(&world, world.team).await;
    assert_eq!(
        found[0],
        ("edit".to_owned(), "owner".to_owned()),
        "the latest comes first"
    );
    found.sort();
    assert_eq!(
        found,
        pairs(&[("edit", "owner"), ("team-member", "owner"), ("team-owner", "member")])
    );
    let bad = json!({ "memberships": { world.edit.id.to_string(): { "role": "king" } } });
    let pointer = format!("/body/memberships/{}/role", world.edit.id);
    change(&world, bad).send().await.has_detail(&pointer, "enum");
}

async fn unknown_people_stop_the_whole_change(database: TestDatabase) {
    let world = World::new(database).await;
    let before = roles(&world, world.team).await;
    let (owner, foreign) = (world.team_owner.id.to_string(), world.other_admin.id.to_string());
    let body = json!({
        "add": [world.edit.email, world.stranger.email, "no/body~@nowhere.example", world.edit.id.to_string(), "%@%"],
        "remove": [owner, foreign],
        "memberships": { owner: { "role": "member" }, foreign: { "role": "owner" }, "a/b~c": { "role": "member" } },
    });
    let answer = change(&world, body).send().await;
    answer.expect(400);
    let foreign = format!("memberships/{}", world.other_admin.id);
    let mut expected = ["add/1", "add/2", "add/4", "remove/1", &foreign, "memberships/a~1b~0c"]
        .map(|place| (format!("/body/{place}"), "not-a-member".to_owned()));
    let mut details = answer.details();
    details.sort();
    expected.sort();
    assert_eq!(details, expected);
    assert_eq!(roles(&world, world.team).await, before);
}

async fn one_member_at_a_time(database: TestDatabase) {
    let world = World::new(database).await;
    let put = |person: &Person, body: Option<Value>| {
        let call = world
            .admin
            .client
            .call("addMemberToOrganizationTeamById")
            .in_team(&world);
        let call = call.path("userId", person.id);
        match body {
            Some(body) => call.json(body),
            None => call,
        }
    };
    let role = async |name: &str| {
        let found = roles(&world, world.team)
            .await
            .into_iter()
            .find(|(found, _)| found == name);
        found.map(|(_, role)| role)
    };
    put(&world.edit, None).expect(204).await;
    assert_eq!(role("edit").await.as_deref(), Some("member"));
    put(&world.edit, Some(json!({ "role": "owner" }))).expect(204).await;
    assert_eq!(role("edit").await.as_deref(), Some("owner"));
    for body in [None, Some(json!({}))] {
        put(&world.edit, body).expect(204).await;
        assert_eq!(
            role("edit").await.as_deref(),
            Some("owner"),
            "without a role, the old one stays"
        );
    }
    put(&world.edit, Some(json!({ "role": "member" }))).expect(204).await;
    assert_eq!(role("edit").await.as_deref(), Some("member"));
    for absent in [&world.stranger, &world.other_admin] {
        put(absent, None).expect(404).await;
    }
    for (person, left) in [(&world.edit, None), (&world.edit, None), (&world.stranger, None)] {
        let call = world
            .admin
            .client
            .call("deleteMemberFromOrganizationTeamById")
            .in_team(&world);
        call.path("userId", person.id).expect(204).await;
        assert_eq!(role("edit").await, left);
    }
}

async fn owners_manage_the_members(database: TestDatabase) {
    let world = World::new(database).await;
    let owner = &world.team_owner.client;
    let edit = world.edit.id;
    let add = owner.call("addMemberToOrganizationTeamById").in_team(&world);
    add.path("userId", edit).expect(204).await;
    let remove = owner.call("deleteMemberFromOrganizationTeamById").in_team(&world);
    remove.path("userId", edit).expect(204).await;
    let change = |body: Value| owner.call("updateMembersInOrganizationTeam").in_team(&world).json(body);
    let body = json!({ "add": [world.guest.email], "memberships": { edit.to_string(): { "role": "owner" } } });
    change(body).expect(204).await;
    let everybody = ["edit", "guest", "team-member", "team-owner"];
    assert_eq!(people(&world, world.team).await, everybody);
    // An owner who steps down manages no more.
    let down = json!({ "memberships": { world.team_owner.id.to_string(): { "role": "member" } } });
    change(down).expect(204).await;
    change(json!({})).expect(403).await;
}

async fn owners_manage_nothing_else(database: TestDatabase) {
    let world = World::new(database).await;
    let owner = &world.team_owner.client;
    let other = id(&create(&world, "Other", &[&world.team_owner]).await);
    let add = owner
        .call("addMemberToOrganizationTeamById")
        .team(world.organization, other);
    add.path("userId", world.edit.id).expect(403).await;
    let rename = owner.call("updateTeamInOrganizationById").in_team(&world);
    rename.json(json!({ "title": "Mine" })).expect(403).await;
    let remove = owner.call("removeTeamFromOrganizationById").in_team(&world);
    remove.expect(403).await;
    let seen = owner.call("listTeamsInOrganizationById").here(&world).expect(200).await;
    assert_eq!(texts(&seen, "/title"), ["Other", "Docs"]);
    assert_eq!(each(&seen, "/permissions/admin"), [false, true]);
}

async fn members_leave_a_team_by_themselves(database: TestDatabase) {
    let world = World::new(database).await;
    let leave = async |person: &Person, who: &Person| {
        let call = person
            .client
            .call("deleteMemberFromOrganizationTeamById")
            .in_team(&world);
        let call = call.path("userId", who.id);
        call.send().await
    };
    leave(&world.team_member, &world.team_owner).await.expect(403);
    leave(&world.edit, &world.team_member).await.expect(403);
    leave(&world.team_member, &world.team_member).await.expect(204);
    leave(&world.team_member, &world.team_member).await.expect(204);
    assert_eq!(people(&world, world.team).await, ["team-owner"]);
    leave(&world.team_owner, &world.team_owner).await.expect(204);
    assert_eq!(people(&world, world.team).await, Vec::<String>::new());
}

async fn guests_see_only_their_teams(database: TestDatabase) {
    let world = World::new(database).await;
    let call = || world.guest.client.call("getTeamInOrganizationById").in_team(&world);
    call().expect(404).await;
    change(&world, json!({ "add": [world.guest.email] })).expect(204).await;
    let seen = call().expect(200).await;
    assert_eq!(seen["permissions"], json!({ "admin": false, "view": true }));
    let list = world
        .guest
        .client
        .call("listTeamMembersInOrganizationById")
        .in_team(&world)
        .expect(200)
        .await;
    assert_eq!(
        sorted(&list, "/organization/user/displayName"),
        ["guest", "team-member", "team-owner"]
    );
    world
        .guest
        .client
        .call("listTeamsInOrganizationById")
        .here(&world)
        .expect(403)
        .await;
    let own = json!({ "memberships": { world.guest.id.to_string(): { "role": "owner" } } });
    change(&world, own).expect(204).await;
    assert_eq!(call().expect(200).await["permissions"]["admin"], true);
    let add = world
        .guest
        .client
        .call("addMemberToOrganizationTeamById")
        .in_team(&world);
    add.path("userId", world.edit.id).expect(204).await;
}
