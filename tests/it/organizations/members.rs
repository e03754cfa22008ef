//! Members of an organization: finding them, their roles, when they were seen, and how they leave.

use std::collections::HashSet;

use bindery::areas::{identity::users, organizations::members};
use chrono::TimeDelta;
use entity::organizations::members::MemberRole;
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode};
use serde_json::{Value, json};

use crate::support::{
    client::Call,
    database::{TestDatabase, on_each_database},
    paths::{each, sorted, texts},
    recount::counters_are_right,
    teams::create,
    world::{Person, World},
};

on_each_database![
    a_member_is_a_user_with_a_place_in_the_organization,
    lists_are_filtered_by_role,
    lists_are_searched_in_every_language,
    lists_are_sorted_by_joining_or_by_last_seen,
    lists_are_sorted_by_name,
    a_ping_notes_when_and_vouches_for_whom,
    roles_change_and_count_at_once,
    the_last_admin_stays_admin,
    members_leave_by_themselves_or_are_removed,
    removed_members_leave_their_teams,
    single_sign_on_is_noted_once,
    guests_read_only_themselves,
    teams_of_a_member_are_listed_with_the_part_in_each,
];

fn list(world: &World) -> Call<'_> {
    world.admin.client.call("listMembersInOrganizationById").here(world)
}

async fn names(call: Call<'_>) -> Vec<String> {
    let list = call.expect(200).await;
    assert_eq!(list["count"], list["items"].as_array().unwrap().len());
    texts(&list, "/user/displayName")
}

fn get<'a>(viewer: &'a Person, world: &World, person: &Person) -> Call<'a> {
    viewer
        .client
        .call("getMemberInOrganizationById")
        .here(world)
        .path("userId", person.id)
}

fn set_role<'a>(caller: &'a Person, world: &World, person: &Person, role: Option<&str>) -> Call<'a> {
    let call = caller.client.call("updateMemberInOrganizationById").here(world);
    call.path("userId", person.id).json(json!({ "role": role }))
}

fn remove<'a>(caller: &'a Person, world: &World, person: &Person) -> Call<'a> {
    caller
        .client
        .call("removeMemberFromOrganizationById")
        .here(world)
        .path("userId", person.id)
}

async fn a_member_is_a_user_with_a_place_in_the_organization(database: TestDatabase) {
    let world = World::new(database).await;
    let member = get(&world.read, &world, &world.team_owner).expect(200).await;
    let user = world.team_owner.client.call("getAuthenticatedUser").expect(200).await;
    let expected = json!({
        "object": "member", "id": world.team_owner.id.to_string(), "role": "read", "user": user, "disabled": false,
        "joinedAt": "2026-11-21T11:59:59.000Z", "sso": false, "spaces": 1, "teams": 1, "sites": 1,
    });
    assert_eq!(member, expected);
    // Guests see no site, and those of another organization are not counted.
    world.new_site("Manuals", &[]).await;
    for (person, sites) in [(&world.read, 2), (&world.guest, 0)] {
        assert_eq!(get(&world.admin, &world, person).expect(200).await["sites"], sites);
    }
    let member = get(&world.read, &world, &world.team_owner).expect(200).await;
    let all = list(&world).expect(200).await;
    assert!(all["items"].as_array().unwrap().contains(&member));
    assert_eq!(all["count"], 9);
    members::set_disabled(&world.app().kernel, world.organization, world.team_owner.id, true)
        .await
        .unwrap();
    let disabled = get(&world.read, &world, &world.team_owner).expect(200).await;
    assert_eq!(disabled["disabled"], true);
}

async fn lists_are_filtered_by_role(database: TestDatabase) {
    let world = World::new(database).await;
    for role in ["admin", "create", "review", "edit", "comment", "guest"] {
        assert_eq!(names(list(&world).query("role", role)).await, [role], "{role}");
    }
    let readers = list(&world).query("role", "read").query("order", "asc");
    assert_eq!(names(readers).await, ["read", "team-owner", "team-member"]);
    assert_eq!(
        names(list(&world).query("role", "read").query("search", "owner")).await,
        ["team-owner"]
    );
    assert_eq!(
        names(list(&world).query("role", "edit").query("search", "owner")).await,
        Vec::<String>::new()
    );
}

async fn lists_are_searched_in_every_language(database: TestDatabase) {
    let world = World::new(database).await;
    let people = [
        ("wax", "Ärger"),
        ("wix", "ärger über ÖL"),
        ("wox", "100% sure"),
        ("w_x", "under_score"),
        ("wux", "back\\slash"),
        ("wex", "ИВАН"),
        ("wyx", "Ines Okafor"),
        ("wzx", "O'Neil -- x"),
    ];
    for (email, name) in people {
        let user = users::create(&world.app().identity, &format!("{email}@Words.example"), name)
            .await
            .unwrap();
        members::add(&world.app().kernel, world.organization, user.id, None)
            .await
            .unwrap();
    }
    let find = async |search: &str| -> HashSet<String> {
        names(list(&world).query("search", search)).await.into_iter().collect()
    };
    let expect = [
        ("ÄRGER", vec!["Ärger", "ärger über ÖL"]),
        ("ärger", vec!["Ärger", "ärger über ÖL"]),
        ("öl", vec!["ärger über ÖL"]),
        ("иван", vec!["ИВАН"]),
        ("100%", vec!["100% sure"]),
        ("%", vec!["100% sure"]),
        ("_", vec!["under_score"]),
        ("w_x", vec!["under_score"]),
        ("W_X@WORDS", vec!["under_score"]),
        ("\\", vec!["back\\slash"]),
        ("k\\s", vec!["back\\slash"]),
        ("okafor", vec!["Ines Okafor"]),
        ("es ok", vec!["Ines Okafor"]),
        ("wyx@words.example", vec!["Ines Okafor"]),
        ("'", vec!["O'Neil -- x"]),
        ("--", vec!["O'Neil -- x"]),
        ("' OR '1'='1", vec![]),
        ("100_", vec![]),
        ("w%x", vec![]),
        ("arger", vec![]),
        ("nobody at all", vec![]),
    ];
    for (search, found) in expect {
        assert_eq!(
            find(search).await,
            found.into_iter().map(str::to_owned).collect(),
            "{search}"
        );
    }
    assert_eq!(find("").await.len(), 9 + people.len());
    assert_eq!(find("words.example").await.len(), people.len());
    let absent = list(&world).query("search", "x".repeat(256)).expect(200).await;
    assert_eq!(absent["count"], 0);
}

async fn ping(person: &Person, world: &World) -> Value {
    person
        .client
        .call("updateOrganizationMemberLastSeenAt")
        .here(world)
        .expect(200)
        .await
}

async fn lists_are_sorted_by_name(database: TestDatabase) {
    let world = World::new(database).await;
    let mut people = Vec::new();
    for name in ["zoe", "Berta", "anna", "Emil"] {
        people.push(world.member(name, Some(MemberRole::Edit)).await);
    }
    let by_name = || list(&world).query("sort", "name").query("order", "asc");
    let mut expected = names(list(&world)).await;
    expected.sort_by_key(|name| name.to_lowercase());
    assert_eq!(names(by_name()).await, expected);
    assert_eq!(names(by_name().query("search", "ANNA")).await, ["anna"]);
    assert_eq!(names(by_name().query("role", "edit")).await.len(), 5);
    let mut walked = Vec::new();
    let mut page = by_name().query("limit", 2).expect(200).await;
    while let Some(next) = page["next"]["page"].as_str() {
        walked.extend(texts(&page, "/user/displayName"));
        page = by_name().query("limit", 2).query("page", next).expect(200).await;
    }
    walked.extend(texts(&page, "/user/displayName"));
    assert_eq!(walked, expected);
    walked.reverse();
    assert_eq!(
        names(list(&world).query("sort", "name").query("order", "desc")).await,
        walked
    );
    let renamed = people[0].client.call("updateUserById").path("userId", people[0].id);
    renamed.json(json!({ "displayName": "Aaron" })).expect(200).await;
    assert_eq!(names(by_name()).await[0], "Aaron");
    counters_are_right(&world.service.app.kernel.db, "after a new name").await;
}

async fn lists_are_sorted_by_joining_or_by_last_seen(database: TestDatabase) {
    let world = World::new(database).await;
    assert_eq!(
        names(list(&world).query("sort", "lastSeenAt")).await,
        Vec::<String>::new()
    );
    let mut late = Vec::new();
    for name in ["first", "second", "third"] {
        world.service.advance(TimeDelta::minutes(1));
        late.push(world.member(name, Some(MemberRole::Edit)).await);
    }
    for person in [&late[2], &late[0], &world.guest] {
        world.service.advance(TimeDelta::minutes(1));
        ping(person, &world).await;
    }
    assert_eq!(names(list(&world)).await[..3], ["third", "second", "first"]);
    let oldest_first = names(list(&world).query("order", "asc")).await;
    assert_eq!(oldest_first[9..], ["first", "second", "third"]);
    let joined = list(&world).query("sort", "joinedAt").query("order", "desc");
    assert_eq!(names(joined).await[..3], ["third", "second", "first"]);

    let seen = || list(&world).query("sort", "lastSeenAt");
    assert_eq!(names(seen()).await, ["guest", "first", "third"]);
    assert_eq!(names(seen().query("order", "asc")).await, ["third", "first", "guest"]);
    assert_eq!(names(seen().query("role", "edit")).await, ["first", "third"]);
    assert_eq!(names(seen().query("search", "FIRST")).await, ["first"]);
    world.service.advance(TimeDelta::minutes(1));
    ping(&late[2], &world).await;
    assert_eq!(names(seen()).await, ["third", "guest", "first"]);
}

async fn a_ping_notes_when_and_vouches_for_whom(database: TestDatabase) {
    let world = World::new(database).await;
    let before = get(&world.admin, &world, &world.edit).expect(200).await;
    assert_eq!(before.get("lastSeenAt"), None);
    world.service.advance(TimeDelta::seconds(90));
    for (person, role) in [(&world.edit, json!("edit")), (&world.guest, Value::Null)] {
        let answer = ping(person, &world).await;
        assert_eq!(answer["serviceVisitorClaims"], answer["gitbookVisitorClaims"]);
        let token = answer["serviceVisitorClaims"].as_str().unwrap();
        let mut rules = Validation::new(Algorithm::HS256);
        // The service's clock stands still; its times are compared below.
        rules.validate_exp = false;
        let key = world.app().kernel.secrets.derive("visitor-claims");
        let claims = decode::<Value>(token, &DecodingKey::from_secret(&key), &rules)
            .unwrap()
            .claims;
        assert_eq!(claims["sub"], person.id.to_string());
        assert_eq!(claims["organization"], world.organization.to_string());
        assert_eq!(claims["role"], role);
        assert_eq!(claims["iss"], world.service.base);
        let now = world.app().kernel.clock.now().as_millis() / 1000;
        assert_eq!(claims["iat"], now);
        assert!(claims["exp"].as_i64().unwrap() > now);
        let other = DecodingKey::from_secret(b"another key of thirty-two bytes!");
        assert!(decode::<Value>(token, &other, &rules).is_err());
    }
    let after = get(&world.admin, &world, &world.edit).expect(200).await;
    assert_eq!(after["lastSeenAt"], "2026-11-21T12:01:30.000Z");
    let untouched = get(&world.admin, &world, &world.read).expect(200).await;
    assert_eq!(untouched.get("lastSeenAt"), None);
}

async fn roles_change_and_count_at_once(database: TestDatabase) {
    let world = World::new(database).await;
    let create_team = || {
        world
            .edit
            .client
            .call("createOrganizationTeam")
            .here(&world)
            .json(json!({ "title": "New" }))
    };
    create_team().expect(403).await;
    let changed = set_role(&world.admin, &world, &world.edit, Some("admin"))
        .expect(200)
        .await;
    assert_eq!(changed["role"], "admin");
    create_team().expect(201).await;
    let guest = set_role(&world.edit, &world, &world.edit, None).expect(200).await;
    assert_eq!(guest["role"], Value::Null);
    create_team().expect(403).await;
    world
        .edit
        .client
        .call("listMembersInOrganizationById")
        .here(&world)
        .expect(403)
        .await;
    // An empty body changes nothing; somebody who is no member cannot get a role.
    let same = world
        .admin
        .client
        .call("updateMemberInOrganizationById")
        .here(&world)
        .path("userId", world.edit.id);
    assert_eq!(same.json(json!({})).expect(200).await, guest);
    set_role(&world.admin, &world, &world.stranger, Some("admin"))
        .expect(404)
        .await;
    let nobody = world
        .admin
        .client
        .call("updateMemberInOrganizationById")
        .here(&world)
        .path("userId", world.stranger.id);
    nobody.json(json!({})).expect(404).await;
    // Nobody raises themselves.
    for person in [&world.create, &world.review, &world.guest] {
        set_role(person, &world, person, Some("admin")).expect(403).await;
    }
}

async fn the_last_admin_stays_admin(database: TestDatabase) {
    let world = World::new(database).await;
    let (app, organization) = (world.app(), world.organization);
    let refused = async |person: &Person| {
        for role in [Some("create"), None] {
            let answer = set_role(person, &world, person, role).expect(409).await;
            assert_eq!(answer["error"]["type"], "last-admin");
        }
        let answer = remove(person, &world, person).expect(409).await;
        assert_eq!(answer["error"]["type"], "last-admin");
        let disabled = members::set_disabled(&app.kernel, organization, person.id, true).await;
        assert_eq!(disabled.unwrap_err().kind(), openapi::error::ErrorType::LastAdmin);
        set_role(person, &world, person, Some("admin")).expect(200).await;
    };
    refused(&world.admin).await;
    set_role(&world.admin, &world, &world.edit, Some("admin"))
        .expect(200)
        .await;
    // An admin who is shut out cannot act, so does not count.
    members::set_disabled(&app.kernel, organization, world.edit.id, true)
        .await
        .unwrap();
    refused(&world.admin).await;
    members::set_disabled(&app.kernel, organization, world.edit.id, false)
        .await
        .unwrap();
    users::set_suspended(&app.identity, world.edit.id, true).await.unwrap();
    refused(&world.admin).await;
    users::set_suspended(&app.identity, world.edit.id, false).await.unwrap();
    remove(&world.admin, &world, &world.admin).expect(204).await;
    refused(&world.edit).await;
    counters_are_right(&app.kernel.db, "at the end").await;
}

async fn members_leave_by_themselves_or_are_removed(database: TestDatabase) {
    let world = World::new(database).await;
    remove(&world.guest, &world, &world.guest).expect(204).await;
    remove(&world.guest, &world, &world.guest).expect(404).await;
    get(&world.admin, &world, &world.guest).expect(404).await;
    for person in [&world.create, &world.team_owner] {
        remove(person, &world, &world.read).expect(403).await;
    }
    remove(&world.admin, &world, &world.read).expect(204).await;
    remove(&world.admin, &world, &world.read).expect(204).await;
    remove(&world.admin, &world, &world.stranger).expect(204).await;
    world
        .read
        .client
        .call("getOrganizationById")
        .here(&world)
        .expect(404)
        .await;
    assert_eq!(list(&world).expect(200).await["count"], 7);
    // Whoever comes back starts anew.
    ping(&world.edit, &world).await;
    remove(&world.edit, &world, &world.edit).expect(204).await;
    members::add(&world.app().kernel, world.organization, world.edit.id, None)
        .await
        .unwrap();
    members::add(
        &world.app().kernel,
        world.organization,
        world.edit.id,
        Some(MemberRole::Admin),
    )
    .await
    .unwrap();
    let back = get(&world.edit, &world, &world.edit).expect(200).await;
    assert_eq!((&back["role"], back.get("lastSeenAt")), (&Value::Null, None));
    counters_are_right(&world.app().kernel.db, "at the end").await;
}

async fn removed_members_leave_their_teams(database: TestDatabase) {
    let world = World::new(database).await;
    let team = async || {
        world
            .admin
            .client
            .call("getTeamInOrganizationById")
            .in_team(&world)
            .expect(200)
            .await
    };
    assert_eq!(team().await["members"], 2);
    remove(&world.admin, &world, &world.team_owner).expect(204).await;
    assert_eq!(team().await["members"], 1);
    let left = world
        .admin
        .client
        .call("listTeamMembersInOrganizationById")
        .in_team(&world)
        .expect(200)
        .await;
    assert_eq!(sorted(&left, "/organization/id"), [world.team_member.id.to_string()]);
    members::add(
        &world.app().kernel,
        world.organization,
        world.team_owner.id,
        Some(MemberRole::Read),
    )
    .await
    .unwrap();
    let back = get(&world.admin, &world, &world.team_owner).expect(200).await;
    assert_eq!(back["teams"], 0);
    let add = world
        .team_owner
        .client
        .call("addMemberToOrganizationTeamById")
        .in_team(&world);
    add.path("userId", world.edit.id).expect(403).await;
    counters_are_right(&world.app().kernel.db, "after leaving").await;
}

async fn single_sign_on_is_noted_once(database: TestDatabase) {
    let world = World::new(database).await;
    let mark = |person: &Person| {
        let call = world
            .admin
            .client
            .call("setUserAsSSOMemberForOrganization")
            .here(&world);
        call.path("userId", person.id)
    };
    let first = mark(&world.edit).expect(200).await;
    assert_eq!(first["sso"], true);
    assert_eq!(mark(&world.edit).expect(200).await, first);
    assert_eq!(get(&world.read, &world, &world.edit).expect(200).await, first);
    assert_eq!(get(&world.read, &world, &world.comment).expect(200).await["sso"], false);
    mark(&world.stranger).expect(404).await;
}

async fn guests_read_only_themselves(database: TestDatabase) {
    let world = World::new(database).await;
    assert_eq!(
        get(&world.guest, &world, &world.guest).expect(200).await["role"],
        Value::Null
    );
    get(&world.guest, &world, &world.admin).expect(403).await;
    get(&world.guest, &world, &world.stranger).expect(403).await;
    get(&world.stranger, &world, &world.stranger).expect(404).await;
    let teams = |person: &Person| {
        let call = world.guest.client.call("listTeamsForOrganizationMember").here(&world);
        call.path("userId", person.id)
    };
    assert_eq!(teams(&world.guest).expect(200).await["count"], 0);
    teams(&world.team_owner).expect(403).await;
}

async fn teams_of_a_member_are_listed_with_the_part_in_each(database: TestDatabase) {
    let world = World::new(database).await;
    for (title, members) in [
        ("Ärzte 100%", vec![&world.team_owner, &world.edit]),
        ("Writers", vec![&world.edit]),
    ] {
        world.service.advance(TimeDelta::seconds(1));
        create(&world, title, &members).await;
    }
    let teams = async |viewer: &Person, title: Option<&str>| {
        let mut call = viewer.client.call("listTeamsForOrganizationMember").here(&world);
        call = call.path("userId", world.team_owner.id);
        if let Some(title) = title {
            call = call.query("title", title);
        }
        let list = call.expect(200).await;
        assert_eq!(list["count"], list["items"].as_array().unwrap().len());
        list
    };
    let all = teams(&world.admin, None).await;
    assert_eq!(texts(&all, "/team/title"), ["Ärzte 100%", "Docs"]);
    assert_eq!(texts(&all, "/member/role"), ["member", "owner"]);
    assert_eq!(each(&all, "/team/permissions/admin"), [true, true]);
    let own = teams(&world.team_owner, None).await;
    assert_eq!(each(&own, "/team/permissions/admin"), [false, true]);
    for (title, found) in [
        ("ÄRZTE", vec!["Ärzte 100%"]),
        ("%", vec!["Ärzte 100%"]),
        ("_", vec![]),
        ("writers", vec![]),
    ] {
        assert_eq!(
            texts(&teams(&world.read, Some(title)).await, "/team/title"),
            found,
            "{title}"
        );
    }
    let member = get(&world.admin, &world, &world.team_owner).expect(200).await;
    assert_eq!(member["teams"], 2);
    for absent in [&world.stranger, &world.other_admin] {
        let call = world.admin.client.call("listTeamsForOrganizationMember").here(&world);
        call.path("userId", absent.id).expect(404).await;
    }
}
