//! Becoming a member by a link, or by the domain of one's address.

use bindery::areas::{
    identity::{tokens, users},
    organizations::members,
};
use chrono::TimeDelta;
use entity::{
    identity::users::ActiveModel,
    ids::{OrganizationId, UserId},
    organizations::audit_events,
};
use futures_util::future::join_all;
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder};
use serde_json::{Value, json};

use crate::support::{
    client::{Call, Client},
    database::{TestDatabase, on_each_database},
    mails::mail_jobs,
    recount::counters_are_right,
    world::{Person, World},
};

on_each_database![
    an_invitation_link_gives_its_role,
    a_link_never_takes_anything_away,
    links_to_spaces_make_guests_with_a_level_on_them,
    personal_invites_are_for_one_person,
    a_personal_invite_gives_no_role_back,
    those_who_are_shut_out_stay_out,
    a_verified_address_of_a_domain_joins,
    joining_is_an_event,
    several_join_by_one_link_at_once,
    one_person_joins_in_many_ways_at_once,
    one_person_is_invited_by_many_at_once,
    links_go_while_others_use_them,
];

const ROUNDS: usize = 5;

async fn link(world: &World, body: Value) -> String {
    let call = world.admin.client.call("createOrganizationInvite").here(world);
    let link = call.json(body).expect(201).await;
    link["id"].as_str().unwrap().to_owned()
}

fn join<'a>(who: &'a Client, world: &World, link: &str) -> Call<'a> {
    let call = who.call("joinOrganizationWithInvite").here(world);
    call.path("inviteId", link)
}

fn join_by_domain<'a>(who: &'a Client, world: &World) -> Call<'a> {
    who.call("joinOrganization").here(world)
}

fn invite<'a>(by: &'a Person, organization: OrganizationId, body: &Value) -> Call<'a> {
    let call = by.client.call("inviteUsersToOrganization").within(organization);
    call.json(body.clone())
}

/// The role of a member; none is nobody.
async fn role(world: &World, user: UserId) -> Option<Value> {
    let call = world.admin.client.call("getMemberInOrganizationById").here(world);
    let answer = call.path("userId", user).send().await;
    (answer.status == 200).then(|| answer.expect(200)["role"].clone())
}

async fn set_role(world: &World, user: UserId, role: Option<&str>) {
    let call = world.admin.client.call("updateMemberInOrganizationById").here(world);
    call.path("userId", user)
        .json(json!({ "role": role }))
        .expect(200)
        .await;
}

async fn update_organization(world: &World, body: Value) {
    let call = world.admin.client.call("updateOrganizationById").here(world);
    call.json(body).expect(200).await;
}

/// Somebody who belongs nowhere.
async fn newcomer(world: &World, email: &str) -> (UserId, Client) {
    let user = users::create(&world.app().identity, email, "Newcomer").await.unwrap();
    (user.id, client_of(world, user.id).await)
}

async fn client_of(world: &World, user: UserId) -> Client {
    let token = tokens::create(&world.app().kernel, user, "test", None).await.unwrap();
    world.nobody().with_token(&token.secret)
}

/// The level on a space that its permissions say.
async fn space_level(who: &Client, world: &World) -> Option<&'static str> {
    let answer = who.call("getSpaceById").space(world.space).send().await;
    if answer.status == 404 {
        return None;
    }
    let permissions = &answer.expect(200)["permissions"];
    let highest = [
        ("admin", "admin"),
        ("review", "review"),
        ("edit", "edit"),
        ("comment", "comment"),
    ];
    let found = highest.into_iter().find(|(name, _)| permissions[name] == true);
    Some(found.map_or("read", |(_, level)| level))
}

async fn an_invitation_link_gives_its_role(database: TestDatabase) {
    let world = World::new(database).await;
    let stranger = &world.stranger;
    let (edit, guest) = (
        link(&world, json!({ "role": "edit" })).await,
        link(&world, json!({ "role": null })).await,
    );
    join(&world.nobody(), &world, &edit).expect(401).await;
    for id in ["x", &world.foreign("inviteId"), &world.organization.to_string()] {
        join(&stranger.client, &world, id).expect(404).await;
    }
    let elsewhere = stranger
        .client
        .call("joinOrganizationWithInvite")
        .within(world.other_organization);
    elsewhere.path("inviteId", &edit).expect(404).await;
    assert_eq!(role(&world, stranger.id).await, None);
    let joined = stranger
        .client
        .call("joinOrganizationWithInvite")
        .here(&world)
        .path("inviteId", &edit);
    assert_eq!(joined.expect(200).await, json!({}));
    assert_eq!(role(&world, stranger.id).await, Some(json!("edit")));
    for again in [&edit, &guest] {
        join(&stranger.client, &world, again).expect(200).await;
        assert_eq!(role(&world, stranger.id).await, Some(json!("edit")));
    }
    let (user, client) = newcomer(&world, "noor@harbour.example").await;
    join(&client, &world, &guest).expect(200).await;
    assert_eq!(role(&world, user).await, Some(Value::Null));
    counters_are_right(&world.app().kernel.db, "after joining").await;
}

async fn a_link_never_takes_anything_away(database: TestDatabase) {
    let world = World::new(database).await;
    let review = link(&world, json!({ "role": "review" })).await;
    for (person, expected) in [
        (&world.guest, "review"),
        (&world.comment, "review"),
        (&world.review, "review"),
        (&world.create, "create"),
        (&world.admin, "admin"),
    ] {
        join(&person.client, &world, &review).expect(200).await;
        assert_eq!(role(&world, person.id).await, Some(json!(expected)));
    }
    let lower = world.admin.client.call("updateOrganizationInviteById").here(&world);
    let lower = lower.path("inviteId", &review).json(json!({ "role": "read" }));
    lower.expect(200).await;
    join(&world.comment.client, &world, &review).expect(200).await;
    assert_eq!(role(&world, world.comment.id).await, Some(json!("review")));
    counters_are_right(&world.app().kernel.db, "after joining").await;
}

async fn links_to_spaces_make_guests_with_a_level_on_them(database: TestDatabase) {
    let world = World::new(database).await;
    let (space, nothing) = (
        link(&world, json!({ "level": "edit", "space": world.space })).await,
        link(&world, json!({ "level": null, "space": world.space })).await,
    );
    let (user, client) = newcomer(&world, "noor@harbour.example").await;
    join(&client, &world, &nothing).expect(200).await;
    assert_eq!(
        (role(&world, user).await, space_level(&client, &world).await),
        (Some(Value::Null), None)
    );
    for again in [&space, &space, &nothing] {
        join(&client, &world, again).expect(200).await;
        assert_eq!(role(&world, user).await, Some(Value::Null));
        assert_eq!(space_level(&client, &world).await, Some("edit"));
    }
    let collection = client.call("getCollectionById").collection(world.collection);
    collection.expect(404).await;
    // Members keep their roles, and the level they have if it is higher.
    for (person, level) in [
        (&world.read, "edit"),
        (&world.review, "review"),
        (&world.admin, "admin"),
    ] {
        let before = role(&world, person.id).await;
        join(&person.client, &world, &space).expect(200).await;
        assert_eq!(space_level(&person.client, &world).await, Some(level));
        assert_eq!(role(&world, person.id).await, before);
    }
    let given = entity::library::permissions::Entity::find()
        .count(world.app().kernel.db.read())
        .await
        .unwrap();
    assert_eq!(given, 2);
    // What a collection gives reaches what it holds; a higher link raises a level that was given.
    let whole = link(&world, json!({ "level": "review", "collection": world.collection })).await;
    join(&client, &world, &whole).expect(200).await;
    assert_eq!(space_level(&client, &world).await, Some("review"));
    let more = link(&world, json!({ "level": "admin", "space": world.space })).await;
    join(&client, &world, &more).expect(200).await;
    assert_eq!(space_level(&client, &world).await, Some("admin"));
    counters_are_right(&world.app().kernel.db, "after joining").await;
}

/// Invites somebody by email and answers the id of the personal invite.
async fn personal(world: &World, email: &str, role: &str) -> String {
    // So that it is the newest.
    world.service.advance(TimeDelta::seconds(1));
    let call = world.admin.client.call("inviteUsersToOrganization").here(world);
    call.json(json!({ "emails": [email], "role": role })).expect(200).await;
    let call = world.admin.client.call("listOrganizationInviteLinks").here(world);
    let links = call.expect(200).await;
    links["items"][0]["id"].as_str().unwrap().to_owned()
}

async fn personal_invites_are_for_one_person(database: TestDatabase) {
    let world = World::new(database).await;
    let stranger = &world.stranger;
    let invite = personal(&world, &stranger.email, "edit").await;
    for other in [&world.guest, &world.admin, &world.other_admin] {
        join(&other.client, &world, &invite).expect(404).await;
    }
    join(&stranger.client, &world, &invite).expect(200).await;
    assert_eq!(role(&world, stranger.id).await, Some(json!("edit")));
    let delete = world.admin.client.call("removeMemberFromOrganizationById").here(&world);
    delete.path("userId", stranger.id).expect(204).await;
    join(&stranger.client, &world, &invite).expect(404).await;
    let call = world.admin.client.call("listOrganizationInviteLinks").here(&world);
    assert_eq!(call.expect(200).await["count"], 1);
    // Whoever was removed can be invited again.
    let invite = personal(&world, &stranger.email, "read").await;
    join(&stranger.client, &world, &invite).expect(200).await;
    assert_eq!(role(&world, stranger.id).await, Some(json!("read")));
}

async fn a_personal_invite_gives_no_role_back(database: TestDatabase) {
    let world = World::new(database).await;
    let stranger = &world.stranger;
    let invite = personal(&world, &stranger.email, "admin").await;
    join(&stranger.client, &world, &invite).expect(200).await;
    for lower in [Some("read"), None] {
        set_role(&world, stranger.id, lower).await;
        join(&stranger.client, &world, &invite).expect(200).await;
        assert_eq!(role(&world, stranger.id).await, Some(json!(lower)));
    }
}

async fn those_who_are_shut_out_stay_out(database: TestDatabase) {
    let world = World::new(database).await;
    let admin = link(&world, json!({ "role": "admin" })).await;
    update_organization(&world, json!({ "emailDomains": ["tidewater.example"] })).await;
    members::set_disabled(&world.app().kernel, world.organization, world.read.id, true)
        .await
        .unwrap();
    join(&world.read.client, &world, &admin).expect(404).await;
    join_by_domain(&world.read.client, &world).expect(404).await;
    let call = world.admin.client.call("inviteUsersToOrganization").here(&world);
    let again = call.json(json!({ "emails": [world.read.email], "role": "admin" }));
    assert_eq!(again.expect(200).await["invited"], 0);
    let call = world.admin.client.call("getMemberInOrganizationById").here(&world);
    let member = call.path("userId", world.read.id).expect(200).await;
    assert_eq!((&member["disabled"], &member["role"]), (&json!(true), &json!("read")));
}

async fn a_verified_address_of_a_domain_joins(database: TestDatabase) {
    let world = World::new(database).await;
    let stranger = &world.stranger;
    // Nobody outside learns which organizations exist.
    join_by_domain(&stranger.client, &world).expect(404).await;
    for none in ["x", &world.own("inviteId")] {
        let call = stranger.client.call("joinOrganization").path("organizationId", none);
        call.expect(404).await;
    }
    let domains = json!({ "emailDomains": ["other.example", "Nowhere.example"], "defaultRole": "comment" });
    update_organization(&world, domains).await;
    world.verify_domain("nowhere.example").await;
    let call = stranger.client.call("joinOrganization").here(&world);
    call.expect(204).await;
    assert_eq!(role(&world, stranger.id).await, Some(json!("comment")));
    // Again, and for those who are in anyway, it changes nothing.
    update_organization(&world, json!({ "defaultRole": "admin" })).await;
    for person in [stranger, &world.guest] {
        let before = role(&world, person.id).await;
        join_by_domain(&person.client, &world).expect(204).await;
        assert_eq!(role(&world, person.id).await, before);
    }
    let (user, client) = newcomer(&world, "noor@nowhere.example").await;
    let unverified = ActiveModel {
        id: Set(user),
        email_verified: Set(false),
        ..Default::default()
    };
    let work = move |tx| async move { unverified.update(&tx).await };
    world.app().kernel.db.write(work).await.unwrap();
    join_by_domain(&client, &world).expect(404).await;
    let (_, client) = newcomer(&world, "noor@sub.nowhere.example").await;
    join_by_domain(&client, &world).expect(404).await;
    // Whoever was invited has not shown yet that the address is theirs.
    update_organization(&world, json!({ "emailDomains": ["x.example"] })).await;
    world.verify_domain("x.example").await;
    let call = world.other_admin.client.call("inviteUsersToOrganization");
    let call = call
        .within(world.other_organization)
        .json(json!({ "emails": ["aiko@x.example"] }));
    let invited: UserId = call.expect(200).await["users"][0].as_str().unwrap().parse().unwrap();
    let client = client_of(&world, invited).await;
    join_by_domain(&client, &world).expect(404).await;
    counters_are_right(&world.app().kernel.db, "after joining").await;
}

async fn joining_is_an_event(database: TestDatabase) {
    let world = World::new(database).await;
    let role = link(&world, json!({ "role": "read" })).await;
    let level = link(&world, json!({ "level": "edit", "space": world.space })).await;
    for link in [&role, &role, &level, &level] {
        join(&world.stranger.client, &world, link).expect(200).await;
    }
    let events = audit_events::Entity::find()
        .filter(audit_events::Column::Action.eq("invitations.joinOrganizationWithInvite"))
        .order_by_asc(audit_events::Column::Id)
        .all(world.app().kernel.db.read());
    let events = events.await.unwrap();
    let payloads: Vec<&Value> = events.iter().map(|event| &event.payload).collect();
    let expected = [
        json!({ "role": "read" }),
        json!({ "space": world.space, "level": "edit" }),
    ];
    assert_eq!(payloads, [&expected[0], &expected[1]]);
    for event in &events {
        assert_eq!(event.organization_id, Some(world.organization));
        assert_eq!(
            (&event.actor_id, &event.target_id),
            (&world.stranger.id.to_string(), &event.actor_id)
        );
    }
}

async fn several_join_by_one_link_at_once(database: TestDatabase) {
    let world = World::new(database).await;
    let space = link(&world, json!({ "level": "edit", "space": world.space })).await;
    let mut people = Vec::new();
    for number in 0..8 {
        people.push(newcomer(&world, &format!("person-{number}@harbour.example")).await);
    }
    join_all(
        people
            .iter()
            .map(|(_, client)| join(client, &world, &space).expect(200)),
    )
    .await;
    for (user, client) in &people {
        assert_eq!(role(&world, *user).await, Some(Value::Null));
        assert_eq!(space_level(client, &world).await, Some("edit"));
    }
    counters_are_right(&world.app().kernel.db, "after joining").await;
}

async fn one_person_joins_in_many_ways_at_once(database: TestDatabase) {
    let world = World::new(database).await;
    let domains = json!({ "emailDomains": ["harbour.example"], "defaultRole": "read" });
    update_organization(&world, domains).await;
    world.verify_domain("harbour.example").await;
    let links = [
        link(&world, json!({ "role": "comment" })).await,
        link(&world, json!({ "role": "review" })).await,
        link(&world, json!({ "level": "admin", "space": world.space })).await,
    ];
    for round in 0..ROUNDS {
        let (user, client) = newcomer(&world, &format!("person-{round}@harbour.example")).await;
        let by_link = join_all(
            links
                .iter()
                .chain(&links)
                .map(|link| join(&client, &world, link).expect(200)),
        );
        tokio::join!(by_link, join_by_domain(&client, &world).expect(204));
        assert_eq!(role(&world, user).await, Some(json!("review")), "round {round}");
        assert_eq!(space_level(&client, &world).await, Some("admin"), "round {round}");
        counters_are_right(&world.app().kernel.db, &format!("after round {round}")).await;
    }
}

async fn one_person_is_invited_by_many_at_once(database: TestDatabase) {
    let world = World::new(database).await;
    for round in 0..ROUNDS {
        let body = json!({ "emails": [format!("a-{round}@x.example"), format!("b-{round}@x.example")] });
        let here = join_all((0..4).map(|_| invite(&world.admin, world.organization, &body).expect(200)));
        let there = join_all((0..4).map(|_| invite(&world.other_admin, world.other_organization, &body).expect(200)));
        let (here, there) = tokio::join!(here, there);
        for answers in [&here, &there] {
            let invited: u64 = answers.iter().map(|answer| answer["invited"].as_u64().unwrap()).sum();
            assert_eq!(invited, 2, "round {round}");
        }
        // Who is new in one organization is asked in the other.
        let users = |answers: &[Value]| {
            answers
                .iter()
                .map(|answer| answer["users"].as_array().unwrap().len())
                .collect()
        };
        let (here, there): (Vec<usize>, Vec<usize>) = (users(&here), users(&there));
        assert!(
            [[2, 0], [0, 2]]
                .iter()
                .any(|[h, t]| here == [*h; 4] && there == [*t; 4]),
            "{here:?}, {there:?}"
        );
        counters_are_right(&world.app().kernel.db, &format!("after round {round}")).await;
    }
    assert_eq!(mail_jobs(&world.app().kernel.db).await.len(), 4 * ROUNDS);
}

async fn links_go_while_others_use_them(database: TestDatabase) {
    let world = World::new(database).await;
    for round in 0..ROUNDS {
        let (user, client) = newcomer(&world, &format!("person-{round}@harbour.example")).await;
        let invite = link(&world, json!({ "role": "edit" })).await;
        let delete = world.admin.client.call("deleteOrganizationInviteById").here(&world);
        let delete = delete.path("inviteId", &invite);
        let lower = world.admin.client.call("updateOrganizationInviteById").here(&world);
        let lower = lower.path("inviteId", &invite).json(json!({ "role": "read" }));
        let (joined, deleted, lowered) =
            tokio::join!(join(&client, &world, &invite).send(), delete.send(), lower.send(),);
        assert_eq!(deleted.status, 204, "round {round}");
        assert!([200, 404].contains(&lowered.status), "{}", lowered.text);
        let role = role(&world, user).await;
        match joined.status {
            200 => assert!([Some(json!("edit")), Some(json!("read"))].contains(&role), "{role:?}"),
            404 => assert_eq!(role, None),
            other => panic!("{other}: {}", joined.text),
        }
        counters_are_right(&world.app().kernel.db, &format!("after round {round}")).await;
    }
}
