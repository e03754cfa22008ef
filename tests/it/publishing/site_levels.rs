//! Levels that people and teams are given on sites, and what they open.

use entity::ids::UserId;
use serde_json::{Value, json};

use crate::support::{
    client::Call,
    database::{TestDatabase, on_each_database},
    paths::texts,
    permissions::levels,
    published::{id, resolve},
    recount::counters_are_right,
    teams,
    world::{Person, World},
};

on_each_database![
    levels_are_given_changed_and_taken_away,
    all_of_them_or_nobody,
    each_level_opens_what_its_role_does,
    a_level_of_a_team_is_that_of_its_members,
    guests_see_their_sites,
    a_level_on_a_site_is_none_on_spaces,
    levels_end_with_the_membership_the_team_and_the_site,
    origins_name_the_site,
    a_level_that_ends_ends_writes_and_previews,
    the_default_level_is_the_least_of_members,
];

const ROLES: [&str; 6] = ["read", "comment", "edit", "review", "create", "admin"];

fn invite<'a>(world: &'a World, site: &Value, body: Value) -> Call<'a> {
    world.on_site(&world.admin, "inviteToSite", site).json(body)
}

/// Sets the level of a person, or removes it.
async fn set(world: &World, site: &Value, user: UserId, role: Value) {
    let update = world.on_site(&world.admin, "updateUserPermissionInSite", site);
    let update = update.path("userId", user).json(json!({ "role": role }));
    update.expect(204).await;
}

async fn people(world: &World, site: &Value) -> Vec<String> {
    let list = world.on_site(&world.admin, "listUserPermissionsInSite", site);
    levels(&list.expect(200).await, "/user/displayName")
}

async fn teams_on(world: &World, site: &Value) -> Vec<String> {
    let list = world.on_site(&world.admin, "listTeamPermissionsInSite", site);
    levels(&list.expect(200).await, "/team/title")
}

async fn status(world: &World, person: &Person, operation: &str, site: &Value) -> u16 {
    let call = world.on_site(person, operation, site);
    let call = match operation {
        "updateSiteById" => call.json(json!({ "title": "Changed" })),
        "inviteToSite" => call.json(json!({ "users": [world.read.id], "role": null })),
        _ => call,
    };
    call.send().await.status
}

async fn levels_are_given_changed_and_taken_away(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    let body = json!({ "users": [world.guest.id, world.read.id, world.guest.id], "role": "edit" });
    invite(&world, &site, body).expect(204).await;
    assert_eq!(people(&world, &site).await, ["read: edit", "guest: edit"]);
    set(&world, &site, world.guest.id, json!("create")).await;
    set(&world, &site, world.comment.id, json!("admin")).await;
    assert_eq!(
        people(&world, &site).await,
        ["comment: admin", "read: edit", "guest: create"]
    );
    let unchanged = world.on_site(&world.admin, "updateUserPermissionInSite", &site);
    let unchanged = unchanged.path("userId", world.guest.id).json(json!({}));
    unchanged.expect(204).await;
    set(&world, &site, world.read.id, Value::Null).await;
    invite(&world, &site, json!({ "users": [world.comment.id], "role": null }))
        .expect(204)
        .await;
    assert_eq!(people(&world, &site).await, ["guest: create"]);
    for _ in 0..2 {
        let remove = world.on_site(&world.admin, "removeUserFromSite", &site);
        remove.path("userId", world.guest.id).expect(204).await;
    }
    assert!(people(&world, &site).await.is_empty());

    let other = teams::create(&world, "Other", &[&world.read]).await;
    let body = json!({ "teams": [world.team, other["id"]], "role": "read" });
    invite(&world, &site, body).expect(204).await;
    let update = world.on_site(&world.admin, "updateTeamPermissionInSite", &site);
    let update = update.path("teamId", world.team).json(json!({ "role": "admin" }));
    update.expect(204).await;
    assert_eq!(teams_on(&world, &site).await, ["Other: read", "Docs: admin"]);
    for _ in 0..2 {
        let remove = world.on_site(&world.admin, "removeTeamFromSite", &site);
        remove.path("teamId", id(&other)).expect(204).await;
    }
    assert_eq!(teams_on(&world, &site).await, ["Docs: admin"]);
    // Another site has levels of its own.
    let elsewhere = world.new_site("Elsewhere", &[]).await;
    assert!(teams_on(&world, &elsewhere).await.is_empty());
}

async fn all_of_them_or_nobody(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    for unknown in [world.stranger.id.to_string(), "nobody".to_owned()] {
        let body = json!({ "users": [world.guest.id.to_string(), unknown], "role": "read" });
        invite(&world, &site, body).expect(404).await;
        let update = world.on_site(&world.admin, "updateUserPermissionInSite", &site);
        let update = update.path("userId", &unknown);
        update.json(json!({ "role": "read" })).expect(404).await;
        // Nobody has no level, and keeps none.
        let remove = world.on_site(&world.admin, "removeUserFromSite", &site);
        remove.path("userId", &unknown).expect(204).await;
    }
    for unknown in [world.other_team.to_string(), "nobody".to_owned()] {
        let body = json!({ "teams": [world.team.to_string(), unknown], "role": "read" });
        invite(&world, &site, body).expect(404).await;
        let update = world.on_site(&world.admin, "updateTeamPermissionInSite", &site);
        let update = update.path("teamId", &unknown);
        update.json(json!({})).expect(404).await;
    }
    let both = json!({ "users": [world.guest.id], "teams": [world.team], "role": "read" });
    invite(&world, &site, both)
        .send()
        .await
        .has_detail("/body", "exclusive");
    assert!(people(&world, &site).await.is_empty());
    assert!(teams_on(&world, &site).await.is_empty());
}

async fn each_level_opens_what_its_role_does(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    let other = world.new_site("Other", &[]).await;
    let cases = [
        ("getSiteById", "read", 200),
        ("updateSiteById", "create", 200),
        ("publishSite", "admin", 200),
        ("inviteToSite", "admin", 204),
    ];
    for role in ROLES {
        set(&world, &site, world.guest.id, json!(role)).await;
        let rank = ROLES.iter().position(|other| *other == role);
        for (operation, needed, success) in cases {
            let needed = ROLES.iter().position(|other| *other == needed);
            let expected = if rank >= needed { success } else { 403 };
            let found = status(&world, &world.guest, operation, &site).await;
            assert_eq!(found, expected, "{operation} with {role}");
            assert_eq!(status(&world, &world.guest, operation, &other).await, 403);
        }
    }
    for (operation, ..) in cases {
        assert_eq!(status(&world, &world.other_admin, operation, &site).await, 404);
        assert_eq!(status(&world, &world.stranger, operation, &site).await, 404);
    }
    let read = world.on_site(&world.guest, "getSiteById", &site).expect(200).await;
    assert_eq!(read["permissions"]["admin"], true);
    // The higher one counts, and answers say so.
    set(&world, &site, world.create.id, json!("read")).await;
    assert_eq!(status(&world, &world.create, "updateSiteById", &site).await, 200);
    set(&world, &site, world.read.id, json!("create")).await;
    let list = world.read.client.call("listSites").here(&world).expect(200).await;
    let editable = texts(&list, "/id").into_iter().zip(list["items"].as_array().unwrap());
    for (found, item) in editable {
        assert_eq!(item["permissions"]["edit"], found == id(&site), "{item}");
    }
}

async fn a_level_of_a_team_is_that_of_its_members(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    invite(&world, &site, json!({ "teams": [world.team], "role": "create" }))
        .expect(204)
        .await;
    assert_eq!(status(&world, &world.team_member, "updateSiteById", &site).await, 200);
    assert_eq!(status(&world, &world.read, "updateSiteById", &site).await, 403);
    let remove = world.admin.client.call("deleteMemberFromOrganizationTeamById");
    let remove = remove.in_team(&world).path("userId", world.team_member.id);
    remove.expect(204).await;
    assert_eq!(status(&world, &world.team_member, "updateSiteById", &site).await, 403);
}

async fn guests_see_their_sites(database: TestDatabase) {
    let world = World::new(database).await;
    let sites = [world.new_site("One", &[]).await, world.new_site("Two", &[]).await];
    let titles = async |parameters: &[(&str, &str)]| {
        let list = world.guest.client.call("listSites").here(&world);
        let parameters = parameters.iter();
        let list = parameters.fold(list, |call, (name, value)| call.query(name, value));
        let list = list.expect(200).await;
        assert_eq!(list["count"], list["items"].as_array().unwrap().len());
        texts(&list, "/title")
    };
    let counted = async || {
        let member = world.admin.client.call("getMemberInOrganizationById").here(&world);
        member.path("userId", world.guest.id).expect(200).await["sites"].clone()
    };
    assert!(titles(&[]).await.is_empty());
    assert_eq!(counted().await, 0);
    set(&world, &sites[0], world.guest.id, json!("read")).await;
    assert_eq!(titles(&[]).await, ["One"]);
    let team = teams::create(&world, "Guests", &[&world.guest]).await;
    for site in &sites {
        invite(&world, site, json!({ "teams": [team["id"]], "role": "edit" }))
            .expect(204)
            .await;
    }
    assert_eq!(titles(&[]).await, ["Two", "One"]);
    assert_eq!(titles(&[("title", "two")]).await, ["Two"]);
    assert_eq!(titles(&[("published", "true")]).await, [""; 0]);
    assert_eq!(counted().await, 2);
    let list = world.admin.client.call("listMembersInOrganizationById").here(&world);
    let list = list.query("limit", 100).expect(200).await;
    let all = world.admin.client.call("listSites").here(&world).expect(200).await;
    for member in list["items"].as_array().unwrap() {
        let expected = if member["role"].is_null() {
            json!(2)
        } else {
            all["count"].clone()
        };
        assert_eq!(member["sites"], expected, "{member}");
    }
    world.stranger.client.call("listSites").here(&world).expect(404).await;
    let delete = world.on_site(&world.admin, "deleteSiteById", &sites[0]);
    delete.expect(204).await;
    assert_eq!(counted().await, 1);
    counters_are_right(&world.app().kernel.db, "after deleting a site").await;
}

async fn a_level_on_a_site_is_none_on_spaces(database: TestDatabase) {
    let world = World::new(database).await;
    let space = world.new_space("Gripper G4").await;
    let site = world.new_site("Manuals", &[&space]).await;
    set(&world, &site, world.guest.id, json!("admin")).await;
    world
        .guest
        .client
        .call("getSpaceById")
        .path("spaceId", id(&space))
        .expect(404)
        .await;
    let structure = world.on_site(&world.guest, "getSiteStructure", &site);
    assert_eq!(structure.expect(200).await["structure"], json!([]));
    let add = |body: Value| world.on_site(&world.guest, "addSpaceToSite", &site).json(body);
    add(json!({ "spaceId": space["id"] }))
        .send()
        .await
        .has_detail("/body/spaceId", "space-level");
    add(json!({ "spaceId": null, "title": "New" })).expect(403).await;
    let delete = world.on_site(&world.guest, "deleteSiteById", &site);
    delete.expect(403).await;
}

async fn levels_end_with_the_membership_the_team_and_the_site(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    let person = world.member("leaver", None).await;
    set(&world, &site, person.id, json!("admin")).await;
    let remove = world.admin.client.call("removeMemberFromOrganizationById");
    let remove = remove.here(&world).path("userId", person.id);
    remove.expect(204).await;
    assert!(people(&world, &site).await.is_empty());
    assert_eq!(status(&world, &person, "getSiteById", &site).await, 404);
    bindery::areas::organizations::members::add(&world.app().kernel, world.organization, person.id, None)
        .await
        .unwrap();
    assert_eq!(status(&world, &person, "getSiteById", &site).await, 403);

    let team = teams::create(&world, "Short-lived", &[&world.guest]).await;
    invite(&world, &site, json!({ "teams": [team["id"]], "role": "admin" }))
        .expect(204)
        .await;
    let remove = world.admin.client.call("removeTeamFromOrganizationById").here(&world);
    remove.path("teamId", id(&team)).expect(204).await;
    assert!(teams_on(&world, &site).await.is_empty());
    assert_eq!(status(&world, &world.guest, "getSiteById", &site).await, 403);

    set(&world, &site, world.guest.id, json!("admin")).await;
    world.on_site(&world.admin, "deleteSiteById", &site).expect(204).await;
    assert_eq!(status(&world, &world.guest, "getSiteById", &site).await, 404);
}

async fn origins_name_the_site(database: TestDatabase) {
    let world = World::new(database).await;
    let space = world.new_space("One").await;
    let site = world.new_site("Manuals", &[&space]).await;
    let body = json!({ "users": [world.guest.id, world.edit.id], "role": "edit" });
    invite(&world, &site, body).expect(204).await;
    invite(&world, &site, json!({ "teams": [world.team], "role": "review" }))
        .expect(204)
        .await;
    let on_space = world.admin.client.call("inviteToSpace").path("spaceId", id(&space));
    let body = json!({ "users": [world.guest.id, world.team_member.id], "role": "edit" });
    on_space.json(body).expect(204).await;
    let list = world.on_site(&world.admin, "listPermissionsAggregateInSite", &site);
    let list = list.query("limit", 100).expect(200).await;
    let of = |person: &Person| {
        let mut items = list["items"].as_array().unwrap().iter();
        let found = items.find(|item| item["user"]["id"] == person.id.to_string());
        found.map(|item| (item["permission"].clone(), item["origin"].clone()))
    };
    let organization = json!({ "type": "organization", "organization": world.organization });
    let member = json!({ "type": "site", "site": site["id"], "reason": "member" });
    let team = json!({ "type": "site", "site": site["id"], "reason": "team", "team": world.team });
    // Of equal levels that on the site counts before those on spaces, and the role before both.
    for (person, level, origin) in [
        (&world.guest, "edit", &member),
        (&world.edit, "edit", &organization),
        (&world.team_member, "review", &team),
        (&world.read, "read", &organization),
    ] {
        assert_eq!(of(person), Some((json!(level), origin.clone())), "{level}");
    }
    let guests = world.on_site(&world.admin, "listPermissionsAggregateInSite", &site);
    let guests = guests.query("role", "guest").expect(200).await;
    assert_eq!(texts(&guests, "/user/displayName"), ["guest"]);
    let reviewers = world.on_site(&world.admin, "listPermissionsAggregateInSite", &site);
    let reviewers = reviewers
        .query("role", "review")
        .query("sort", "name")
        .query("order", "asc");
    let expected = ["review", "team-member", "team-owner"];
    assert_eq!(texts(&reviewers.expect(200).await, "/user/displayName"), expected);
}

async fn a_level_that_ends_ends_writes_and_previews(database: TestDatabase) {
    let world = World::new(database).await;
    let space = world.new_space("Gripper G4").await;
    let on_space = world.admin.client.call("inviteToSpace").path("spaceId", id(&space));
    on_space
        .json(json!({ "users": [world.guest.id], "role": "read" }))
        .expect(204)
        .await;
    let site = world.new_site("Manuals", &[&space]).await;
    let update = async || {
        let update = world.on_site(&world.guest, "updateSiteById", &site);
        update.json(json!({ "title": "Late" })).send_head().await
    };
    set(&world, &site, world.guest.id, json!("create")).await;
    let call = update().await;
    let (status, answer) = call.send().await;
    assert_eq!(status, 200, "{answer}");
    for role in [json!("review"), Value::Null] {
        set(&world, &site, world.guest.id, json!("create")).await;
        let call = update().await;
        // A write that is on its way checks the level in its transaction.
        set(&world, &site, world.guest.id, role.clone()).await;
        let (status, answer) = call.send().await;
        assert_eq!(status, 403, "{role}: {answer}");
    }
    set(&world, &site, world.guest.id, json!("read")).await;
    let preview = world.on_site(&world.guest, "getSitePublishingPreviewById", &site);
    let preview = preview.expect(200).await;
    let address = preview["url"].as_str().unwrap();
    resolve(&world, address, json!({})).expect(200).await;
    set(&world, &site, world.guest.id, Value::Null).await;
    resolve(&world, address, json!({})).expect(404).await;
}

fn change<'a>(world: &'a World, site: &Value, person: &'a Person, body: Value) -> Call<'a> {
    world.on_site(person, "updateSiteById", site).json(body)
}

async fn the_default_level_is_the_least_of_members(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    assert_eq!(site["defaultLevel"], "inherit");
    change(&world, &site, &world.create, json!({ "defaultLevel": "create" }))
        .expect(403)
        .await;
    assert_eq!(status(&world, &world.read, "updateSiteById", &site).await, 403);
    let changed = change(&world, &site, &world.admin, json!({ "defaultLevel": "create" }))
        .expect(200)
        .await;
    assert_eq!(changed["defaultLevel"], "create");
    let changed = change(
        &world,
        &site,
        &world.read,
        json!({ "styleguide": "06dkt2v8c4q1ojm7e90b5hfr3k" }),
    )
    .expect(200)
    .await;
    let styleguide = json!({ "kind": "space", "space": "06dkt2v8c4q1ojm7e90b5hfr3k" });
    assert_eq!(
        (&changed["styleguide"], &changed["permissions"]["create"]),
        (&styleguide, &json!(true))
    );
    let list = world.read.client.call("listSites").here(&world).expect(200).await;
    assert_eq!(list["items"][0]["permissions"]["create"], true);
    assert_eq!(status(&world, &world.guest, "getSiteById", &site).await, 403);
    let all = world
        .on_site(&world.admin, "listPermissionsAggregateInSite", &site)
        .query("role", "create");
    let all = texts(&all.expect(200).await, "/user/displayName");
    assert!(all.contains(&"read".to_owned()), "{all:?}");
    for level in [Value::Null, json!("inherit")] {
        let changed = change(
            &world,
            &site,
            &world.admin,
            json!({ "defaultLevel": level, "styleguide": null }),
        )
        .expect(200)
        .await;
        assert_eq!((&changed["defaultLevel"], changed.get("styleguide")), (&level, None));
        assert_eq!(status(&world, &world.read, "updateSiteById", &site).await, 403);
    }
}
