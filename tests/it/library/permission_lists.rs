//! Lists of those who have access, whatever gives it, and the numbers that follow.

use bindery::areas::{identity::users, organizations::members};
use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    paths::texts,
    permissions::{GrantTarget, levels},
    world::{Person, World},
};

on_each_database![
    everybody_with_access_is_listed_once_with_the_highest_level,
    a_suspended_user_has_no_access,
    teams_are_shown_as_the_caller_sees_them,
    guests_do_not_learn_who_has_access,
    members_and_teams_count_their_spaces,
];

async fn everybody_with_access_is_listed_once_with_the_highest_level(database: TestDatabase) {
    let world = World::new(database).await;
    let everybody = async |on: GrantTarget, role: Option<&str>| {
        let mut call = on.everybody(&world.admin);
        if let Some(role) = role {
            call = call.query("role", role);
        }
        let list = call.expect(200).await;
        let ids = texts(&list, "/user/id");
        assert!(ids.is_sorted(), "{ids:?}");
        levels(&list, "/user/displayName")
    };
    let [space, collection] = GrantTarget::both(&world);
    // By default, everybody has their role, and guests have nothing.
    let roles = ["admin", "create", "review", "edit", "comment", "read"];
    let mut expected: Vec<String> = roles.iter().map(|role| format!("{role}: {role}")).collect();
    expected.extend(["team-owner: read".to_owned(), "team-member: read".to_owned()]);
    for on in [space, collection] {
        assert_eq!(everybody(on, None).await, expected);
        assert_eq!(
            everybody(on, Some("read")).await,
            ["read: read", "team-owner: read", "team-member: read"]
        );
    }
    // A lower level changes nothing; a higher one counts, wherever it comes from.
    let give = async |on: GrantTarget, person: &Person, role: &str| {
        let call = on.update_person(&world.admin, person.id);
        call.json(json!({ "role": role })).expect(204).await;
    };
    give(collection, &world.guest, "read").await;
    give(space, &world.guest, "comment").await;
    give(space, &world.edit, "comment").await;
    give(space, &world.admin, "read").await;
    let team = space.update_team(&world.admin, world.team);
    team.json(json!({ "role": "review" })).expect(204).await;
    let expected = [
        "admin: admin",
        "create: create",
        "review: review",
        "edit: edit",
        "comment: comment",
        "read: read",
        "guest: comment",
        "team-owner: review",
        "team-member: review",
    ];
    assert_eq!(everybody(space, None).await, expected);
    assert_eq!(
        everybody(space, Some("comment")).await,
        ["comment: comment", "guest: comment"]
    );
    assert_eq!(
        everybody(collection, Some("read")).await,
        ["read: read", "guest: read", "team-owner: read", "team-member: read"]
    );
    // A fixed level takes the place of roles, for guests too; without one, only what was given counts.
    space.set_default(&world, json!("edit")).await;
    assert_eq!(everybody(space, Some("edit")).await.len(), 6);
    assert_eq!(everybody(space, Some("read")).await, Vec::<String>::new());
    space.set_default(&world, Value::Null).await;
    let expected = [
        "admin: admin",
        "edit: comment",
        "guest: comment",
        "team-owner: review",
        "team-member: review",
    ];
    assert_eq!(everybody(space, None).await, expected);
    let answer = space.everybody(&world.admin).query("role", "guest").send().await;
    answer.has_detail("/query/role", "enum");
}

async fn a_suspended_user_has_no_access(database: TestDatabase) {
    let world = World::new(database).await;
    let [space, _] = GrantTarget::both(&world);
    let admins = async || {
        let call = space.everybody(&world.admin).query("role", "admin");
        levels(&call.expect(200).await, "/user/displayName")
    };
    let users = json!([world.edit.id, world.read.id]);
    let give = space.invite(&world.admin);
    give.json(json!({ "users": users, "role": "admin" })).expect(204).await;
    let disable =
        async |disabled| members::set_disabled(&world.app().kernel, world.organization, world.edit.id, disabled).await;
    disable(true).await.unwrap();
    users::set_suspended(&world.app().identity, world.read.id, true)
        .await
        .unwrap();
    assert_eq!(admins().await, ["admin: admin"]);
    // What they were given is kept for them.
    assert_eq!(space.given(&world).await, ["read: admin", "edit: admin"]);
    disable(false).await.unwrap();
    users::set_suspended(&world.app().identity, world.read.id, false)
        .await
        .unwrap();
    assert_eq!(admins().await, ["admin: admin", "edit: admin", "read: admin"]);
}

async fn teams_are_shown_as_the_caller_sees_them(database: TestDatabase) {
    let world = World::new(database).await;
    for on in GrantTarget::both(&world) {
        let give = on
            .invite(&world.admin)
            .json(json!({ "teams": [world.team], "role": "read" }));
        give.expect(204).await;
        let give = on
            .invite(&world.admin)
            .json(json!({ "users": [world.guest.id], "role": "read" }));
        give.expect(204).await;
        for (person, admin, view) in [
            (&world.admin, true, true),
            (&world.team_owner, true, true),
            (&world.team_member, false, true),
            (&world.read, false, true),
        ] {
            let list = on.teams(person).expect(200).await;
            let permissions = &list["items"][0]["team"]["permissions"];
            let expected = json!({ "admin": admin, "view": view });
            assert_eq!(*permissions, expected, "{} on {on:?}", person.email);
        }
    }
}

async fn guests_do_not_learn_who_has_access(database: TestDatabase) {
    let world = World::new(database).await;
    world.share(json!({ "users": [world.guest.id] })).await;
    for on in GrantTarget::both(&world) {
        for list in [
            on.people(&world.guest),
            on.teams(&world.guest),
            on.everybody(&world.guest),
        ] {
            list.expect(403).await;
        }
    }
}

async fn members_and_teams_count_their_spaces(database: TestDatabase) {
    let world = World::new(database).await;
    let [space, collection] = GrantTarget::both(&world);
    let create = world.admin.client.call("createSpace").here(&world);
    create.json(json!({ "title": "At the top" })).expect(201).await;
    // The same number wherever it stands.
    let of_person = async |person: &Person| {
        let get = world.admin.client.call("getMemberInOrganizationById").here(&world);
        let number = get.path("userId", person.id).expect(200).await["spaces"].clone();
        let list = world.admin.client.call("listMembersInOrganizationById").here(&world);
        let list = list.query("search", &person.email).expect(200).await;
        assert_eq!(list["items"][0]["spaces"], number);
        let theirs = world.admin.client.call("listSpacesForOrganizationMember").here(&world);
        let theirs = theirs.path("userId", person.id).expect(200).await;
        assert_eq!(theirs["count"], number);
        number.as_u64().unwrap()
    };
    let of_team = async || {
        let get = world.admin.client.call("getTeamInOrganizationById").in_team(&world);
        let number = get.expect(200).await["spaces"].clone();
        let list = world.admin.client.call("listTeamsInOrganizationById").here(&world);
        assert_eq!(list.expect(200).await["items"][0]["spaces"], number);
        let theirs = world
            .team_owner
            .client
            .call("listTeamsForOrganizationMember")
            .here(&world);
        let theirs = theirs.path("userId", world.team_owner.id).expect(200).await;
        assert_eq!(theirs["items"][0]["team"]["spaces"], number);
        let rename = world.admin.client.call("updateTeamInOrganizationById").in_team(&world);
        let renamed = rename.json(json!({ "title": "Docs" })).expect(200).await;
        assert_eq!(renamed["spaces"], number);
        number.as_u64().unwrap()
    };
    let numbers = async || {
        let people = [&world.admin, &world.read, &world.guest, &world.team_member];
        let mut numbers = Vec::new();
        for person in people {
            numbers.push(of_person(person).await);
        }
        numbers.push(of_team().await);
        numbers
    };
    assert_eq!(numbers().await, [2, 2, 0, 2, 0]);
    collection.set_default(&world, Value::Null).await;
    assert_eq!(numbers().await, [2, 1, 0, 1, 0]);
    let give = collection.update_team(&world.admin, world.team);
    give.json(json!({ "role": "read" })).expect(204).await;
    assert_eq!(numbers().await, [2, 1, 0, 2, 1]);
    // What somebody may see for two reasons counts once.
    let give = space.update_team(&world.admin, world.team);
    give.json(json!({ "role": "edit" })).expect(204).await;
    let give = space.invite(&world.admin);
    let users = json!([world.guest.id, world.read.id, world.admin.id]);
    give.json(json!({ "users": users, "role": "read" })).expect(204).await;
    assert_eq!(numbers().await, [2, 2, 1, 2, 1]);
    let members = world.admin.client.call("listTeamMembersInOrganizationById");
    let members = members.in_team(&world).expect(200).await;
    assert_eq!(members["items"][0]["organization"]["spaces"], 2);
    collection.set_default(&world, json!("read")).await;
    assert_eq!(numbers().await, [2, 2, 1, 2, 1]);
    let delete = world.admin.client.call("deleteSpaceById").space(world.space);
    delete.expect(204).await;
    assert_eq!(numbers().await, [1, 1, 0, 1, 0]);
}
