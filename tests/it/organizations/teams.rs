//! Teams: creating and finding them, and who belongs to them.

use chrono::TimeDelta;
use serde_json::json;

use crate::support::{
    client::Client,
    database::{TestDatabase, on_each_database},
    paths::texts,
    recount::counters_are_right,
    service::START,
    teams::{create, id, people, roles, team},
    world::{Person, World},
};

on_each_database![
    a_team_starts_with_its_first_members,
    a_team_with_unknown_members_is_not_created,
    teams_are_filtered_by_title_and_owner,
    the_last_team_is_first_even_if_the_clock_is_set_back,
    the_last_team_is_first_after_a_restart_with_the_clock_set_back,
    a_team_is_renamed_by_admins_only,
    a_deleted_team_leaves_its_members,
];

async fn a_team_starts_with_its_first_members(database: TestDatabase) {
    let world = World::new(database).await;
    let empty = create(&world, "Alone", &[]).await;
    let expected = json!({
        "object": "team", "id": empty["id"], "title": "Alone", "members": 0, "spaces": 0,
        "createdAt": "2026-11-21T12:00:00.000Z", "permissions": { "admin": true, "view": true },
    });
    assert_eq!(empty, expected);
    let call = world.admin.client.call("createOrganizationTeam").here(&world);
    let without = call.json(json!({ "title": "Alone" })).expect(201).await;
    assert_ne!(without["id"], empty["id"], "titles may repeat");

    // Whoever is named twice belongs to it once.
    let made = create(&world, "Writers", &[&world.edit, &world.guest, &world.edit]).await;
    assert_eq!(made["members"], 2);
    assert_eq!(team(&world, id(&made)).await, made);
    assert_eq!(
        roles(&world, id(&made))
            .await
            .iter()
            .filter(|(_, role)| role == "member")
            .count(),
        2
    );
    assert_eq!(people(&world, id(&made)).await, ["edit", "guest"]);
}

async fn a_team_with_unknown_members_is_not_created(database: TestDatabase) {
    let world = World::new(database).await;
    let members = [
        world.edit.id.to_string(),
        world.stranger.id.to_string(),
        "nobody".to_owned(),
        world.other_admin.email.clone(),
    ];
    let call = world.admin.client.call("createOrganizationTeam").here(&world);
    let answer = call.json(json!({ "title": "Never", "members": members })).send().await;
    answer.expect(400);
    let expected = [1, 2, 3].map(|place| (format!("/body/members/{place}"), "not-a-member".to_owned()));
    assert_eq!(answer.details(), expected);
    let list = world
        .admin
        .client
        .call("listTeamsInOrganizationById")
        .here(&world)
        .expect(200)
        .await;
    assert_eq!(texts(&list, "/title"), ["Docs"]);
    counters_are_right(&world.app().kernel.db, "after the refusal").await;
}

async fn teams_are_filtered_by_title_and_owner(database: TestDatabase) {
    let world = World::new(database).await;
    for title in ["Ärzte", "100% Cotton", "snake_case", "C:\\docs", "ärzte zwei"] {
        world.service.advance(TimeDelta::seconds(1));
        create(&world, title, &[&world.edit]).await;
    }
    let list = async |viewer: &Person, name: &str, value: &str| {
        let call = viewer
            .client
            .call("listTeamsInOrganizationById")
            .here(&world)
            .query(name, value);
        let list = call.expect(200).await;
        assert_eq!(list["count"], list["items"].as_array().unwrap().len());
        texts(&list, "/title")
    };
    let newest_first = ["ärzte zwei", "C:\\docs", "snake_case", "100% Cotton", "Ärzte", "Docs"];
    assert_eq!(list(&world.read, "title", "").await, newest_first);
    let found = [
        ("ÄRZTE", vec!["ärzte zwei", "Ärzte"]),
        ("%", vec!["100% Cotton"]),
        ("_", vec!["snake_case"]),
        ("\\", vec!["C:\\docs"]),
        ("docs", vec!["C:\\docs", "Docs"]),
        ("no such", vec![]),
        ("'; DROP TABLE teams;", vec![]),
    ];
    for (search, titles) in found {
        assert_eq!(list(&world.read, "title", search).await, titles, "{search}");
    }
    for viewer in [&world.read, &world.admin] {
        assert_eq!(list(viewer, "owner", &world.team_owner.id.to_string()).await, ["Docs"]);
        for other in [
            world.edit.id.to_string(),
            world.stranger.id.to_string(),
            "nobody".to_owned(),
            String::new(),
        ] {
            assert_eq!(list(viewer, "owner", &other).await, Vec::<String>::new(), "{other}");
        }
    }
    let both = world
        .read
        .client
        .call("listTeamsInOrganizationById")
        .here(&world)
        .query("title", "ärzte");
    assert_eq!(both.query("owner", world.team_owner.id).expect(200).await["count"], 0);
    let elsewhere = world
        .other_admin
        .client
        .call("listTeamsInOrganizationById")
        .within(world.other_organization);
    assert_eq!(texts(&elsewhere.expect(200).await, "/title"), ["Elsewhere"]);
}

async fn the_last_team_is_first_even_if_the_clock_is_set_back(database: TestDatabase) {
    let world = World::new(database).await;
    create(&world, "Before", &[]).await;
    world.service.advance(TimeDelta::hours(-1));
    create(&world, "After", &[]).await;
    let list = || world.read.client.call("listTeamsInOrganizationById").here(&world);
    let first = list().query("limit", 1).expect(200).await;
    assert_eq!(texts(&first, "/title"), ["After"]);
    let rest = list()
        .query("page", first["next"]["page"].as_str().unwrap())
        .expect(200)
        .await;
    assert_eq!(texts(&rest, "/title"), ["Before", "Docs"]);
}

async fn the_last_team_is_first_after_a_restart_with_the_clock_set_back(database: TestDatabase) {
    let world = World::new(database).await;
    create(&world, "Before", &[]).await;
    let yesterday = START.plus(TimeDelta::days(-1));
    let restarted = world.service.restart(yesterday).await;
    let admin = Client::new(&restarted.base).with_token(&world.admin.token);
    let create = admin.call("createOrganizationTeam").here(&world);
    create.json(json!({ "title": "After" })).expect(201).await;
    let list = || admin.call("listTeamsInOrganizationById").here(&world);
    let first = list().query("limit", 1).expect(200).await;
    assert_eq!(texts(&first, "/title"), ["After"]);
    let page = first["next"]["page"].as_str().unwrap();
    let rest = list().query("page", page).expect(200).await;
    assert_eq!(texts(&rest, "/title"), ["Before", "Docs"]);
    // Times follow the clock.
    assert_eq!(restarted.app.kernel.clock.now(), yesterday);
    restarted.app.kernel.db.close().await.unwrap();
}

async fn a_team_is_renamed_by_admins_only(database: TestDatabase) {
    let world = World::new(database).await;
    let rename = async |person: &Person, title: &str| {
        let call = person.client.call("updateTeamInOrganizationById").in_team(&world);
        let call = call.json(json!({ "title": title }));
        call.send().await
    };
    for person in [&world.team_owner, &world.create, &world.team_member] {
        rename(person, "Mine").await.expect(403);
    }
    let before = team(&world, world.team).await;
    let after = rename(&world.admin, "\u{1F4DA} Docs & <Ärger>").await.expect(200);
    let mut expected = before;
    expected["title"] = json!("\u{1F4DA} Docs & <Ärger>");
    assert_eq!(after, expected);
    assert_eq!(team(&world, world.team).await, expected);
    let list = world
        .read
        .client
        .call("listTeamsInOrganizationById")
        .here(&world)
        .query("title", "ÄRGER");
    assert_eq!(list.expect(200).await["count"], 1);
    for (title, code) in [("", "min-length"), (&*"x".repeat(65), "max-length")] {
        rename(&world.admin, title).await.has_detail("/body/title", code);
    }
}

async fn a_deleted_team_leaves_its_members(database: TestDatabase) {
    let world = World::new(database).await;
    create(&world, "Other", &[&world.team_owner]).await;
    let delete = async |person: &Person| {
        let call = person.client.call("removeTeamFromOrganizationById").in_team(&world);
        call.send().await
    };
    for person in [&world.team_owner, &world.create] {
        delete(person).await.expect(403);
    }
    delete(&world.admin).await.expect(204);
    delete(&world.admin).await.expect(204);
    world
        .admin
        .client
        .call("getTeamInOrganizationById")
        .in_team(&world)
        .expect(404)
        .await;
    for (person, teams) in [(&world.team_owner, 1), (&world.team_member, 0)] {
        let call = world.admin.client.call("getMemberInOrganizationById").here(&world);
        assert_eq!(call.path("userId", person.id).expect(200).await["teams"], teams);
    }
    // The team of another organization is none of this one.
    let foreign = world.admin.client.call("removeTeamFromOrganizationById").here(&world);
    foreign.path("teamId", world.other_team).expect(204).await;
    let still = world.other_admin.client.call("getTeamInOrganizationById");
    still.team(world.other_organization, world.other_team).expect(200).await;
    counters_are_right(&world.app().kernel.db, "after the end").await;
}
