//! The documentation page with the session of somebody who has signed in.

use chrono::TimeDelta;
use entity::{
    identity::tokens as rows,
    organizations::{saml_providers, sessions},
};
use futures_util::future::join_all;
use platform::db::Tx;
use reqwest::{Method, header};
use sea_orm::{EntityTrait, PaginatorTrait};
use serde_json::{Value, json};

use crate::support::{
    browser::{Browser, between, location},
    client::Client,
    database::{TestDatabase, on_each_database},
    saml::set_up,
    world::World,
};

on_each_database![
    the_page_gets_a_token_of_the_session,
    the_token_satisfies_required_single_sign_on,
    the_token_ends_with_the_session,
    a_revoked_token_takes_its_session_along,
    the_token_creates_no_tokens,
    the_token_expires_unless_it_is_asked_for,
    pages_that_open_at_once_share_the_token,
    other_sites_get_no_token,
    signing_in_leads_back_to_the_page,
];

async fn ask(browser: &mut Browser) -> Value {
    let response = browser.send(Method::POST, "/account/docs-token", &[]).await;
    assert_eq!(response.status(), 200);
    for name in [
        "access-control-allow-origin",
        "access-control-allow-credentials",
        "etag",
    ] {
        assert!(!response.headers().contains_key(name), "{name}");
    }
    assert_eq!(response.headers()[header::CACHE_CONTROL], "no-store");
    response.json().await.unwrap()
}

fn with(world: &World, answer: &Value) -> Client {
    world.nobody().with_token(answer["token"].as_str().unwrap())
}

async fn signed_in(world: &World) -> (Browser, Value) {
    let provider = set_up(world, json!({})).await;
    let mut browser = Browser::new(world);
    location(&browser.sign_in(world, &provider, "nadia").await);
    (browser, provider)
}

async fn the_page_gets_a_token_of_the_session(database: TestDatabase) {
    let world = World::new(database).await;
    let mut browser = Browser::new(&world);
    let remove = |tx: Tx| async move { saml_providers::Entity::delete_many().exec(&tx).await };
    world.app().kernel.db.write(remove).await.unwrap();
    assert_eq!(ask(&mut browser).await, json!({ "canSignIn": false }));
    let provider = set_up(&world, json!({ "defaultRole": "read" })).await;
    assert_eq!(ask(&mut browser).await, json!({ "canSignIn": true }));
    location(&browser.sign_in(&world, &provider, "nadia").await);
    let answer = ask(&mut browser).await;
    assert_eq!(answer["email"], "nadia@tidewater.example");
    let client = with(&world, &answer);
    let user = client.call("getAuthenticatedUser").expect(200).await;
    assert_eq!(user["email"], "nadia@tidewater.example");
    assert_eq!(ask(&mut browser).await["token"], answer["token"]);
    let list = client.call("listUserTokens").expect(200).await;
    let labels: Vec<&str> = list["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|token| token["label"].as_str().unwrap())
        .collect();
    assert_eq!(labels, ["Documentation page"]);
    let events = client.call("listUserAuditEvents").expect(200).await;
    let actions = events["items"].as_array().unwrap().iter().map(|event| &event["action"]);
    assert_eq!(actions.filter(|action| **action == "tokens.createOfSession").count(), 1);
    // Another session has another token.
    let mut other = Browser::new(&world);
    location(&other.sign_in(&world, &provider, "nadia").await);
    assert_ne!(ask(&mut other).await["token"], answer["token"]);
}

async fn the_token_satisfies_required_single_sign_on(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({ "defaultRole": "admin" })).await;
    let mut browser = Browser::new(&world);
    location(&browser.sign_in(&world, &provider, "nadia").await);
    let client = with(&world, &ask(&mut browser).await);
    let require = client.call("updateOrganizationById").here(&world);
    require.json(json!({ "sso": true })).expect(200).await;
    client.call("getOrganizationById").here(&world).expect(200).await;
    world
        .admin
        .client
        .call("getOrganizationById")
        .here(&world)
        .expect(401)
        .await;
}

async fn the_token_ends_with_the_session(database: TestDatabase) {
    let world = World::new(database).await;
    let (mut browser, provider) = signed_in(&world).await;
    let client = with(&world, &ask(&mut browser).await);
    client.call("getAuthenticatedUser").expect(200).await;
    assert_eq!(browser.submit("/account/sign-out", &[]).await.status(), 303);
    client.call("getAuthenticatedUser").expect(401).await;
    assert_eq!(ask(&mut browser).await, json!({ "canSignIn": true }));
    assert_eq!(stored(&world).await, (0, 0));
    // Whoever is removed is out, too.
    location(&browser.sign_in(&world, &provider, "nadia").await);
    let client = with(&world, &ask(&mut browser).await);
    let user = client.call("getAuthenticatedUser").expect(200).await;
    let remove = world.admin.client.call("removeMemberFromOrganizationById").here(&world);
    remove.path("userId", user["id"].as_str().unwrap()).expect(204).await;
    client.call("getAuthenticatedUser").expect(401).await;
    assert_eq!(stored(&world).await, (0, 0));
}

/// The numbers of sessions, and of tokens of sessions.
async fn stored(world: &World) -> (u64, usize) {
    let db = world.app().kernel.db.read();
    let tokens = rows::Entity::find().all(db).await.unwrap();
    let tokens = tokens.iter().filter(|row| row.session_id.is_some());
    (sessions::Entity::find().count(db).await.unwrap(), tokens.count())
}

async fn a_revoked_token_takes_its_session_along(database: TestDatabase) {
    let world = World::new(database).await;
    let (mut browser, _) = signed_in(&world).await;
    let client = with(&world, &ask(&mut browser).await);
    let page = browser.page("/account/", 200).await;
    assert!(page.contains("Documentation page"));
    let id = between(&page, "name=\"id\" value=\"", "\"");
    assert_eq!(
        browser.submit("/account/tokens/revoke", &[("id", &id)]).await.status(),
        303
    );
    client.call("getAuthenticatedUser").expect(401).await;
    browser.page("/account/", 401).await;
    assert_eq!(ask(&mut browser).await, json!({ "canSignIn": true }));
    client.call("getAuthenticatedUser").expect(401).await;
}

async fn the_token_expires_unless_it_is_asked_for(database: TestDatabase) {
    let world = World::new(database).await;
    let (mut browser, _) = signed_in(&world).await;
    let first = ask(&mut browser).await;
    let client = with(&world, &first);
    world.clock().advance(TimeDelta::minutes(50));
    let second = ask(&mut browser).await;
    assert_eq!(second["token"], first["token"]);
    let minutes = (second["expiresAt"].as_i64().unwrap() - first["expiresAt"].as_i64().unwrap()) / 60_000;
    assert_eq!(minutes, 50);
    world.clock().advance(TimeDelta::minutes(50));
    client.call("getAuthenticatedUser").expect(200).await;
    world.clock().advance(TimeDelta::minutes(11));
    client.call("getAuthenticatedUser").expect(401).await;
    ask(&mut browser).await;
    client.call("getAuthenticatedUser").expect(200).await;
    // What the page does is no use of the session that would keep it for ever.
    for _ in 0..7 * 24 / 8 {
        world.clock().advance(TimeDelta::hours(8));
        ask(&mut browser).await;
    }
    assert_eq!(ask(&mut browser).await, json!({ "canSignIn": true }));
    client.call("getAuthenticatedUser").expect(401).await;
}

async fn pages_that_open_at_once_share_the_token(database: TestDatabase) {
    let world = World::new(database).await;
    let (browser, _) = signed_in(&world).await;
    let pages = (0..8).map(|_| async {
        let mut page = Browser::new(&world);
        page.cookies.clone_from(&browser.cookies);
        ask(&mut page).await
    });
    let answers = join_all(pages).await;
    assert!(
        answers
            .iter()
            .all(|answer| answer["token"] == answers[0]["token"] && answer["token"].is_string())
    );
    assert_eq!(stored(&world).await, (1, 1));
}

async fn other_sites_get_no_token(database: TestDatabase) {
    let world = World::new(database).await;
    let (mut browser, _) = signed_in(&world).await;
    for site in ["cross-site", "same-site"] {
        browser.site = site;
        let response = browser.send(Method::POST, "/account/docs-token", &[]).await;
        assert_eq!(response.status(), 401);
        assert!(!response.text().await.unwrap().contains("bnd_"));
    }
    browser.site = "same-origin";
    assert_eq!(browser.get("/account/docs-token").await.status(), 404);
    assert_eq!(stored(&world).await, (1, 0));
    // Neither the cookie nor what it is derived from is a token.
    let secret = browser.cookies[0].1.clone();
    world
        .nobody()
        .with_token(&secret)
        .call("getAuthenticatedUser")
        .expect(401)
        .await;
}

async fn signing_in_leads_back_to_the_page(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    let start = provider["service"]["startURL"].as_str().unwrap();
    let mut browser = Browser::new(&world);
    let page = browser
        .page("/account/?returnTo=%2Fdocs%2F%3Fa%3Db%23%2Fspaces", 401)
        .await;
    let back = between(&page, "name=\"returnTo\" value=\"", "\"");
    assert_eq!(back, "/docs/?a=b#/spaces");
    let form = [("who", "nadia@tidewater.example"), ("returnTo", back.as_str())];
    let ways = browser.send(Method::POST, "/account/sign-in", &form).await;
    let ways = ways.text().await.unwrap();
    assert!(
        ways.contains(&format!("{start}?returnTo=%2Fdocs%2F%3Fa%3Db%23%2Fspaces\"")),
        "{ways}"
    );
    for elsewhere in [
        "//evil.example",
        "https://evil.example/",
        "/saml/x/start",
        "/integrations/gauge/account",
        "/%69ntegrations/gauge/account",
        "/sites/tides/",
        "/files/1/tides.html",
    ] {
        let form = [("who", "nadia@tidewater.example"), ("returnTo", elsewhere)];
        let ways = browser.send(Method::POST, "/account/sign-in", &form).await;
        let ways = ways.text().await.unwrap();
        assert!(
            ways.contains(&format!("{start}\"")) && !ways.contains(elsewhere),
            "{ways}"
        );
    }
}

async fn the_token_creates_no_tokens(database: TestDatabase) {
    let world = World::new(database).await;
    let (mut browser, _) = signed_in(&world).await;
    let client = with(&world, &ask(&mut browser).await);
    let create = client.call("createUserToken").json(json!({ "label": "For ever" }));
    let refused = create.expect(403).await;
    assert_eq!(refused["error"]["type"], "forbidden");
    let page = browser.make_token("For a month").await;
    let page = world.nobody().with_token(&page);
    page.call("createUserToken")
        .json(json!({ "label": "Further" }))
        .expect(201)
        .await;
}
