//! Levels that people and teams are given on spaces and collections, and the lists that show them.

use bindery::{members, users};
use entity::{audit_events, ids::NodeId, members::MemberRole};
use sea_orm::{EntityTrait, QueryOrder};
use serde_json::{Value, json};

use crate::support::{
    client::Call,
    database::{TestDatabase, on_each_database},
    paths::texts,
    world::{Person, World},
};

on_each_database![
    people_are_given_levels,
    teams_are_given_levels,
    all_of_them_or_nobody,
    a_level_is_changed_and_taken_away,
    taking_away_what_was_not_given,
    people_give_up_their_own_level,
    everybody_with_access_is_listed_once_with_the_highest_level,
    who_is_shut_out_has_no_access,
    teams_are_shown_as_the_caller_sees_them,
    levels_end_with_the_membership_and_with_the_team,
    members_and_teams_count_their_spaces,
    changes_leave_events_and_nothing_else_does,
    levels_are_given_while_people_leave,
];

/// What levels are given on: both kinds have the same operations.
#[derive(Clone, Copy, Debug)]
enum On {
    Space(NodeId),
    Collection(NodeId),
}

impl On {
    fn both(world: &World) -> [Self; 2] {
        [Self::Space(world.space), Self::Collection(world.collection)]
    }

    fn invite(self, by: &Person) -> Call<'_> {
        match self {
            Self::Space(space) => by.client.call("inviteToSpace").space(space),
            Self::Collection(collection) => by.client.call("inviteToCollection").collection(collection),
        }
    }

    fn people(self, by: &Person) -> Call<'_> {
        match self {
            Self::Space(space) => by.client.call("listUserPermissionsInSpace").space(space),
            Self::Collection(collection) => by.client.call("listUserPermissionsInCollection").collection(collection),
        }
    }

    fn update_person(self, by: &Person, user: impl ToString) -> Call<'_> {
        let call = match self {
            Self::Space(space) => by.client.call("updateUserPermissionInSpace").space(space),
            Self::Collection(collection) => by
                .client
                .call("updateUserPermissionInCollection")
                .collection(collection),
        };
        call.path("userId", user)
    }

    fn remove_person(self, by: &Person, user: impl ToString) -> Call<'_> {
        let call = match self {
            Self::Space(space) => by.client.call("removeUserFromSpace").space(space),
            Self::Collection(collection) => by.client.call("removeUserFromCollection").collection(collection),
        };
        call.path("userId", user)
    }

    fn teams(self, by: &Person) -> Call<'_> {
        match self {
            Self::Space(space) => by.client.call("listTeamPermissionsInSpace").space(space),
            Self::Collection(collection) => by.client.call("listTeamPermissionsInCollection").collection(collection),
        }
    }

    fn update_team(self, by: &Person, team: impl ToString) -> Call<'_> {
        let call = match self {
            Self::Space(space) => by.client.call("updateTeamPermissionInSpace").space(space),
            Self::Collection(collection) => by
                .client
                .call("updateTeamPermissionInCollection")
                .collection(collection),
        };
        call.path("teamId", team)
    }

    fn remove_team(self, by: &Person, team: impl ToString) -> Call<'_> {
        let call = match self {
            Self::Space(space) => by.client.call("removeTeamFromSpace").space(space),
            Self::Collection(collection) => by.client.call("removeTeamFromCollection").collection(collection),
        };
        call.path("teamId", team)
    }

    fn everybody(self, by: &Person) -> Call<'_> {
        match self {
            Self::Space(space) => by.client.call("listPermissionsAggregateInSpace").space(space),
            Self::Collection(collection) => by
                .client
                .call("listPermissionsAggregateInCollection")
                .collection(collection),
        }
    }

    /// Who was given which level, in the order of the list.
    async fn given(self, world: &World) -> Vec<String> {
        levels(&self.people(&world.admin).expect(200).await, "/user/displayName")
    }

    /// Which team was given which level, in the order of the list.
    async fn given_to_teams(self, world: &World) -> Vec<String> {
        levels(&self.teams(&world.admin).expect(200).await, "/team/title")
    }

    async fn set_default(self, world: &World, level: Value) {
        let call = match self {
            Self::Space(space) => world.admin.client.call("updateSpaceById").space(space),
            Self::Collection(collection) => world.admin.client.call("updateCollectionById").collection(collection),
        };
        call.json(json!({ "defaultLevel": level })).expect(200).await;
    }
}

/// `name: level` of every item; the count has to be right.
fn levels(list: &Value, name: &str) -> Vec<String> {
    let (names, levels) = (texts(list, name), texts(list, "/permission"));
    assert_eq!(list["count"], names.len());
    let pairs = names.iter().zip(levels);
    pairs.map(|(name, level)| format!("{name}: {level}")).collect()
}

async fn people_are_given_levels(database: TestDatabase) {
    let world = World::new(database).await;
    for on in On::both(&world) {
        let give = async |people: &[&Person], role: Value| {
            let users: Vec<String> = people.iter().map(|person| person.id.to_string()).collect();
            let body = json!({ "users": users, "role": role });
            on.invite(&world.admin).json(body).expect(204).await;
        };
        assert!(on.given(&world).await.is_empty());
        give(&[&world.guest], json!("read")).await;
        // Whoever is named twice is given it once.
        give(&[&world.edit, &world.read, &world.edit], json!("review")).await;
        assert_eq!(on.given(&world).await, ["read: review", "edit: review", "guest: read"]);
        // Another level takes the place of the first, and keeps its place in the list.
        give(&[&world.guest, &world.read], json!("comment")).await;
        assert_eq!(
            on.given(&world).await,
            ["read: comment", "edit: review", "guest: comment"]
        );
        give(&[&world.edit, &world.guest, &world.comment], Value::Null).await;
        assert_eq!(on.given(&world).await, ["read: comment"]);
        give(&[&world.read], Value::Null).await;
    }
}

async fn teams_are_given_levels(database: TestDatabase) {
    let world = World::new(database).await;
    let other = crate::teams::create(&world, "Other", &[&world.guest]).await;
    let ids = json!([world.team, other["id"], world.team]);
    for on in On::both(&world) {
        let body = json!({ "teams": ids, "role": "edit" });
        on.invite(&world.admin).json(body).expect(204).await;
        assert_eq!(on.given_to_teams(&world).await, ["Other: edit", "Docs: edit"]);
        let update = on.update_team(&world.admin, world.team);
        update.json(json!({ "role": "review" })).expect(204).await;
        assert_eq!(on.given_to_teams(&world).await, ["Other: edit", "Docs: review"]);
        let list = on.teams(&world.guest).expect(200).await;
        let expected = json!({
            "object": "team", "id": other["id"], "title": "Other", "members": 1, "spaces": 1,
            "createdAt": other["createdAt"], "permissions": { "admin": false, "view": true },
        });
        assert_eq!(list["items"][0]["team"], expected);
        for body in [json!({ "role": null }), json!({}), json!({ "role": null })] {
            let update = on.update_team(&world.admin, world.team);
            update.json(body).expect(204).await;
        }
        assert_eq!(on.given_to_teams(&world).await, ["Other: edit"]);
        let team = other["id"].as_str().unwrap();
        on.remove_team(&world.admin, team).expect(204).await;
        assert!(on.given_to_teams(&world).await.is_empty());
        for unknown in [world.other_team.to_string(), "nobody".to_owned()] {
            for body in [json!({ "role": "read" }), json!({ "role": null }), json!({})] {
                on.update_team(&world.admin, &unknown).json(body).expect(404).await;
            }
        }
    }
}

async fn all_of_them_or_nobody(database: TestDatabase) {
    let world = World::new(database).await;
    let (user, team) = (world.guest.id.to_string(), world.team.to_string());
    for on in On::both(&world) {
        for unknown in [world.stranger.id.to_string(), "nobody".to_owned(), team.clone()] {
            let body = json!({ "users": [user, unknown], "role": "read" });
            on.invite(&world.admin).json(body).expect(404).await;
        }
        for unknown in [world.other_team.to_string(), "nobody".to_owned(), user.clone()] {
            let body = json!({ "teams": [unknown, team], "role": "read" });
            on.invite(&world.admin).json(body).expect(404).await;
        }
        for body in [
            json!({ "role": "read" }),
            json!({ "users": [user], "teams": [team], "role": "read" }),
        ] {
            let answer = on.invite(&world.admin).json(body).send().await;
            answer.has_detail("/body", "exclusive");
        }
        let many = vec![user.clone(); 101];
        for (users, code) in [(json!([]), "min-items"), (json!(many), "max-items")] {
            let answer = on.invite(&world.admin).json(json!({ "users": users, "role": "read" }));
            answer.send().await.has_detail("/body/users", code);
        }
        let without = on.invite(&world.admin).json(json!({ "users": [user] }));
        without.send().await.has_detail("/body/role", "required");
        assert!(on.given(&world).await.is_empty());
        assert!(on.given_to_teams(&world).await.is_empty());
    }
}

async fn a_level_is_changed_and_taken_away(database: TestDatabase) {
    let world = World::new(database).await;
    for on in On::both(&world) {
        let update = async |body: Value| {
            on.update_person(&world.admin, world.guest.id)
                .json(body)
                .expect(204)
                .await;
            on.given(&world).await.join(", ")
        };
        assert_eq!(update(json!({ "role": "comment" })).await, "guest: comment");
        assert_eq!(update(json!({})).await, "guest: comment");
        assert_eq!(update(json!({ "role": "admin" })).await, "guest: admin");
        assert_eq!(update(json!({ "role": null })).await, "");
        assert_eq!(update(json!({ "role": "read" })).await, "guest: read");
        on.remove_person(&world.admin, world.guest.id).expect(204).await;
        assert!(on.given(&world).await.is_empty());
        for unknown in [world.stranger.id.to_string(), "nobody".to_owned()] {
            for body in [json!({ "role": "read" }), json!({ "role": null }), json!({})] {
                on.update_person(&world.admin, &unknown).json(body).expect(404).await;
            }
        }
        let call = on.update_person(&world.admin, world.guest.id);
        call.json(json!({ "role": "owner" }))
            .send()
            .await
            .has_detail("/body/role", "enum");
    }
}

async fn taking_away_what_was_not_given(database: TestDatabase) {
    let world = World::new(database).await;
    for on in On::both(&world) {
        for user in [
            world.edit.id.to_string(),
            world.stranger.id.to_string(),
            "nobody".to_owned(),
        ] {
            on.remove_person(&world.admin, user).expect(204).await;
        }
        for team in [
            world.team.to_string(),
            world.other_team.to_string(),
            "nobody".to_owned(),
        ] {
            let answer = on.remove_team(&world.admin, team).send().await;
            match on {
                On::Space(_) => drop(answer.has_detail("/path/teamId", "no-level").expect(400)),
                On::Collection(_) => drop(answer.expect(204)),
            }
        }
    }
}

async fn people_give_up_their_own_level(database: TestDatabase) {
    let world = World::new(database).await;
    for on in On::both(&world) {
        // Nobody sees anything here but by what they are given.
        on.set_default(&world, Value::Null).await;
        on.people(&world.guest).expect(404).await;
        on.remove_person(&world.guest, world.guest.id).expect(404).await;
        let users = json!([world.guest.id, world.edit.id]);
        let give = on.invite(&world.admin);
        give.json(json!({ "users": users, "role": "create" })).expect(204).await;
        let role = json!({ "role": "admin" });
        on.update_person(&world.guest, world.guest.id)
            .json(role)
            .expect(403)
            .await;
        on.remove_person(&world.guest, world.edit.id).expect(403).await;
        on.remove_person(&world.guest, world.guest.id).expect(204).await;
        on.people(&world.guest).expect(404).await;
        assert_eq!(on.given(&world).await, ["edit: create"]);
    }
}

async fn everybody_with_access_is_listed_once_with_the_highest_level(database: TestDatabase) {
    let world = World::new(database).await;
    let everybody = async |on: On, role: Option<&str>| {
        let mut call = on.everybody(&world.admin);
        if let Some(role) = role {
            call = call.query("role", role);
        }
        let list = call.expect(200).await;
        let ids = texts(&list, "/user/id");
        assert!(ids.is_sorted(), "{ids:?}");
        levels(&list, "/user/displayName")
    };
    let [space, collection] = On::both(&world);
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
    let give = async |on: On, person: &Person, role: &str| {
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

async fn who_is_shut_out_has_no_access(database: TestDatabase) {
    let world = World::new(database).await;
    let [space, _] = On::both(&world);
    let admins = async || {
        let call = space.everybody(&world.admin).query("role", "admin");
        levels(&call.expect(200).await, "/user/displayName")
    };
    let users = json!([world.edit.id, world.read.id]);
    let give = space.invite(&world.admin);
    give.json(json!({ "users": users, "role": "admin" })).expect(204).await;
    let disable =
        async |disabled| members::set_disabled(world.app(), world.organization, world.edit.id, disabled).await;
    disable(true).await.unwrap();
    users::set_suspended(world.app(), world.read.id, true).await.unwrap();
    assert_eq!(admins().await, ["admin: admin"]);
    // What they were given is kept for them.
    assert_eq!(space.given(&world).await, ["read: admin", "edit: admin"]);
    disable(false).await.unwrap();
    users::set_suspended(world.app(), world.read.id, false).await.unwrap();
    assert_eq!(admins().await, ["admin: admin", "edit: admin", "read: admin"]);
}

async fn teams_are_shown_as_the_caller_sees_them(database: TestDatabase) {
    let world = World::new(database).await;
    for on in On::both(&world) {
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
            // Sees who has access, but not the team itself.
            (&world.guest, false, false),
        ] {
            let list = on.teams(person).expect(200).await;
            let permissions = &list["items"][0]["team"]["permissions"];
            let expected = json!({ "admin": admin, "view": view });
            assert_eq!(*permissions, expected, "{} on {on:?}", person.email);
        }
    }
}

async fn levels_end_with_the_membership_and_with_the_team(database: TestDatabase) {
    let world = World::new(database).await;
    for on in On::both(&world) {
        let users = json!([world.guest.id, world.edit.id]);
        let give = on.invite(&world.admin);
        give.json(json!({ "users": users, "role": "edit" })).expect(204).await;
        let give = on.invite(&world.admin);
        give.json(json!({ "teams": [world.team], "role": "edit" }))
            .expect(204)
            .await;
    }
    let leave = world.admin.client.call("removeMemberFromOrganizationById").here(&world);
    leave.path("userId", world.guest.id).expect(204).await;
    let delete = world
        .admin
        .client
        .call("removeTeamFromOrganizationById")
        .in_team(&world);
    delete.expect(204).await;
    for on in On::both(&world) {
        assert_eq!(on.given(&world).await, ["edit: edit"]);
        assert!(on.given_to_teams(&world).await.is_empty());
    }
    // Whoever comes back begins anew.
    members::add(world.app(), world.organization, world.guest.id, None)
        .await
        .unwrap();
    On::Space(world.space).people(&world.guest).expect(404).await;
}

async fn members_and_teams_count_their_spaces(database: TestDatabase) {
    let world = World::new(database).await;
    let [space, collection] = On::both(&world);
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

async fn changes_leave_events_and_nothing_else_does(database: TestDatabase) {
    let world = World::new(database).await;
    let events = async || {
        let query = audit_events::Entity::find().order_by_asc(audit_events::Column::Id);
        query.all(world.app().db.read()).await.unwrap()
    };
    let (user, team) = (world.guest.id, world.team);
    for on in On::both(&world) {
        let (kind, id, area, suffix) = match on {
            On::Space(id) => ("space", id, "space_permissions", "Space"),
            On::Collection(id) => ("collection", id, "collection_permissions", "Collection"),
        };
        let admin = &world.admin;
        let before = events().await.len();
        let body = json!({ "users": [user], "role": "read" });
        on.invite(admin).json(body.clone()).expect(204).await;
        on.invite(admin).json(body.clone()).expect(204).await;
        let change = json!({ "role": "edit" });
        for _ in 0..2 {
            on.update_person(admin, user).json(change.clone()).expect(204).await;
            on.update_team(admin, team).json(change.clone()).expect(204).await;
        }
        on.update_person(admin, user).json(json!({})).expect(204).await;
        on.update_person(admin, world.edit.id)
            .json(json!({ "role": null }))
            .expect(204)
            .await;
        on.remove_team(admin, team).expect(204).await;
        on.remove_team(admin, team).send().await;
        for _ in 0..2 {
            on.remove_person(admin, user).expect(204).await;
        }
        let left: Vec<_> = events().await.split_off(before);
        let expected = [
            (format!("inviteTo{suffix}"), body),
            (
                format!("updateUserPermissionIn{suffix}"),
                json!({ "user": user, "role": "edit" }),
            ),
            (
                format!("updateTeamPermissionIn{suffix}"),
                json!({ "team": team, "role": "edit" }),
            ),
            (format!("removeTeamFrom{suffix}"), json!({ "team": team })),
            (format!("removeUserFrom{suffix}"), json!({ "user": user })),
        ];
        assert_eq!(left.len(), expected.len(), "{left:#?}");
        for (event, (operation, payload)) in left.iter().zip(expected) {
            assert_eq!(event.action, format!("{area}.{operation}"));
            assert_eq!(event.payload, payload);
            assert_eq!(
                (event.target_type.as_str(), &*event.target_id),
                (kind, &*id.to_string())
            );
            assert_eq!(event.organization_id, Some(world.organization));
        }
    }
}

/// Whoever leaves has no level left, whatever the order; nothing fails.
async fn levels_are_given_while_people_leave(database: TestDatabase) {
    let world = World::new(database).await;
    let [space, _] = On::both(&world);
    for round in 0..10 {
        members::add(world.app(), world.organization, world.guest.id, Some(MemberRole::Read))
            .await
            .unwrap();
        let leave = world.admin.client.call("removeMemberFromOrganizationById").here(&world);
        let give = space.invite(&world.admin);
        let users = json!([world.guest.id, world.edit.id]);
        let (left, given) = tokio::join!(
            leave.path("userId", world.guest.id).send(),
            give.json(json!({ "users": users, "role": "edit" })).send(),
        );
        assert_eq!(left.status, 204, "round {round}");
        assert!([204, 404].contains(&given.status), "round {round}: {}", given.text);
        let people = space.given(&world).await;
        assert!(!people.contains(&"guest: edit".to_owned()), "round {round}");
    }
}
