//! Who reaches a site, and by what.

use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    paths::texts,
    published::id,
    world::World,
};

on_each_database![
    people_are_listed_with_their_highest_level_and_its_origin,
    people_are_filtered_and_sorted,
];

async fn people_are_listed_with_their_highest_level_and_its_origin(database: TestDatabase) {
    let world = World::new(database).await;
    let collection = world.admin.client.call("createCollection").here(&world);
    let collection = collection.json(json!({ "title": "Manuals" })).expect(201).await;
    let mut spaces = Vec::new();
    for title in ["One", "Two"] {
        let create = world.admin.client.call("createSpace").here(&world);
        let body = json!({ "title": title, "parent": collection["id"] });
        spaces.push(create.json(body).expect(201).await);
    }
    let site = world.new_site("Manuals", &[&spaces[0], &spaces[1]]).await;
    let people = async || {
        let list = world
            .on_site(&world.admin, "listPermissionsAggregateInSite", &site)
            .expect(200)
            .await;
        assert_eq!(list["count"], list["items"].as_array().unwrap().len());
        list["items"].as_array().unwrap().clone()
    };
    let of = |people: &[Value], user: entity::ids::UserId| {
        let found = people.iter().find(|item| item["user"]["id"] == user.to_string());
        found.map(|item| (item["permission"].clone(), item["origin"].clone()))
    };
    let organization = json!({ "type": "organization", "organization": world.organization });
    let space = |space: &Value| json!({ "type": "space", "space": space["id"] });

    let before = people().await;
    for (person, role) in [(&world.admin, "admin"), (&world.edit, "edit"), (&world.read, "read")] {
        assert_eq!(of(&before, person.id), Some((json!(role), organization.clone())));
    }
    // Guests reach nothing by themselves, and strangers are no members.
    assert_eq!(of(&before, world.guest.id), None);
    assert_eq!(of(&before, world.stranger.id), None);

    let invite = |space: &Value, body: Value| {
        let call = world.admin.client.call("inviteToSpace").path("spaceId", id(space));
        call.json(body)
    };
    invite(&spaces[1], json!({ "users": [world.guest.id], "role": "comment" }))
        .expect(204)
        .await;
    invite(&spaces[1], json!({ "users": [world.edit.id], "role": "read" }))
        .expect(204)
        .await;
    let call = world
        .admin
        .client
        .call("inviteToCollection")
        .path("collectionId", id(&collection));
    call.json(json!({ "teams": [world.team], "role": "review" }))
        .expect(204)
        .await;
    let after = people().await;
    assert_eq!(of(&after, world.guest.id), Some((json!("comment"), space(&spaces[1]))));
    assert_eq!(of(&after, world.edit.id), Some((json!("edit"), organization.clone())));
    // By the team, on the collection above both spaces.
    assert_eq!(
        of(&after, world.team_member.id),
        Some((json!("review"), space(&spaces[0])))
    );
    assert_eq!(of(&after, world.read.id), Some((json!("read"), organization.clone())));

    // A default level is everybody's.
    let update = world
        .admin
        .client
        .call("updateSpaceById")
        .path("spaceId", id(&spaces[1]));
    update.json(json!({ "defaultLevel": "edit" })).expect(200).await;
    let after = people().await;
    assert_eq!(of(&after, world.read.id), Some((json!("edit"), space(&spaces[1]))));
    let seen = world.on_site(&world.admin, "listPermissionsAggregateInSite", &site);
    let page = seen.query("limit", 1).expect(200).await;
    assert_eq!(page["items"][0], after[0]);
    assert_eq!(page["count"], after.len());

    bindery::areas::organizations::members::set_disabled(&world.app().kernel, world.organization, world.edit.id, true)
        .await
        .unwrap();
    assert_eq!(of(&people().await, world.edit.id), None);
    world
        .on_site(&world.create, "listPermissionsAggregateInSite", &site)
        .expect(403)
        .await;
}

async fn people_are_filtered_and_sorted(database: TestDatabase) {
    let world = World::new(database).await;
    let space = world.new_space("One").await;
    let site = world.new_site("Manuals", &[&space]).await;
    let invite = |body: Value| {
        let call = world.admin.client.call("inviteToSpace").path("spaceId", id(&space));
        call.json(body)
    };
    let users = json!({ "users": [world.guest.id, world.read.id], "role": "review" });
    invite(users).expect(204).await;
    invite(json!({ "teams": [world.team], "role": "comment" }))
        .expect(204)
        .await;
    let list = |parameters: &[(&str, &str)]| {
        let call = world.on_site(&world.admin, "listPermissionsAggregateInSite", &site);
        let parameters = parameters.iter();
        parameters.fold(call, |call, (name, value)| call.query(name, value))
    };
    let team = world.team.to_string();
    for (parameters, expected) in [
        (&[("role", "review")][..], &["review", "read", "guest"][..]),
        (&[("role", "edit")], &["edit"]),
        (&[("role", "read")], &[]),
        (&[("role", "guest")], &["guest"]),
        (&[("search", "TEAM-")], &["team-member", "team-owner"]),
        (&[("team", &team)], &["team-member", "team-owner"]),
        (&[("team", &team), ("search", "owner")], &["team-owner"]),
        (&[("team", "nobody")], &[]),
        (
            &[("role", "review"), ("sort", "name"), ("order", "asc")],
            &["guest", "read", "review"],
        ),
        (&[("sort", "lastSeenAt")], &[]),
    ] {
        let found = list(parameters).expect(200).await;
        let mut names = texts(&found, "/user/displayName");
        if !parameters.contains(&("sort", "name")) {
            names.sort();
        }
        let mut expected = expected.to_vec();
        if !parameters.contains(&("sort", "name")) {
            expected.sort_unstable();
        }
        assert_eq!(names, expected, "{parameters:?}");
        assert_eq!(found["count"], expected.len());
    }
    let ping = world.edit.client.call("updateOrganizationMemberLastSeenAt");
    ping.here(&world).expect(200).await;
    let seen = list(&[("sort", "lastSeenAt")]).expect(200).await;
    assert_eq!(texts(&seen, "/user/displayName"), ["edit"]);
    assert!(seen["items"][0]["lastSeenAt"].is_string(), "{seen}");
    // Page by page, and a page of one list is none of another.
    let first = list(&[("sort", "name"), ("limit", "1")]).expect(200).await;
    let next = first["next"]["page"].as_str().unwrap();
    let second = list(&[("sort", "name"), ("limit", "1"), ("page", next)])
        .expect(200)
        .await;
    assert_ne!(first["items"][0]["user"]["id"], second["items"][0]["user"]["id"]);
    list(&[("sort", "name"), ("order", "asc"), ("page", next)])
        .expect(400)
        .await;
}
