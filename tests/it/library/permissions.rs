//! Levels that people and teams are given on spaces and collections, and the lists that show them.

use bindery::areas::organizations::members;
use entity::organizations::{audit_events, members::MemberRole};
use sea_orm::{EntityTrait, QueryOrder};
use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    permissions::GrantTarget,
    teams,
    world::{Person, World},
};

on_each_database![
    people_are_given_levels,
    teams_are_given_levels,
    all_of_them_or_nobody,
    a_level_is_changed_and_taken_away,
    taking_away_what_was_not_given,
    people_give_up_their_own_level,
    levels_end_with_the_membership_and_with_the_team,
    changes_leave_events_and_nothing_else_does,
    levels_are_given_while_people_leave,
];

async fn people_are_given_levels(database: TestDatabase) {
    let world = World::new(database).await;
    for on in GrantTarget::both(&world) {
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
    let other = teams::create(&world, "Other", &[&world.read]).await;
    let ids = json!([world.team, other["id"], world.team]);
    for on in GrantTarget::both(&world) {
        let body = json!({ "teams": ids, "role": "edit" });
        on.invite(&world.admin).json(body).expect(204).await;
        assert_eq!(on.given_to_teams(&world).await, ["Other: edit", "Docs: edit"]);
        let update = on.update_team(&world.admin, world.team);
        update.json(json!({ "role": "review" })).expect(204).await;
        assert_eq!(on.given_to_teams(&world).await, ["Other: edit", "Docs: review"]);
        let list = on.teams(&world.read).expect(200).await;
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
    for on in GrantTarget::both(&world) {
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
        let many = vec![user.clone(); 1001];
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
    for on in GrantTarget::both(&world) {
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
    for on in GrantTarget::both(&world) {
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
                GrantTarget::Space(_) => drop(answer.has_detail("/path/teamId", "no-level").expect(400)),
                GrantTarget::Collection(_) => drop(answer.expect(204)),
            }
        }
    }
}

async fn people_give_up_their_own_level(database: TestDatabase) {
    let world = World::new(database).await;
    for on in GrantTarget::both(&world) {
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

async fn levels_end_with_the_membership_and_with_the_team(database: TestDatabase) {
    let world = World::new(database).await;
    for on in GrantTarget::both(&world) {
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
    for on in GrantTarget::both(&world) {
        assert_eq!(on.given(&world).await, ["edit: edit"]);
        assert!(on.given_to_teams(&world).await.is_empty());
    }
    // Whoever comes back begins anew.
    members::add(&world.app().kernel, world.organization, world.guest.id, None)
        .await
        .unwrap();
    GrantTarget::Space(world.space).people(&world.guest).expect(404).await;
}

async fn changes_leave_events_and_nothing_else_does(database: TestDatabase) {
    let world = World::new(database).await;
    let events = async || {
        let query = audit_events::Entity::find().order_by_asc(audit_events::Column::Id);
        query.all(world.app().kernel.db.read()).await.unwrap()
    };
    let (user, team) = (world.guest.id, world.team);
    for on in GrantTarget::both(&world) {
        let (kind, id, area, suffix) = match on {
            GrantTarget::Space(id) => ("space", id, "space_permissions", "Space"),
            GrantTarget::Collection(id) => ("collection", id, "collection_permissions", "Collection"),
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
    let [space, _] = GrantTarget::both(&world);
    for round in 0..10 {
        members::add(
            &world.app().kernel,
            world.organization,
            world.guest.id,
            Some(MemberRole::Read),
        )
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
