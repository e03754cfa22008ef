//! Inviting people by email, and the links that are handed around.

use bindery::areas::library::invitations;
use chrono::TimeDelta;
use entity::{identity::users, ids::NodeId, library::invitations::Entity};
use platform::mail::Mail;
use sea_orm::{EntityTrait, PaginatorTrait};
use serde_json::{Value, json};

use crate::support::{
    client::Call,
    database::{TestDatabase, on_each_database},
    mails::{mail_jobs, mail_of},
    paths::{node_id, texts},
    recount::counters_are_right,
    world::{DOMAIN, Person, World},
};

on_each_database![
    people_are_invited_with_a_mail_and_a_link_each,
    members_are_not_invited_again,
    sso_members_have_an_address_of_the_organization,
    one_bad_recipient_refuses_all,
    many_are_invited_at_once,
    links_to_the_organization_are_made_changed_and_deleted,
    links_to_spaces_and_collections_show_them,
    links_have_one_of_three_forms,
    links_need_admin_on_what_they_are_to,
    links_expire,
    links_can_be_forbidden,
    links_share_the_fate_of_what_they_are_to,
];

fn invite<'a>(by: &'a Person, world: &World, body: Value) -> Call<'a> {
    by.client.call("inviteUsersToOrganization").here(world).json(body)
}

fn create<'a>(by: &'a Person, world: &World, body: Value) -> Call<'a> {
    by.client.call("createOrganizationInvite").here(world).json(body)
}

/// One of the operations on a link.
fn on<'a>(by: &'a Person, operation: &str, world: &World, link: &Value) -> Call<'a> {
    let id = link["id"].as_str().unwrap();
    by.client.call(operation).here(world).path("inviteId", id)
}

fn get<'a>(by: &'a Person, world: &World, link: &Value) -> Call<'a> {
    let call = by.client.call("getOrganizationInviteLink").here(world);
    call.path("inviteId", link["id"].as_str().unwrap())
}

async fn list(world: &World) -> Value {
    let call = world.admin.client.call("listOrganizationInviteLinks").here(world);
    call.expect(200).await
}

async fn member(world: &World, user: &Value) -> Value {
    let call = world.admin.client.call("getMemberInOrganizationById").here(world);
    call.path("userId", user.as_str().unwrap()).expect(200).await
}

async fn mails(world: &World) -> Vec<Mail> {
    mail_jobs(&world.app().kernel.db).await.iter().map(mail_of).collect()
}

/// A space at the top level that only its maker sees, and admins.
async fn private_space(by: &Person, world: &World) -> NodeId {
    let call = by.client.call("createSpace").here(world);
    let space = node_id(&call.json(json!({ "title": "Private" })).expect(201).await);
    let call = by.client.call("updateSpaceById").space(space);
    call.json(json!({ "defaultLevel": null })).expect(200).await;
    space
}

async fn update_organization(world: &World, body: Value) {
    let call = world.admin.client.call("updateOrganizationById").here(world);
    call.json(body).expect(200).await;
}

async fn people_are_invited_with_a_mail_and_a_link_each(database: TestDatabase) {
    let world = World::new(database).await;
    world.service.advance(TimeDelta::seconds(1));
    let body = json!({
        "emails": [
            { "email": "Aiko@tidewater.example", "role": "edit" },
            "mateo@elsewhere.example",
            { "email": world.stranger.email, "role": null },
        ],
        "role": "comment",
    });
    let invited = invite(&world.admin, &world, body).expect(200).await;
    assert_eq!(invited["invited"], 3);
    assert_eq!(invited.get("failedSSOEmails"), None);
    let people = invited["users"].as_array().unwrap();
    // The stranger is asked.
    assert_eq!(people.len(), 2);
    for (user, role, name) in [
        (&people[0], json!("edit"), "Aiko"),
        (&people[1], json!("comment"), "mateo"),
    ] {
        let member = member(&world, user).await;
        assert_eq!((&member["role"], &member["sso"]), (&role, &json!(false)));
        assert_eq!(member["user"]["displayName"], name);
    }
    let found = users::Entity::find().all(world.app().kernel.db.read()).await.unwrap();
    let of = |email: &str| found.iter().find(|user| user.email == email).unwrap().email_verified;
    assert!(!of("aiko@tidewater.example") && !of("mateo@elsewhere.example"));
    assert!(of(&world.stranger.email));
    counters_are_right(&world.app().kernel.db, "after inviting").await;

    let links = list(&world).await;
    assert_eq!(links["count"], 4);
    assert_eq!(links["items"][3]["id"], world.own("inviteId"));
    let mails = mails(&world).await;
    let recipients: Vec<&str> = mails.iter().map(|mail| mail.recipient.as_str()).collect();
    let expected = [
        "aiko@tidewater.example",
        "mateo@elsewhere.example",
        &world.stranger.email,
    ];
    assert_eq!(recipients, expected);
    let base = format!("{}/v1/orgs/{}/invites/", world.service.base, world.organization);
    for mail in &mails {
        assert_eq!(mail.subject, "admin invites you to Tidewater Robotics");
        let of_mail = |id: &String| mail.body.contains(&format!("{base}{id}\n"));
        assert_eq!(
            texts(&links, "/id").iter().filter(|id| of_mail(id)).count(),
            1,
            "{}",
            mail.body
        );
        for expected in [
            &mail.recipient,
            &world.admin.email,
            "Tidewater Robotics",
            "21 December 2026",
        ] {
            assert!(mail.body.contains(expected), "no {expected} in {}", mail.body);
        }
    }
}

async fn members_are_not_invited_again(database: TestDatabase) {
    let world = World::new(database).await;
    let body = json!({
        "emails": [{ "email": world.edit.email, "role": "admin" }, world.edit.email.to_uppercase(), "aiko@x.example"],
    });
    let first = invite(&world.admin, &world, body.clone()).expect(200).await;
    assert_eq!(first["invited"], 1);
    assert_eq!(first["users"].as_array().unwrap().len(), 2);
    assert_eq!(first["users"][0], world.edit.id.to_string());
    let again = invite(&world.admin, &world, body).expect(200).await;
    assert_eq!((&again["invited"], &again["users"]), (&json!(0), &first["users"]));
    assert_eq!(member(&world, &first["users"][0]).await["role"], "edit");
    assert_eq!(member(&world, &first["users"][1]).await["role"], Value::Null);
    assert_eq!(mails(&world).await.len(), 1);
    assert_eq!(list(&world).await["count"], 2);
    let nobody = invite(&world.admin, &world, json!({ "emails": [] })).expect(200).await;
    assert_eq!(nobody, json!({ "users": [], "invited": 0 }));
}

async fn sso_members_have_an_address_of_the_organization(database: TestDatabase) {
    let world = World::new(database).await;
    update_organization(&world, json!({ "emailDomains": ["second.example", DOMAIN] })).await;
    let emails = ["aiko@Tidewater.example", "Noor@harbour.example", &world.read.email];
    let body = json!({ "emails": emails, "sso": true });
    let invited = invite(&world.admin, &world, body).expect(200).await;
    assert_eq!(invited["invited"], 1);
    assert_eq!(invited["failedSSOEmails"], json!(["Noor@harbour.example"]));
    assert_eq!(invited["users"].as_array().unwrap().len(), 2);
    for user in invited["users"].as_array().unwrap() {
        assert_eq!(member(&world, user).await["sso"], true);
    }
    let all = users::Entity::find().all(world.app().kernel.db.read()).await.unwrap();
    assert!(all.iter().all(|user| user.email != "noor@harbour.example"));
}

async fn one_bad_recipient_refuses_all(database: TestDatabase) {
    let world = World::new(database).await;
    let before = users::Entity::find().count(world.app().kernel.db.read()).await.unwrap();
    let king = json!({ "email": "mateo@x.example", "role": "king" });
    let body = json!({ "emails": ["aiko@tidewater.example", "nobody", king, "aiko@tide\u{200B}water.example"] });
    let answer = invite(&world.admin, &world, body).send().await;
    answer.has_detail("/body/emails/1", "format");
    answer.has_detail("/body/emails/2/role", "enum");
    answer.has_detail("/body/emails/3", "format");
    // Grows in lower case, beyond what can be stored.
    let long = format!("{}@{}.example", "a".repeat(64), "İ".repeat(240));
    invite(&world.admin, &world, json!({ "emails": [long] }))
        .expect(400)
        .await;
    assert_eq!(
        users::Entity::find().count(world.app().kernel.db.read()).await.unwrap(),
        before
    );
    assert_eq!(mails(&world).await.len(), 0);
}

async fn many_are_invited_at_once(database: TestDatabase) {
    let world = World::new(database).await;
    let emails: Vec<String> = (0..100).map(|number| format!("person-{number}@x.example")).collect();
    let before = world.app().kernel.db.statements();
    let body = json!({ "emails": emails });
    let invited = invite(&world.admin, &world, body).expect(200).await;
    let taken = world.app().kernel.db.statements() - before;
    assert_eq!(invited["invited"], 100);
    assert!(taken < 22, "{taken} statements");
    assert_eq!(mails(&world).await.len(), 100);
    counters_are_right(&world.app().kernel.db, "after inviting").await;
}

async fn links_to_the_organization_are_made_changed_and_deleted(database: TestDatabase) {
    let world = World::new(database).await;
    world.service.advance(TimeDelta::seconds(1));
    let link = create(&world.admin, &world, json!({ "role": "edit" }))
        .expect(201)
        .await;
    let id = link["id"].as_str().unwrap();
    assert_eq!(
        link,
        json!({ "object": "invite", "id": id, "role": "edit", "redundant": true })
    );
    assert_eq!(get(&world.admin, &world, &link).expect(200).await, link);
    let links = list(&world).await;
    assert_eq!((&links["count"], &links["items"][0]), (&json!(2), &link));
    let update = |body| on(&world.admin, "updateOrganizationInviteById", &world, &link).json(body);
    let changed = update(json!({ "role": null })).expect(200).await;
    assert_eq!(changed["role"], Value::Null);
    assert_eq!(get(&world.admin, &world, &link).expect(200).await, changed);
    for body in [json!({}), json!({ "role": "read", "level": "read" })] {
        update(body).send().await.has_detail("/body", "exclusive");
    }
    let other = update(json!({ "level": "read" })).send().await;
    other.has_detail("/body", "form");
    let call = world.admin.client.call("deleteOrganizationInviteById").here(&world);
    call.path("inviteId", id).expect(204).await;
    get(&world.admin, &world, &link).expect(404).await;
    update(json!({ "role": "read" })).expect(404).await;
    on(&world.admin, "deleteOrganizationInviteById", &world, &link)
        .expect(204)
        .await;
    assert_eq!(list(&world).await["count"], 1);
}

async fn links_to_spaces_and_collections_show_them(database: TestDatabase) {
    let world = World::new(database).await;
    for (kind, id, read) in [
        ("space", world.space, "getSpaceById"),
        ("collection", world.collection, "getCollectionById"),
    ] {
        let body = json!({ "level": "comment", kind: id });
        let link = create(&world.admin, &world, body).expect(201).await;
        assert_eq!((&link["level"], link.get("role")), (&json!("comment"), None));
        let shown = world
            .admin
            .client
            .call(read)
            .path(&format!("{kind}Id"), id)
            .expect(200)
            .await;
        assert_eq!(link[kind], shown);
        assert_eq!(get(&world.admin, &world, &link).expect(200).await, link);
        let update = |body| on(&world.admin, "updateOrganizationInviteById", &world, &link).json(body);
        assert_eq!(update(json!({ "level": null })).expect(200).await["level"], Value::Null);
        update(json!({ "role": "read" }))
            .send()
            .await
            .has_detail("/body", "form");
        let by_other = on(&world.other_admin, "getOrganizationInviteLink", &world, &link);
        by_other.expect(404).await;
    }
    // They are not listed among those to the organization.
    assert_eq!(list(&world).await["count"], 1);
}

async fn links_have_one_of_three_forms(database: TestDatabase) {
    let world = World::new(database).await;
    let (space, collection) = (world.space, world.collection);
    for (body, pointer, code) in [
        (json!({}), "/body", "exclusive"),
        (json!({ "level": "read" }), "/body", "exclusive"),
        (json!({ "role": "read", "space": space }), "/body", "exclusive"),
        (
            json!({ "level": "read", "space": space, "collection": collection }),
            "/body",
            "exclusive",
        ),
        (
            json!({ "role": "read", "level": "read", "space": space }),
            "/body",
            "exclusive",
        ),
        (
            json!({ "role": "read", "level": "read" }),
            "/body/level",
            "unknown-member",
        ),
        (json!({ "space": space }), "/body/level", "required"),
    ] {
        let answer = create(&world.admin, &world, body).send().await;
        answer.has_detail(pointer, code);
        assert_eq!(answer.details().len(), 1, "{}", answer.text);
    }
    for body in [
        json!({ "level": "read", "space": "x" }),
        json!({ "level": "read", "space": collection }),
        json!({ "level": "read", "collection": space }),
        json!({ "level": "read", "space": world.other_space }),
        json!({ "level": "read", "collection": world.other_collection }),
    ] {
        create(&world.admin, &world, body).expect(404).await;
    }
}

async fn links_need_admin_on_what_they_are_to(database: TestDatabase) {
    let world = World::new(database).await;
    let of_role = create(&world.admin, &world, json!({ "role": null })).expect(201).await;
    // Whoever makes a space administers it, and can invite to it.
    let space = private_space(&world.create, &world).await;
    let body = json!({ "level": "admin", "space": space });
    let of_space = create(&world.create, &world, body.clone()).expect(201).await;
    assert_eq!(of_space["redundant"], true);
    assert_eq!(of_space["space"]["permissions"]["admin"], true);
    let share = world.create.client.call("updateSpaceById").space(space);
    share.json(json!({ "defaultLevel": "inherit" })).expect(200).await;

    create(&world.create, &world, json!({ "role": null })).expect(403).await;
    create(&world.review, &world, body.clone()).expect(403).await;
    create(&world.guest, &world, body).expect(404).await;
    let operations = |by, link| {
        let world = &world;
        [
            get(by, world, link),
            on(by, "updateOrganizationInviteById", world, link).json(json!({ "level": "read" })),
            on(by, "deleteOrganizationInviteById", world, link),
        ]
    };
    for (by, link, expected) in [
        (&world.create, &of_role, [403, 403, 403]),
        (&world.review, &of_space, [403, 403, 403]),
        (&world.guest, &of_space, [404, 404, 204]),
        (&world.other_admin, &of_space, [404, 404, 404]),
        (&world.create, &of_space, [200, 200, 204]),
    ] {
        for (call, status) in operations(by, link).into_iter().zip(expected) {
            call.expect(status).await;
        }
    }
    let list = world.create.client.call("listOrganizationInviteLinks").here(&world);
    list.expect(403).await;
}

async fn links_expire(database: TestDatabase) {
    let world = World::new(database).await;
    let link = create(&world.admin, &world, json!({ "role": "read" }))
        .expect(201)
        .await;
    world.service.advance(TimeDelta::days(30) - TimeDelta::milliseconds(1));
    get(&world.admin, &world, &link).expect(200).await;
    // The link of the world is a second older.
    assert_eq!(list(&world).await["count"], 1);
    let young = create(&world.admin, &world, json!({ "role": "read" }))
        .expect(201)
        .await;
    world.service.advance(TimeDelta::milliseconds(1));
    get(&world.admin, &world, &link).expect(404).await;
    let update = on(&world.admin, "updateOrganizationInviteById", &world, &link);
    update.json(json!({ "role": "edit" })).expect(404).await;
    on(&world.stranger, "joinOrganizationWithInvite", &world, &link)
        .expect(404)
        .await;
    on(&world.admin, "deleteOrganizationInviteById", &world, &link)
        .expect(204)
        .await;
    let links = list(&world).await;
    assert_eq!((&links["count"], &links["items"]), (&json!(1), &json!([young])));
    invitations::purge(&world.app().kernel).await.unwrap();
    assert_eq!(Entity::find().count(world.app().kernel.db.read()).await.unwrap(), 1);
}

async fn links_can_be_forbidden(database: TestDatabase) {
    let world = World::new(database).await;
    let link = create(&world.admin, &world, json!({ "role": "read" }))
        .expect(201)
        .await;
    update_organization(&world, json!({ "inviteLinks": false })).await;
    let refused = create(&world.admin, &world, json!({ "role": "read" }))
        .expect(412)
        .await;
    assert_eq!(refused["error"]["type"], "invite-links-off");
    let body = json!({ "level": "read", "space": world.space });
    create(&world.admin, &world, body).expect(412).await;
    let join = || on(&world.stranger, "joinOrganizationWithInvite", &world, &link);
    assert_eq!(join().expect(412).await["error"]["type"], "invite-links-off");
    // What is not there is not there first.
    let call = world.admin.client.call("joinOrganizationWithInvite").here(&world);
    call.path("inviteId", world.foreign("inviteId")).expect(404).await;
    assert_eq!(list(&world).await["count"], 2);
    get(&world.admin, &world, &link).expect(200).await;
    invite(&world.admin, &world, json!({ "emails": ["aiko@x.example"] }))
        .expect(200)
        .await;
    update_organization(&world, json!({ "inviteLinks": true })).await;
    join().expect(200).await;
    update_organization(&world, json!({ "inviteLinks": false })).await;
    on(&world.admin, "deleteOrganizationInviteById", &world, &link)
        .expect(204)
        .await;
}

async fn links_share_the_fate_of_what_they_are_to(database: TestDatabase) {
    let world = World::new(database).await;
    let body = json!({ "level": "read", "space": world.space });
    let link = create(&world.admin, &world, body.clone()).expect(201).await;
    let join = || on(&world.stranger, "joinOrganizationWithInvite", &world, &link);
    let delete = world.admin.client.call("deleteSpaceById").space(world.space);
    delete.expect(204).await;
    get(&world.admin, &world, &link).expect(404).await;
    join().expect(404).await;
    create(&world.admin, &world, body).expect(404).await;
    let restore = world.admin.client.call("restoreSpace").space(world.space);
    restore.expect(200).await;
    join().expect(200).await;

    // The new organization is none of the business of people who were invited to the old one.
    let organization = bindery::areas::organizations::organizations::create(&world.app().kernel, world.admin.id, "New")
        .await
        .unwrap()
        .id;
    let transfer = world.admin.client.call("transferSpace").space(world.space);
    transfer.json(json!({ "organization": organization })).expect(200).await;
    get(&world.admin, &world, &link).expect(404).await;
    let call = world
        .stranger
        .client
        .call("joinOrganizationWithInvite")
        .within(organization);
    call.path("inviteId", link["id"].as_str().unwrap()).expect(404).await;
}
