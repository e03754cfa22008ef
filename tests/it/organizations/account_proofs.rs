//! Proving that an account is one's own, so that an identity provider leads into it.

use bindery::areas::{
    identity::{tokens, users},
    organizations::members,
};
use chrono::TimeDelta;
use entity::{identity::users::Model as User, organizations::sessions};
use reqwest::{Method, Response};
use saml::testing::{FIRST, SECOND};
use sea_orm::{EntityTrait, PaginatorTrait};
use serde_json::{Value, json};

use crate::support::{
    browser::{Browser, between, location},
    database::{TestDatabase, on_each_database},
    mails::{mail_jobs, mail_of},
    saml::{answer_to, create, set_up},
    world::{DOMAIN, Person, World},
};

on_each_database![
    an_account_is_linked_after_a_proof,
    a_member_proves_it_too,
    a_code_is_mailed_to_the_account,
    a_proof_belongs_to_the_browser_and_the_account,
    a_token_of_the_same_sign_in_proves_nothing,
    a_second_provider_of_the_organization_needs_no_proof,
    a_refused_proof_changes_nothing,
    a_removed_member_stays_out,
    an_account_that_others_have_invited_is_proven,
];

/// Somebody with an account and a token, outside of the organization.
async fn outsider(world: &World, name: &str) -> (User, String) {
    let email = format!("{name}@{DOMAIN}");
    let user = users::create(&world.app().identity, &email, name).await.unwrap();
    let token = tokens::create(&world.app().kernel, user.id, "own", None).await.unwrap();
    (user, token.secret)
}

/// Signs in as somebody who has to prove whose the account is. Returns the code.
async fn unproven(browser: &mut Browser, world: &World, provider: &Value, name: &str) -> String {
    let response = browser.sign_in(world, provider, name).await;
    assert_eq!(response.status(), 200);
    let page = response.text().await.unwrap();
    assert!(page.contains("Is this account yours?"), "{page}");
    between(&page, "name=\"code\" value=\"", "\"")
}

async fn an_account_is_linked_after_a_proof(database: TestDatabase) {
    let world = World::new(database).await;
    let more = json!({ "defaultRole": "comment", "defaultTeam": world.team });
    let provider = set_up(&world, more).await;
    let (user, token) = outsider(&world, "mateo").await;
    let mut browser = Browser::new(&world);
    let code = unproven(&mut browser, &world, &provider, "mateo").await;
    browser.page("/account/", 401).await;
    let call = || world.admin.client.call("getMemberInOrganizationById").here(&world);
    call().path("userId", user.id).expect(404).await;
    for wrong in ["", "bnd_x", &world.admin.token] {
        assert_eq!(browser.prove(&code, wrong).await.status(), 403);
    }
    call().path("userId", user.id).expect(404).await;
    let last = browser.prove(&code, &token).await;
    assert_eq!(location(&last), format!("{}/account/", browser.base));
    assert!(browser.page("/account/", 200).await.contains("mateo@tidewater.example"));
    let member = call().path("userId", user.id).expect(200).await;
    assert_eq!(
        (&member["role"], &member["sso"], &member["teams"]),
        (&json!("comment"), &json!(true), &json!(1))
    );
    assert_eq!(browser.prove(&code, &token).await.status(), 400);
    // Once: from now on signing in is enough.
    let mut other = Browser::new(&world);
    location(&other.sign_in(&world, &provider, "mateo").await);
    other.page("/account/", 200).await;
    // Who is removed is not brought back by it.
    let call = world.admin.client.call("removeMemberFromOrganizationById").here(&world);
    call.path("userId", user.id).expect(204).await;
    assert_eq!(other.sign_in(&world, &provider, "mateo").await.status(), 403);
}

async fn a_proof_belongs_to_the_browser_and_the_account(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    let (user, token) = outsider(&world, "mateo").await;
    let (mut browser, mut other) = (Browser::new(&world), Browser::new(&world));
    let code = unproven(&mut browser, &world, &provider, "mateo").await;
    other.begin(&provider).await;
    assert_eq!(other.prove(&code, &token).await.status(), 400);
    assert_eq!(browser.prove("x", &token).await.status(), 400);
    // A code without a proof is not a session.
    assert_ne!(browser.get(&format!("/saml/finish?code={code}")).await.status(), 303);
    let code = unproven(&mut browser, &world, &provider, "mateo").await;
    let kept = browser.cookies.clone();
    world.clock().advance(TimeDelta::minutes(11));
    assert_eq!(browser.prove(&code, &token).await.status(), 400);
    let code = unproven(&mut browser, &world, &provider, "mateo").await;
    assert_ne!(browser.cookies, kept);
    users::set_suspended(&world.app().identity, user.id, true)
        .await
        .unwrap();
    assert_eq!(browser.prove(&code, &token).await.status(), 403);
    users::set_suspended(&world.app().identity, user.id, false)
        .await
        .unwrap();
    members::add(&world.app().kernel, world.organization, user.id, None)
        .await
        .unwrap();
    members::set_disabled(&world.app().kernel, world.organization, user.id, true)
        .await
        .unwrap();
    assert_eq!(browser.prove(&code, &token).await.status(), 400);
    browser.page("/account/", 401).await;
}

/// Whoever runs the provider would get into an account with other organizations.
async fn a_member_proves_it_too(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    let (user, token) = outsider(&world, "mateo").await;
    members::add(&world.app().kernel, world.organization, user.id, None)
        .await
        .unwrap();
    let mut browser = Browser::new(&world);
    let code = unproven(&mut browser, &world, &provider, "mateo").await;
    assert_eq!(
        location(&browser.prove(&code, &token).await),
        format!("{}/account/", browser.base)
    );
    // The tokens that they had go on working: nobody has said that they must sign in.
    let call = world.admin.client.call("getMemberInOrganizationById").here(&world);
    assert_eq!(call.path("userId", user.id).expect(200).await["sso"], false);
    let client = world.nobody().with_token(&token);
    client.call("getOrganizationById").here(&world).expect(200).await;
    let mut other = Browser::new(&world);
    location(&other.sign_in(&world, &provider, "mateo").await);
}

async fn a_code_is_mailed_to_the_account(database: TestDatabase) {
    let world = World::with(database, |flags| {
        flags.mail_from = Some("Bindery <docs@bindery.example>".to_owned());
    })
    .await;
    let provider = set_up(&world, json!({})).await;
    let (user, _) = outsider(&world, "mateo").await;
    let mut browser = Browser::new(&world);
    let code = unproven(&mut browser, &world, &provider, "mateo").await;
    let before = mail_jobs(&world.app().kernel.db).await.len();
    for _ in 0..3 {
        let asked = browser.send(Method::POST, "/saml/mail", &[("code", &code)]).await;
        assert_eq!(asked.status(), 200);
        assert!(
            asked
                .text()
                .await
                .unwrap()
                .contains("A code was mailed to mateo@tidewater.example")
        );
    }
    let jobs = mail_jobs(&world.app().kernel.db).await;
    assert_eq!(jobs.len(), before + 1);
    let mail = mail_of(jobs.last().unwrap());
    assert_eq!(mail.recipient, user.email);
    assert!(mail.body.contains("Tidewater Robotics"), "{}", mail.body);
    let mailed = between(&mail.body, "asked for it:\n\n", "\n");
    // Not more than a few, however often somebody signs in.
    for _ in 0..4 {
        let mut again = Browser::new(&world);
        let code = unproven(&mut again, &world, &provider, "mateo").await;
        again.send(Method::POST, "/saml/mail", &[("code", &code)]).await;
    }
    assert_eq!(mail_jobs(&world.app().kernel.db).await.len(), before + 3);
    // It is of no use in another browser, or for another sign-in.
    let mut other = Browser::new(&world);
    let next = unproven(&mut other, &world, &provider, "mateo").await;
    assert_eq!(other.prove(&code, &mailed).await.status(), 400);
    assert_eq!(other.prove(&next, &mailed).await.status(), 403);
    let mut stranger = Browser::new(&world);
    let refused = stranger.send(Method::POST, "/saml/mail", &[("code", &next)]).await;
    assert_eq!(refused.status(), 400);
    let wrong: String = mailed.chars().rev().collect();
    assert_eq!(browser.prove(&code, &wrong).await.status(), 403);
    location(&browser.prove(&code, &mailed).await);
    assert!(browser.page("/account/", 200).await.contains("mateo@tidewater.example"));
}

async fn a_second_provider_of_the_organization_needs_no_proof(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    let second = create(&world, SECOND.certificate, json!({ "label": "Another" })).await;
    let mut browser = Browser::new(&world);
    location(&browser.sign_in(&world, &provider, "nadia").await);
    let request = browser.begin(&second).await;
    let answer = answer_to(&world, &second, &request, "nadia").signed(SECOND);
    let response = browser.answer(&second, &answer, &request).await;
    browser.follow(&location(&response)).await;
    assert!(browser.page("/account/", 200).await.contains("nadia@tidewater.example"));
}

async fn a_refused_proof_changes_nothing(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    let (user, token) = outsider(&world, "mateo").await;
    members::add(&world.app().kernel, world.organization, user.id, None)
        .await
        .unwrap();
    let mut browser = Browser::new(&world);
    let code = unproven(&mut browser, &world, &provider, "mateo").await;
    members::set_disabled(&world.app().kernel, world.organization, user.id, true)
        .await
        .unwrap();
    assert_eq!(browser.prove(&code, &token).await.status(), 400);
    members::set_disabled(&world.app().kernel, world.organization, user.id, false)
        .await
        .unwrap();
    let client = world.nobody().with_token(&token);
    client.call("getOrganizationById").here(&world).expect(200).await;
    assert_eq!(
        sessions::Entity::find()
            .count(world.app().kernel.db.read())
            .await
            .unwrap(),
        0
    );
}

/// The response to an answer about somebody for whom the provider has no lasting name.
async fn answer_unnamed(browser: &mut Browser, world: &World, provider: &Value) -> Response {
    let request = browser.begin(provider).await;
    let mut answer = answer_to(world, provider, &request, "nadia");
    answer.subject_format = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";
    browser.answer(provider, &answer.signed(FIRST), &request).await
}

/// Signs in as that person. Returns the last response.
async fn sign_in_unnamed(browser: &mut Browser, world: &World, provider: &Value) -> Response {
    let response = answer_unnamed(browser, world, provider).await;
    browser.get(&location(&response)).await
}

/// Neither another name at the provider, nor the domain, nor a link for everybody undoes what an admin has done.
async fn a_removed_member_stays_out(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    let mut browser = Browser::new(&world);
    location(&sign_in_unnamed(&mut browser, &world, &provider).await);
    let call = world.admin.client.call("createOrganizationInvite").here(&world);
    let link = call.json(json!({ "role": "read" })).expect(201).await;
    let email = format!("nadia@{DOMAIN}");
    let user = users::find_by_email(&world.app().kernel, &email)
        .await
        .unwrap()
        .unwrap();
    let own = tokens::create(&world.app().kernel, user.id, "own", None).await.unwrap();
    let client = world.nobody().with_token(&own.secret);
    let call = world.admin.client.call("removeMemberFromOrganizationById").here(&world);
    call.path("userId", user.id).expect(204).await;
    assert_eq!(answer_unnamed(&mut browser, &world, &provider).await.status(), 403);
    client.call("joinOrganization").here(&world).expect(404).await;
    let join = client.call("joinOrganizationWithInvite").here(&world);
    join.path("inviteId", link["id"].as_str().unwrap()).expect(404).await;
    members::add(&world.app().kernel, world.organization, user.id, None)
        .await
        .unwrap();
    // The provider does not lead into the account any more.
    let unproven = sign_in_unnamed(&mut browser, &world, &provider).await;
    assert!(unproven.text().await.unwrap().contains("Is this account yours?"));
    // Whoever leaves may come back.
    let leave = client.call("removeMemberFromOrganizationById").here(&world);
    leave.path("userId", user.id).expect(204).await;
    let join = client.call("joinOrganizationWithInvite").here(&world);
    join.path("inviteId", link["id"].as_str().unwrap()).expect(200).await;
}

async fn a_token_of_the_same_sign_in_proves_nothing(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    let mut browser = Browser::new(&world);
    location(&sign_in_unnamed(&mut browser, &world, &provider).await);
    let token = browser.make_token("Laptop").await;
    let client = world.nobody().with_token(&token);
    let next = client.call("createUserToken").json(json!({ "label": "Next" }));
    let next = next.expect(201).await["token"].as_str().unwrap().to_owned();
    let email = format!("nadia@{DOMAIN}");
    let user = users::find_by_email(&world.app().kernel, &email)
        .await
        .unwrap()
        .unwrap();
    let leave = client.call("removeMemberFromOrganizationById").here(&world);
    leave.path("userId", user.id).expect(204).await;
    // Known by another name since.
    let request = browser.begin(&provider).await;
    let answer = answer_to(&world, &provider, &request, &email);
    let response = browser.answer(&provider, &answer.signed(FIRST), &request).await;
    let page = browser.page(&location(&response), 200).await;
    let code = between(&page, "name=\"code\" value=\"", "\"");
    for theirs in [&token, &next] {
        assert_eq!(browser.prove(&code, theirs).await.status(), 403);
    }
    let other = tokens::create(&world.app().kernel, user.id, "own", None).await.unwrap();
    assert_eq!(browser.prove(&code, &other.secret).await.status(), 303);
}

/// Nobody has proven the address yet, but another organization has let its owner in.
async fn an_account_that_others_have_invited_is_proven(database: TestDatabase) {
    let world = World::with(database, |flags| {
        flags.mail_from = Some("Bindery <docs@bindery.example>".to_owned());
    })
    .await;
    let provider = set_up(&world, json!({})).await;
    let invite = async |organization, by: &Person, email: &str| {
        let call = by.client.call("inviteUsersToOrganization").within(organization);
        call.json(json!({ "emails": [email], "role": "edit" }))
            .expect(200)
            .await
    };
    invite(world.other_organization, &world.other_admin, "mateo@tidewater.example").await;
    let mut browser = Browser::new(&world);
    let code = unproven(&mut browser, &world, &provider, "mateo").await;
    browser.page("/account/", 401).await;
    let asked = browser.send(Method::POST, "/saml/mail", &[("code", &code)]).await;
    assert_eq!(asked.status(), 200);
    let jobs = mail_jobs(&world.app().kernel.db).await;
    let mailed = between(&mail_of(jobs.last().unwrap()).body, "asked for it:\n\n", "\n");
    location(&browser.prove(&code, &mailed).await);
    browser.page("/account/", 200).await;
    let user = users::find_by_email(&world.app().kernel, "mateo@tidewater.example")
        .await
        .unwrap()
        .unwrap();
    assert!(user.email_verified);
    // Whom this organization alone has invited, it lets in.
    invite(world.organization, &world.admin, "nadia@tidewater.example").await;
    let mut other = Browser::new(&world);
    location(&other.sign_in(&world, &provider, "nadia").await);
    other.page("/account/", 200).await;
}
