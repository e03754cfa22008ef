//! Invitations of existing users who share no organization with the inviter: the users become members when they agree.

use bindery::areas::{identity::users, library::invitations};
use chrono::TimeDelta;
use entity::ids::{OrganizationId, UserId};
use serde_json::{Value, json};

use crate::support::{
    client::{Answer, Call},
    database::{TestDatabase, on_each_database},
    mails::{mail_jobs, mail_of},
    paths::texts,
    recount::counters_are_right,
    world::{DOMAIN, Person, World},
};

on_each_database![
    neither_side_sees_the_other_before_they_agree,
    nobody_is_asked_twice,
    people_of_a_shared_organization_join_at_once,
    an_invitation_ends_with_the_membership,
    those_who_are_asked_may_sign_in_by_sso,
    an_invitation_outlasts_the_ban_on_links,
    the_invitations_of_a_day_are_limited,
    an_invited_address_becomes_its_owner,
];

fn invite_to<'a>(by: &'a Person, organization: OrganizationId, emails: Value) -> Call<'a> {
    let call = by.client.call("inviteUsersToOrganization").within(organization);
    call.json(json!({ "emails": emails, "role": "edit" }))
}

fn invite<'a>(world: &'a World, email: &str) -> Call<'a> {
    invite_to(&world.admin, world.organization, json!([email]))
}

fn join<'a>(who: &'a Person, world: &World, link: &str) -> Call<'a> {
    let call = who.client.call("joinOrganizationWithInvite").here(world);
    call.path("inviteId", link)
}

/// The id of the newest link to the organization.
async fn newest_link(world: &World) -> String {
    let call = world.admin.client.call("listOrganizationInviteLinks").here(world);
    texts(&call.expect(200).await, "/id").swap_remove(0)
}

/// Asks somebody, and answers the id of the link.
async fn ask(world: &World, person: &Person) -> String {
    world.service.advance(TimeDelta::seconds(1));
    assert_eq!(invite(world, &person.email).expect(200).await["invited"], 1);
    newest_link(world).await
}

async fn sees(viewer: &Person, other: UserId) -> u16 {
    let call = viewer.client.call("getUserById").path("userId", other);
    call.send().await.status
}

async fn member(world: &World, user: UserId) -> Answer {
    let call = world.admin.client.call("getMemberInOrganizationById").here(world);
    call.path("userId", user).send().await
}

async fn neither_side_sees_the_other_before_they_agree(database: TestDatabase) {
    let world = World::new(database).await;
    let stranger = &world.stranger;
    world.service.advance(TimeDelta::seconds(1));
    let invited = invite(&world, &stranger.email).expect(200).await;
    assert_eq!(invited, json!({ "users": [], "invited": 1 }));
    assert_eq!(sees(&world.admin, stranger.id).await, 404);
    assert_eq!(sees(stranger, world.admin.id).await, 404);
    assert_eq!(member(&world, stranger.id).await.status, 404);
    let own = stranger.client.call("listOrganizationsForAuthenticatedUser");
    assert_eq!(own.expect(200).await["count"], 0);
    let events = world.admin.client.call("listOrganizationAuditEvents").here(&world);
    let events = events.query("action", "invitations.inviteUsersToOrganization");
    assert!(!events.expect(200).await.to_string().contains(&stranger.id.to_string()));

    let link = newest_link(&world).await;
    let [mail] = &mail_jobs(&world.app().kernel.db).await[..] else {
        panic!("not one mail");
    };
    let mail = mail_of(mail);
    assert_eq!(mail.recipient, stranger.email);
    assert!(mail.body.contains(&link) && mail.body.contains("You are no member until you join"));
    for other in [&world.admin, &world.other_admin] {
        join(other, &world, &link).expect(404).await;
    }
    join(stranger, &world, &link).expect(200).await;
    join(stranger, &world, &link).expect(200).await;
    assert_eq!(member(&world, stranger.id).await.expect(200)["role"], "edit");
    assert_eq!(sees(&world.admin, stranger.id).await, 200);
    assert_eq!(sees(stranger, world.admin.id).await, 200);
    counters_are_right(&world.app().kernel.db, "after joining").await;
}

async fn nobody_is_asked_twice(database: TestDatabase) {
    let world = World::new(database).await;
    let stranger = &world.stranger;
    let link = ask(&world, stranger).await;
    let again = invite(&world, &stranger.email).expect(200).await;
    assert_eq!(again, json!({ "users": [], "invited": 0 }));
    assert_eq!(mail_jobs(&world.app().kernel.db).await.len(), 1);

    let delete = world.admin.client.call("deleteOrganizationInviteById").here(&world);
    delete.path("inviteId", &link).expect(204).await;
    join(stranger, &world, &link).expect(404).await;
    let link = ask(&world, stranger).await;
    world.service.advance(TimeDelta::days(31));
    join(stranger, &world, &link).expect(404).await;
    let link = ask(&world, stranger).await;
    invitations::purge(&world.app().kernel).await.unwrap();
    join(stranger, &world, &link).expect(200).await;
    assert_eq!(mail_jobs(&world.app().kernel.db).await.len(), 3);
}

async fn people_of_a_shared_organization_join_at_once(database: TestDatabase) {
    let world = World::new(database).await;
    let create = world.admin.client.call("createOrganization");
    let other = create.json(json!({ "title": "Harbour" })).expect(201).await;
    let other: OrganizationId = other["id"].as_str().unwrap().parse().unwrap();
    let emails = json!([
        world.read.email,
        world.stranger.email,
        "aiko@x.example",
        world.guest.email
    ]);
    let invited = invite_to(&world.admin, other, emails).expect(200).await;
    assert_eq!(invited["invited"], 4);
    let ids: Vec<&str> = invited["users"]
        .as_array()
        .unwrap()
        .iter()
        .map(|id| id.as_str().unwrap())
        .collect();
    assert_eq!(
        (ids[0], ids[2]),
        (&*world.read.id.to_string(), &*world.guest.id.to_string())
    );
    assert_eq!(ids.len(), 3);
    let list = world.admin.client.call("listMembersInOrganizationById").within(other);
    assert_eq!(list.expect(200).await["count"], 4);
    counters_are_right(&world.app().kernel.db, "after inviting").await;
}

async fn an_invitation_ends_with_the_membership(database: TestDatabase) {
    let world = World::new(database).await;
    let stranger = &world.stranger;
    let personal = ask(&world, stranger).await;
    let open = world.admin.client.call("createOrganizationInvite").here(&world);
    let open = open.json(json!({ "role": "read" })).expect(201).await;
    join(stranger, &world, open["id"].as_str().unwrap()).expect(200).await;
    assert_eq!(member(&world, stranger.id).await.expect(200)["role"], "read");
    // The role of a member is also that of their personal link.
    let update = world.admin.client.call("updateMemberInOrganizationById").here(&world);
    let update = update.path("userId", stranger.id).json(json!({ "role": "comment" }));
    update.expect(200).await;
    join(stranger, &world, &personal).expect(200).await;
    assert_eq!(member(&world, stranger.id).await.expect(200)["role"], "comment");
    let remove = world.admin.client.call("removeMemberFromOrganizationById").here(&world);
    remove.path("userId", stranger.id).expect(204).await;
    join(stranger, &world, &personal).expect(404).await;
    assert_eq!(member(&world, stranger.id).await.status, 404);
}

async fn those_who_are_asked_may_sign_in_by_sso(database: TestDatabase) {
    let world = World::new(database).await;
    let update = world.admin.client.call("updateOrganizationById").here(&world);
    let domain = world.stranger.email.split('@').nth(1).unwrap();
    update
        .json(json!({ "emailDomains": [domain, DOMAIN] }))
        .expect(200)
        .await;
    world.service.advance(TimeDelta::seconds(1));
    let call = world.admin.client.call("inviteUsersToOrganization").here(&world);
    let call = call.json(json!({ "emails": [world.stranger.email], "sso": true }));
    assert_eq!(call.expect(200).await["invited"], 1);
    let link = newest_link(&world).await;
    join(&world.stranger, &world, &link).expect(200).await;
    assert_eq!(member(&world, world.stranger.id).await.expect(200)["sso"], true);
}

async fn an_invitation_outlasts_the_ban_on_links(database: TestDatabase) {
    let world = World::new(database).await;
    let link = ask(&world, &world.stranger).await;
    let update = world.admin.client.call("updateOrganizationById").here(&world);
    update.json(json!({ "inviteLinks": false })).expect(200).await;
    join(&world.stranger, &world, &link).expect(200).await;
}

async fn the_invitations_of_a_day_are_limited(database: TestDatabase) {
    let world = World::with(database, |flags| flags.invitations_per_day = Some("3".to_owned())).await;
    invite_to(
        &world.admin,
        world.organization,
        json!(["a@x.example", world.stranger.email]),
    )
    .expect(200)
    .await;
    let two = || invite_to(&world.admin, world.organization, json!(["b@x.example", "c@x.example"]));
    let refused = two().send().await;
    assert_eq!(refused.expect(429)["error"]["type"], "too-many-requests");
    let wait: u32 = refused.headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=86_400).contains(&wait), "{wait}");
    assert!(
        users::find_by_email(&world.app().kernel, "b@x.example")
            .await
            .unwrap()
            .is_none()
    );
    // Members are not mailed, and another organization has its own limit.
    assert_eq!(invite(&world, &world.read.email).expect(200).await["invited"], 0);
    let elsewhere = invite_to(&world.other_admin, world.other_organization, json!(["d@x.example"]));
    elsewhere.expect(200).await;
    assert_eq!(invite(&world, "e@x.example").expect(200).await["invited"], 1);
    world.service.advance(TimeDelta::seconds(wait.into()));
    assert_eq!(two().expect(200).await["invited"], 2);
    // A user has the limit too, in however many organizations.
    let create = world
        .admin
        .client
        .call("createOrganization")
        .json(json!({ "title": "Another" }));
    let another: OrganizationId = create.expect(201).await["id"].as_str().unwrap().parse().unwrap();
    invite_to(&world.admin, another, json!(["f@x.example"]))
        .expect(200)
        .await;
    let refused = invite_to(&world.admin, another, json!(["g@x.example"])).send().await;
    refused.expect(429);
}

async fn an_invited_address_becomes_its_owner(database: TestDatabase) {
    let world = World::new(database).await;
    let invited = invite(&world, "Aiko@x.example").expect(200).await;
    let id: UserId = invited["users"][0].as_str().unwrap().parse().unwrap();
    let user = users::create(&world.app().identity, "aiko@X.example", "Aiko Tanaka")
        .await
        .unwrap();
    assert_eq!((user.id, user.email_verified), (id, true));
    assert_eq!(
        member(&world, id).await.expect(200)["user"]["displayName"],
        "Aiko Tanaka"
    );
    let search = world.admin.client.call("listMembersInOrganizationById").here(&world);
    assert_eq!(search.query("search", "tanaka").expect(200).await["count"], 1);
    let again = users::create(&world.app().identity, "aiko@x.example", "Somebody")
        .await
        .unwrap_err();
    assert_eq!(again.kind(), openapi::error::ErrorType::EmailTaken);
}
