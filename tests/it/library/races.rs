//! Requests that meet: whatever the order, rules hold and counters are right.

use std::collections::HashSet;

use bindery::areas::organizations::members;
use entity::organizations::members::MemberRole;
use futures_util::future::join_all;
use rand::{RngExt, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use reqwest::StatusCode;
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::{Value, json};

use crate::support::{
    client::Call,
    database::{TestDatabase, on_each_database},
    paths::texts,
    recount::counters_are_right,
    world::{Person, World},
};

on_each_database![
    two_admins_cannot_demote_each_other,
    two_admins_cannot_both_leave,
    an_admin_cannot_leave_while_the_other_is_shut_out,
    members_are_added_and_removed_by_many_at_once,
    teams_and_members_go_while_others_work_with_them,
    many_create_at_once,
    one_hostname_for_many_at_once,
    one_person_is_added_by_many_at_once,
    one_list_of_domains_is_replaced_by_many_at_once,
    random_work_of_several_people_keeps_counters_right,
];

/// How often two requests are sent at once, to meet in more than one way.
const ROUNDS: usize = 10;

fn set_role<'a>(caller: &'a Person, world: &World, person: &Person, role: Option<&str>) -> Call<'a> {
    let call = caller.client.call("updateMemberInOrganizationById").here(world);
    call.path("userId", person.id).json(json!({ "role": role }))
}

/// How many members can act as an admin.
async fn admins(world: &World) -> u64 {
    use entity::organizations::members::{Column, Entity};
    let able = Entity::find()
        .filter(Column::OrganizationId.eq(world.organization))
        .filter(Column::Role.eq(MemberRole::Admin))
        .filter(Column::Disabled.eq(false));
    able.count(world.app().kernel.db.read()).await.unwrap()
}

/// Makes both admins, whatever they are.
async fn both_admins(world: &World) {
    for person in [&world.admin, &world.edit] {
        members::add(
            &world.app().kernel,
            world.organization,
            person.id,
            Some(MemberRole::Admin),
        )
        .await
        .unwrap();
        let (organization, user) = (world.organization, person.id);
        let work =
            move |tx| async move { members::store::set_role(&tx, organization, user, Some(MemberRole::Admin)).await };
        world.app().kernel.db.write(work).await.unwrap();
    }
    assert_eq!(admins(world).await, 2);
}

async fn two_admins_cannot_demote_each_other(database: TestDatabase) {
    let world = World::new(database).await;
    for round in 0..ROUNDS {
        both_admins(&world).await;
        let role = if round % 2 == 0 { None } else { Some("create") };
        let (one, other) = tokio::join!(
            set_role(&world.admin, &world, &world.edit, role).send(),
            set_role(&world.edit, &world, &world.admin, role).send(),
        );
        let mut statuses = [one.status, other.status];
        statuses.sort_unstable();
        // Who comes second is no admin any more, or would demote the last one.
        assert!([[200, 403], [200, 409]].contains(&statuses), "{statuses:?}");
        assert_eq!(admins(&world).await, 1, "round {round}");
    }
}

fn leave<'a>(person: &'a Person, world: &World) -> Call<'a> {
    let call = person.client.call("removeMemberFromOrganizationById").here(world);
    call.path("userId", person.id)
}

async fn two_admins_cannot_both_leave(database: TestDatabase) {
    let world = World::new(database).await;
    for round in 0..ROUNDS {
        both_admins(&world).await;
        let (one, other) = tokio::join!(leave(&world.admin, &world).send(), leave(&world.edit, &world).send());
        let mut statuses = [one.status, other.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [204, 409], "round {round}");
        assert_eq!(admins(&world).await, 1, "round {round}");
        counters_are_right(&world.app().kernel.db, &format!("after round {round}")).await;
    }
}

async fn an_admin_cannot_leave_while_the_other_is_shut_out(database: TestDatabase) {
    let world = World::new(database).await;
    for round in 0..ROUNDS {
        both_admins(&world).await;
        let demote = set_role(&world.admin, &world, &world.admin, None);
        let shut_out = members::set_disabled(&world.app().kernel, world.organization, world.edit.id, true);
        let (demoted, disabled) = tokio::join!(demote.send(), shut_out);
        assert_eq!(demoted.status == 200, disabled.is_err(), "round {round}");
        assert_eq!(admins(&world).await, 1, "round {round}");
        members::set_disabled(&world.app().kernel, world.organization, world.edit.id, false)
            .await
            .unwrap();
    }
}

async fn new_team(world: &World, title: &str) -> String {
    let call = world.admin.client.call("createOrganizationTeam").here(world);
    let team = call.json(json!({ "title": title })).expect(201).await;
    team["id"].as_str().unwrap().to_owned()
}

async fn members_are_added_and_removed_by_many_at_once(database: TestDatabase) {
    let world = World::new(database).await;
    let teams = [new_team(&world, "One").await, new_team(&world, "Two").await];
    let people = [&world.edit, &world.read, &world.guest, &world.comment];
    let work = (0..8).map(|worker: usize| {
        let (world, teams) = (&world, &teams);
        async move {
            for step in 0..10 {
                let person = people[(worker + step) % people.len()];
                let team = &teams[(worker / 2 + step) % teams.len()];
                let (id, email) = (person.id.to_string(), &person.email);
                let client = &world.admin.client;
                let call = match (worker + step * 3) % 4 {
                    0 => client.call("addMemberToOrganizationTeamById").path("userId", id),
                    1 => client.call("deleteMemberFromOrganizationTeamById").path("userId", id),
                    2 => client
                        .call("updateMembersInOrganizationTeam")
                        .json(json!({ "add": [email], "remove": [] })),
                    _ => client.call("updateMembersInOrganizationTeam").json(json!({
                        "remove": [email], "memberships": { world.review.id.to_string(): { "role": "owner" } },
                    })),
                };
                call.here(world).path("teamId", team).expect(204).await;
            }
        }
    });
    join_all(work).await;
    counters_are_right(&world.app().kernel.db, "after all").await;
    for team in &teams {
        let call = world
            .admin
            .client
            .call("getTeamInOrganizationById")
            .here(&world)
            .path("teamId", team);
        let counted = call.expect(200).await["members"].clone();
        let list = world
            .admin
            .client
            .call("listTeamMembersInOrganizationById")
            .here(&world)
            .path("teamId", team);
        let list = list.expect(200).await;
        assert_eq!(
            (&list["count"], list["items"].as_array().unwrap().len()),
            (&counted, counted.as_u64().unwrap() as usize)
        );
    }
}

async fn teams_and_members_go_while_others_work_with_them(database: TestDatabase) {
    let world = World::new(database).await;
    for round in 0..ROUNDS {
        let team = new_team(&world, "Short-lived").await;
        let person = world.member(&format!("leaver-{round}"), Some(MemberRole::Read)).await;
        let client = &world.admin.client;
        let add = || {
            client
                .call("addMemberToOrganizationTeamById")
                .here(&world)
                .path("teamId", &team)
        };
        let change = client
            .call("updateMembersInOrganizationTeam")
            .here(&world)
            .path("teamId", &team);
        let leave = client
            .call("removeMemberFromOrganizationById")
            .here(&world)
            .path("userId", person.id);
        let delete = client
            .call("removeTeamFromOrganizationById")
            .here(&world)
            .path("teamId", &team);
        let (left, added, changed, other, deleted) = tokio::join!(
            leave.send(),
            add().path("userId", person.id).send(),
            change.json(json!({ "add": [person.email, world.edit.email] })).send(),
            add().path("userId", world.edit.id).send(),
            delete.send(),
        );
        assert_eq!((left.status, deleted.status), (204, 204), "round {round}");
        for answer in [added, other, changed] {
            assert!([204, 400, 404].contains(&answer.status), "{}", answer.text);
        }
        counters_are_right(&world.app().kernel.db, &format!("after round {round}")).await;
    }
}

async fn many_create_at_once(database: TestDatabase) {
    let world = World::new(database).await;
    let create = |number: usize| {
        let world = &world;
        async move {
            let call = world.admin.client.call("createOrganizationTeam").here(world);
            let members = [world.edit.id.to_string(), world.read.id.to_string()];
            let team = call.json(json!({ "title": format!("Team {number}"), "members": members }));
            let organization = world.stranger.client.call("createOrganization");
            let organization = organization.json(json!({ "title": format!("Organization {number}") }));
            let token = world
                .stranger
                .client
                .call("createUserToken")
                .json(json!({ "label": format!("{number}") }));
            let made = tokio::join!(team.expect(201), organization.expect(201), token.expect(201));
            [made.0, made.1, made.2].map(|made: Value| made["id"].as_str().unwrap().to_owned())
        }
    };
    let ids: HashSet<String> = join_all((0..32).map(create)).await.into_iter().flatten().collect();
    assert_eq!(ids.len(), 3 * 32);
    let teams = world
        .admin
        .client
        .call("listTeamsInOrganizationById")
        .here(&world)
        .query("limit", 100);
    let teams = teams.expect(200).await;
    assert_eq!(teams["count"], 33);
    let listed: HashSet<String> = texts(&teams, "/title").into_iter().collect();
    assert!((0..32).all(|number| listed.contains(&format!("Team {number}"))));
    let organizations = world
        .stranger
        .client
        .call("listOrganizationsForAuthenticatedUser")
        .expect(200)
        .await;
    assert_eq!(organizations["count"], 32);
    counters_are_right(&world.app().kernel.db, "after all").await;
}

async fn one_hostname_for_many_at_once(database: TestDatabase) {
    let world = World::new(database).await;
    let mut organizations = Vec::new();
    for number in 0..8 {
        let title = format!("Organization {number}");
        organizations.push(
            bindery::areas::organizations::organizations::create(&world.app().kernel, world.stranger.id, &title)
                .await
                .unwrap()
                .id,
        );
    }
    let claims = organizations.iter().map(|organization| {
        let call = world
            .stranger
            .client
            .call("updateOrganizationById")
            .within(*organization);
        call.json(json!({ "hostname": "wanted", "title": "Winner" })).send()
    });
    let statuses: Vec<u16> = join_all(claims).await.into_iter().map(|answer| answer.status).collect();
    assert_eq!(
        statuses.iter().filter(|status| **status == 200).count(),
        1,
        "{statuses:?}"
    );
    assert_eq!(
        statuses.iter().filter(|status| **status == 409).count(),
        7,
        "{statuses:?}"
    );
    let list = world
        .stranger
        .client
        .call("listOrganizationsForAuthenticatedUser")
        .expect(200)
        .await;
    assert_eq!(
        texts(&list, "/title").iter().filter(|title| *title == "Winner").count(),
        1
    );
}

async fn one_person_is_added_by_many_at_once(database: TestDatabase) {
    let world = World::new(database).await;
    for round in 0..ROUNDS {
        let team = new_team(&world, "Popular").await;
        let adds = (0..8).map(|number| {
            let client = &world.admin.client;
            let call = match number % 2 {
                0 => client
                    .call("addMemberToOrganizationTeamById")
                    .path("userId", world.edit.id),
                _ => client
                    .call("updateMembersInOrganizationTeam")
                    .json(json!({ "add": [world.edit.email] })),
            };
            call.here(&world).path("teamId", &team).expect(204)
        });
        join_all(adds).await;
        let list = world
            .admin
            .client
            .call("listTeamMembersInOrganizationById")
            .here(&world)
            .path("teamId", &team);
        assert_eq!(list.expect(200).await["count"], 1);
        counters_are_right(&world.app().kernel.db, &format!("after round {round}")).await;
    }
}

async fn one_list_of_domains_is_replaced_by_many_at_once(database: TestDatabase) {
    let world = World::new(database).await;
    let domains = |number: usize| json!(["same.example", format!("domain-{}.example", number % 3)]);
    for _ in 0..ROUNDS {
        let changes = (0..8).map(|number| {
            let call = world.admin.client.call("updateOrganizationById").here(&world);
            call.json(json!({ "emailDomains": domains(number) })).expect(200)
        });
        join_all(changes).await;
        let stored = world
            .read
            .client
            .call("getOrganizationById")
            .here(&world)
            .expect(200)
            .await;
        assert!(
            (0..3).any(|number| stored["emailDomains"] == domains(number)),
            "{}",
            stored["emailDomains"]
        );
        let clear = world.admin.client.call("updateOrganizationById").here(&world);
        clear.json(json!({ "emailDomains": [] })).expect(200).await;
    }
}

/// Something that a person might do, with something that is there or not any more.
fn random_call<'a>(rng: &mut StdRng, world: &'a World, people: &[&'a Person], teams: &[String]) -> Call<'a> {
    let caller = people.choose(rng).unwrap();
    let (person, other) = (people.choose(rng).unwrap(), people.choose(rng).unwrap());
    let team = teams.choose(rng).unwrap();
    let call = |id: &str| caller.client.call(id).here(world);
    let role = *["owner", "member"].choose(rng).unwrap();
    match rng.random_range(0..9) {
        0 => call("createOrganizationTeam")
            .json(json!({ "title": "Random", "members": [person.id.to_string(), other.id.to_string()] })),
        1 | 2 => {
            let call = call("addMemberToOrganizationTeamById")
                .path("teamId", team)
                .path("userId", person.id);
            call.json(json!({ "role": role }))
        }
        3 => call("deleteMemberFromOrganizationTeamById")
            .path("teamId", team)
            .path("userId", person.id),
        4 | 5 => call("updateMembersInOrganizationTeam")
            .path("teamId", team)
            .json(json!({
                "add": [person.email], "remove": [other.id.to_string()],
                "memberships": { other.id.to_string(): { "role": role } },
            })),
        6 => call("removeTeamFromOrganizationById").path("teamId", team),
        7 => call("removeMemberFromOrganizationById").path("userId", person.id),
        _ => {
            let role = *[Some("admin"), Some("read"), None].choose(rng).unwrap();
            call("updateMemberInOrganizationById")
                .path("userId", person.id)
                .json(json!({ "role": role }))
        }
    }
}

/// Several people at a time do random things; after each round everything is counted again.
async fn random_work_of_several_people_keeps_counters_right(database: TestDatabase) {
    let world = World::new(database).await;
    let people = [
        &world.admin,
        &world.edit,
        &world.read,
        &world.team_owner,
        &world.guest,
        &world.stranger,
    ];
    let mut rng = StdRng::seed_from_u64(2026);
    for round in 0..20 {
        // Whoever left comes back now and then.
        let back = people.choose(&mut rng).unwrap();
        members::add(
            &world.app().kernel,
            world.organization,
            back.id,
            Some(MemberRole::Admin),
        )
        .await
        .unwrap();
        let teams = entity::organizations::teams::Entity::find()
            .all(world.app().kernel.db.read())
            .await
            .unwrap();
        let teams: Vec<String> = teams.iter().map(|team| team.id.to_string()).collect();
        let calls: Vec<Call> = (0..6).map(|_| random_call(&mut rng, &world, &people, &teams)).collect();
        for answer in join_all(calls.into_iter().map(Call::send)).await {
            let status = StatusCode::from_u16(answer.status).unwrap();
            assert!(
                status.is_success() || [400, 403, 404, 409].contains(&answer.status),
                "{}",
                answer.text
            );
        }
        counters_are_right(&world.app().kernel.db, &format!("after round {round}")).await;
        assert!(admins(&world).await > 0, "no admin after round {round}");
    }
}
