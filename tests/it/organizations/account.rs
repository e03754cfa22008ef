//! The page of an account: the way to sign in, joining organizations, and proving whose an account is.

use bindery::areas::{
    identity::{tokens, users},
    organizations::members,
};
use chrono::TimeDelta;
use entity::{ids::OrganizationId, saml_providers::requests, sessions, users::Model as User};
use reqwest::{Method, Response};
use saml::testing::FIRST;
use sea_orm::{EntityTrait, PaginatorTrait};
use serde_json::{Value, json};

use super::browser::{Browser, answer_to, between, location, set_up};
use crate::support::{
    database::{TestDatabase, on_each_database},
    world::{DOMAIN, World},
};

on_each_database![
    people_find_their_provider,
    an_unknown_address_is_answered_as_any_other,
    anybody_may_begin_and_nothing_is_stored,
    requests_are_made_by_this_server_for_this_provider,
    people_join_by_link_and_by_domain,
    an_account_is_linked_after_a_proof,
    a_proof_belongs_to_the_browser_and_the_account,
    a_token_of_the_same_sign_in_proves_nothing,
    whoever_was_removed_stays_out,
];

async fn ways_in(browser: &mut Browser, who: &str) -> String {
    let response = browser.send(Method::POST, "/account/sign-in", &[("who", who)]).await;
    assert_eq!(response.status(), 200, "{who}");
    response.text().await.unwrap()
}

async fn people_find_their_provider(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    let call = world.admin.client.call("updateOrganizationById").here(&world);
    call.json(json!({ "hostname": "tidewater" })).expect(200).await;
    let mut browser = Browser::new(&world);
    let start = provider["service"]["startURL"].as_str().unwrap();
    let organization = world.organization.to_string();
    // Whether somebody has that address makes no difference.
    let addresses = [
        world.admin.email.as_str(),
        "nobody.at.all@tidewater.example",
        " Nobody@TIDEWATER.example ",
    ];
    for who in addresses.into_iter().chain(["tidewater", &organization]) {
        assert!(ways_in(&mut browser, who).await.contains(start), "{who}");
    }
    assert_eq!(
        ways_in(&mut browser, addresses[0]).await,
        ways_in(&mut browser, addresses[1]).await
    );
}

async fn an_unknown_address_is_answered_as_any_other(database: TestDatabase) {
    let world = World::new(database).await;
    set_up(&world, json!({})).await;
    let mut browser = Browser::new(&world);
    let unknown = ways_in(&mut browser, "someone@elsewhere.example").await;
    let nothing = OrganizationId::from(uuid::Uuid::nil()).to_string();
    let long = "x".repeat(1000);
    for who in ["", "@", "unknown", "<b>", &nothing, &world.other_admin.email, &long] {
        assert_eq!(ways_in(&mut browser, who).await, unknown, "{who}");
    }
}

async fn anybody_may_begin_and_nothing_is_stored(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    for _ in 0..20 {
        Browser::new(&world).begin(&provider).await;
    }
    let stored = requests::Entity::find().count(world.app().db.read()).await.unwrap();
    assert_eq!(stored, 0);
}

async fn requests_are_made_by_this_server_for_this_provider(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    let mut browser = Browser::new(&world);
    let name = browser.begin(&provider).await;
    let (rest, signature) = name.rsplit_once('-').unwrap();
    let (id, end) = rest.split_once('-').unwrap();
    let later = end.parse::<i64>().unwrap() + 3_600_000;
    let forged = format!("{id}-{later}-{signature}");
    let made_up = format!("{id}-{end}-{}", "0".repeat(32));
    for request in [forged.as_str(), &made_up, id, "_request"] {
        let answer = answer_to(&world, &provider, request, "nadia");
        let signed = answer.signed(FIRST);
        assert_eq!(
            browser.answer(&provider, &signed, request).await.status(),
            400,
            "{request}"
        );
    }
    let answer = answer_to(&world, &provider, &name, "nadia");
    let finish = location(&browser.answer(&provider, &answer.signed(FIRST), &name).await);
    // Another assertion does not answer it again.
    let mut again = answer.clone();
    again.id.push('x');
    assert_eq!(
        browser.answer(&provider, &again.signed(FIRST), &name).await.status(),
        400
    );
    // The cookie says where the person goes on, and cannot be made to say something else.
    let cookie = browser.cookies[0].1.clone();
    let (signature, _) = cookie.split_once('.').unwrap();
    browser.cookies[0].1 = format!("{signature}.Ly9ldmlsLmV4YW1wbGU");
    assert_eq!(browser.get(&finish).await.status(), 400);
    browser.cookies[0].1 = cookie;
    assert_eq!(browser.get(&finish).await.status(), 400);
    assert_eq!(sessions::Entity::find().count(world.app().db.read()).await.unwrap(), 0);
}

async fn people_join_by_link_and_by_domain(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    let mut browser = Browser::new(&world);
    location(&browser.sign_in(&world, &provider, "nadia").await);
    let page = browser.page("/account/", 200).await;
    assert!(!page.contains("/account/join-by-domain"));
    // A second organization for the same domain.
    let other = &world.other_admin.client;
    let call = other.call("updateOrganizationById").within(world.other_organization);
    call.json(json!({ "emailDomains": [DOMAIN] })).expect(200).await;
    bindery::areas::organizations::organizations::verify_domain(world.app(), world.other_organization, DOMAIN)
        .await
        .unwrap();
    let page = browser.page("/account/", 200).await;
    assert!(page.contains("/account/join-by-domain"), "{page}");
    let id = world.other_organization.to_string();
    // Organizations that nobody may join by that domain, or that do not exist.
    for wrong in ["", "x", &id.replace('0', "1")] {
        let refused = browser.submit("/account/join-by-domain", &[("id", wrong)]).await;
        assert_eq!(refused.status(), 400, "{wrong}");
    }
    location(&browser.submit("/account/join-by-domain", &[("id", &id)]).await);
    let page = browser.page("/account/", 200).await;
    assert!(
        page.contains(&id) && !page.contains("/account/join-by-domain"),
        "{page}"
    );

    let user = users::find_by_email(world.app(), "nadia@tidewater.example")
        .await
        .unwrap()
        .unwrap();
    let client = world.nobody().with_token(&browser.make_token("Laptop").await);
    let leave = client.call("removeMemberFromOrganizationById");
    let leave = leave.within(world.other_organization).path("userId", user.id);
    leave.expect(204).await;
    let call = other.call("createOrganizationInvite").within(world.other_organization);
    let link = call.json(json!({ "role": "edit" })).expect(201).await;
    let invite = link["id"].as_str().unwrap();
    let link = format!("{}/v1/orgs/{id}/invites/{invite}", browser.base);
    for wrong in ["", "https://evil.example/", &link.replace(invite, "x")] {
        let refused = browser.submit("/account/join", &[("link", wrong)]).await;
        assert_eq!(refused.status(), 400, "{wrong}");
    }
    location(&browser.submit("/account/join", &[("link", &link)]).await);
    let call = other
        .call("getMemberInOrganizationById")
        .within(world.other_organization);
    assert_eq!(call.path("userId", user.id).expect(200).await["role"], "edit");
}

/// Somebody with an account and a token, outside of the organization.
async fn outsider(world: &World, name: &str) -> (User, String) {
    let email = format!("{name}@{DOMAIN}");
    let user = users::create(world.app(), &email, name).await.unwrap();
    let token = tokens::create(world.app(), user.id, "own", None).await.unwrap();
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

async fn prove(browser: &mut Browser, code: &str, token: &str) -> Response {
    let form = [("code", code), ("account-token", token)];
    browser.send(Method::POST, "/saml/prove", &form).await
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
        assert_eq!(prove(&mut browser, &code, wrong).await.status(), 403);
    }
    call().path("userId", user.id).expect(404).await;
    let last = prove(&mut browser, &code, &token).await;
    assert_eq!(location(&last), format!("{}/account/", browser.base));
    assert!(browser.page("/account/", 200).await.contains("mateo@tidewater.example"));
    let member = call().path("userId", user.id).expect(200).await;
    assert_eq!(
        (&member["role"], &member["sso"], &member["teams"]),
        (&json!("comment"), &json!(true), &json!(1))
    );
    assert_eq!(prove(&mut browser, &code, &token).await.status(), 400);
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
    assert_eq!(prove(&mut other, &code, &token).await.status(), 400);
    assert_eq!(prove(&mut browser, "x", &token).await.status(), 400);
    // A code without a proof is not a session.
    assert_ne!(browser.get(&format!("/saml/finish?code={code}")).await.status(), 303);
    let code = unproven(&mut browser, &world, &provider, "mateo").await;
    let kept = browser.cookies.clone();
    world.clock().advance(TimeDelta::minutes(11));
    assert_eq!(prove(&mut browser, &code, &token).await.status(), 400);
    let code = unproven(&mut browser, &world, &provider, "mateo").await;
    assert_ne!(browser.cookies, kept);
    users::set_suspended(world.app(), user.id, true).await.unwrap();
    assert_eq!(prove(&mut browser, &code, &token).await.status(), 403);
    users::set_suspended(world.app(), user.id, false).await.unwrap();
    members::add(world.app(), world.organization, user.id, None)
        .await
        .unwrap();
    members::set_disabled(world.app(), world.organization, user.id, true)
        .await
        .unwrap();
    assert_eq!(prove(&mut browser, &code, &token).await.status(), 400);
    browser.page("/account/", 401).await;
}

/// The response to an answer about somebody whom the provider names differently each time.
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
async fn whoever_was_removed_stays_out(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    let mut browser = Browser::new(&world);
    location(&sign_in_unnamed(&mut browser, &world, &provider).await);
    let client = world.nobody().with_token(&browser.make_token("Laptop").await);
    let call = world.admin.client.call("createOrganizationInvite").here(&world);
    let link = call.json(json!({ "role": "read" })).expect(201).await;
    let email = format!("nadia@{DOMAIN}");
    let user = users::find_by_email(world.app(), &email).await.unwrap().unwrap();
    let call = world.admin.client.call("removeMemberFromOrganizationById").here(&world);
    call.path("userId", user.id).expect(204).await;
    assert_eq!(answer_unnamed(&mut browser, &world, &provider).await.status(), 403);
    client.call("joinOrganization").here(&world).expect(404).await;
    let join = client.call("joinOrganizationWithInvite").here(&world);
    join.path("inviteId", link["id"].as_str().unwrap()).expect(404).await;
    members::add(world.app(), world.organization, user.id, None)
        .await
        .unwrap();
    location(&sign_in_unnamed(&mut browser, &world, &provider).await);
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
    let user = users::find_by_email(world.app(), &email).await.unwrap().unwrap();
    let leave = client.call("removeMemberFromOrganizationById").here(&world);
    leave.path("userId", user.id).expect(204).await;
    let response = sign_in_unnamed(&mut browser, &world, &provider).await;
    let page = response.text().await.unwrap();
    let code = between(&page, "name=\"code\" value=\"", "\"");
    for theirs in [&token, &next] {
        assert_eq!(prove(&mut browser, &code, theirs).await.status(), 403);
    }
    let other = tokens::create(world.app(), user.id, "own", None).await.unwrap();
    assert_eq!(prove(&mut browser, &code, &other.secret).await.status(), 303);
}
