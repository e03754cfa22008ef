//! Signing in by a SAML provider, as a browser does it, and the page of the account.

use bindery::areas::{
    identity::{tokens, users},
    organizations::{members, sign_in::PurgeSignIns},
};
use chrono::TimeDelta;
use entity::organizations::{saml_providers, sessions};
use platform::jobs::{Kinds, Runner};
use reqwest::Method;
use saml::testing::{FIRST, SECOND};
use sea_orm::{EntityTrait, PaginatorTrait};
use serde_json::json;
use url::Url;

use crate::support::{
    browser::{Browser, between, location},
    database::{TestDatabase, on_each_database},
    saml::{answer_to, create, set_up},
    teams,
    world::{DOMAIN, World},
};

on_each_database![
    a_person_signs_in_and_makes_a_token,
    a_name_of_a_provider_keeps_the_rules,
    an_identity_provider_may_begin,
    a_session_belongs_to_the_browser_that_began,
    a_sign_in_from_elsewhere_asks_for_consent,
    a_new_session_ends_the_one_before,
    an_answer_counts_once,
    answers_of_others_are_refused,
    a_provider_speaks_for_domains_of_its_organization_alone,
    an_account_is_not_taken_over,
    a_member_who_leaves_is_out,
    tokens_by_sign_in_end_with_the_membership,
    signing_out_may_end_all_tokens,
    a_session_ends_by_itself,
    forms_of_other_sites_are_refused,
    cookies_never_authorize_operations,
    the_service_has_metadata,
];

async fn a_person_signs_in_and_makes_a_token(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({ "defaultRole": "comment", "defaultTeam": world.team })).await;
    let mut browser = Browser::new(&world);
    browser.page("/account/", 401).await;
    let last = browser.sign_in(&world, &provider, "nadia").await;
    assert_eq!(location(&last), format!("{}/account/", browser.base));
    let page = browser.page("/account/", 200).await;
    assert!(
        page.contains("nadia@tidewater.example") && page.contains("nadia &lt;b&gt;") && !page.contains("<b>"),
        "{page}"
    );
    assert!(page.contains("Tidewater Robotics"));

    let token = browser.make_token("From the page").await;
    let client = world.nobody().with_token(&token);
    let user = client.call("getAuthenticatedUser").expect(200).await;
    assert_eq!(
        (&user["email"], &user["displayName"]),
        (&json!("nadia@tidewater.example"), &json!("nadia <b>"))
    );
    let call = world.admin.client.call("getMemberInOrganizationById").here(&world);
    let member = call.path("userId", user["id"].as_str().unwrap()).expect(200).await;
    assert_eq!(
        (&member["role"], &member["sso"], &member["teams"]),
        (&json!("comment"), &json!(true), &json!(1))
    );
    assert!(
        teams::people(&world, world.team)
            .await
            .contains(&"nadia <b>".to_owned())
    );

    let page = browser.page("/account/", 200).await;
    assert!(page.contains("From the page"));
    let id = between(&page, "name=\"id\" value=\"", "\"");
    assert_eq!(
        browser.submit("/account/tokens/revoke", &[("id", &id)]).await.status(),
        303
    );
    client.call("getAuthenticatedUser").expect(401).await;
    for (label, why) in [
        ("", "may not be empty"),
        ("\u{202e}x", "may not contain the character U+202E"),
        ("\u{2800}", "must have a visible character"),
    ] {
        let bad = browser
            .submit("/account/tokens", &[("label", label), ("days", "30")])
            .await;
        assert_eq!(bad.status(), 400);
        assert!(bad.text().await.unwrap().contains(why));
    }

    // Again, as the same user, also when the address has become another one.
    let mut other = Browser::new(&world);
    let request = other.begin(&provider).await;
    let mut renamed = answer_to(&world, &provider, &request, "nadia");
    renamed.email = Some("nadia.new@elsewhere.example".to_owned());
    let response = other.answer(&provider, &renamed.signed(FIRST), &request).await;
    other.follow(&location(&response)).await;
    assert!(other.page("/account/", 200).await.contains("nadia@tidewater.example"));
    assert_eq!(browser.submit("/account/sign-out-everywhere", &[]).await.status(), 303);
    other.page("/account/", 401).await;
    browser.page("/account/", 401).await;
}

async fn a_name_of_a_provider_keeps_the_rules(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    let long = "ü".repeat(70);
    for (person, given, shown) in [
        ("one", "\u{202e}Ines\u{200b}\n Oka\u{3164}for", "Ines Okafor"),
        ("two", " \u{2800}\u{200d}", "two"),
        ("three", &*long, &long[..128]),
    ] {
        let mut browser = Browser::new(&world);
        let request = browser.begin(&provider).await;
        let mut answer = answer_to(&world, &provider, &request, person);
        answer.display_name = Some(given.to_owned());
        let response = browser.answer(&provider, &answer.signed(FIRST), &request).await;
        browser.follow(&location(&response)).await;
        let token = browser.make_token("Name").await;
        let client = world.nobody().with_token(&token);
        let user = client.call("getAuthenticatedUser").expect(200).await;
        assert_eq!(user["displayName"], shown, "{given:?}");
    }
}

async fn an_identity_provider_may_begin(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    let mut browser = Browser::new(&world);
    browser.site = "cross-site";
    let mut answer = answer_to(&world, &provider, "_none", "nadia");
    answer.request = None;
    let response = browser.answer(&provider, &answer.signed(FIRST), "/docs/").await;
    // Nobody is signed in by that: the service makes a request of its own.
    let start = location(&response);
    assert!(
        start.starts_with(provider["service"]["startURL"].as_str().unwrap()),
        "{start}"
    );
    let to = Url::parse(&browser.follow(&start).await).unwrap();
    let request = to
        .query_pairs()
        .find(|(name, _)| name == "RelayState")
        .unwrap()
        .1
        .into_owned();
    let answer = answer_to(&world, &provider, &request, "nadia");
    let response = browser.answer(&provider, &answer.signed(FIRST), &request).await;
    let last = browser.confirm(&location(&response)).await;
    assert_eq!(last, format!("{}/docs/", browser.base));
    // Addresses of other sites are no places to go on, and a provider that never names the request does not go in circles.
    let mut unnamed = answer_to(&world, &provider, &request, "nadia");
    unnamed.request = None;
    let response = browser
        .answer(&provider, &unnamed.signed(FIRST), "https://evil.example/")
        .await;
    assert!(!location(&response).contains("evil"));
    assert_eq!(
        browser
            .answer(&provider, &unnamed.signed(FIRST), &request)
            .await
            .status(),
        400
    );
}

async fn a_session_belongs_to_the_browser_that_began(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    let (mut attacker, mut victim) = (Browser::new(&world), Browser::new(&world));
    let request = attacker.begin(&provider).await;
    let answer = answer_to(&world, &provider, &request, "eve").signed(FIRST);
    let finish = location(&attacker.answer(&provider, &answer, &request).await);
    assert_eq!(victim.get(&finish).await.status(), 400);
    victim.begin(&provider).await;
    assert_eq!(victim.get(&finish).await.status(), 400);
    // The code is gone, also for who began.
    assert_eq!(attacker.get(&finish).await.status(), 400);
    victim.page("/account/", 401).await;
    attacker.page("/account/", 401).await;
}

/// A provider of somebody else could sign a browser in to an account of theirs.
async fn a_sign_in_from_elsewhere_asks_for_consent(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    for site in ["cross-site", "same-site", "none"] {
        let mut browser = Browser::new(&world);
        browser.site = site;
        let request = browser.begin(&provider).await;
        let answer = answer_to(&world, &provider, &request, "nadia").signed(FIRST);
        let finish = location(&browser.answer(&provider, &answer, &request).await);
        let page = browser.page(&finish, 200).await;
        assert!(page.contains("Continue as nadia@tidewater.example"), "{page}");
        assert!(page.contains("Tidewater Robotics"), "{page}");
        browser.page("/account/", 401).await;
        let code = between(&page, "name=\"code\" value=\"", "\"");
        // Not by a form of another site, in another browser, or by the address alone.
        let form = [("code", code.as_str())];
        for page in ["continue", "prove", "mail"] {
            let response = browser.send(Method::POST, &format!("/saml/{page}"), &form).await;
            assert_eq!(response.status(), 404, "{site} {page}");
        }
        let who = [("who", "someone@tidewater.example")];
        let response = browser.send(Method::POST, "/account/sign-in", &who).await;
        assert_eq!(response.status(), 401);
        let mut other = Browser::new(&world);
        other.begin(&provider).await;
        assert_eq!(
            other
                .send(Method::POST, "/saml/continue", &[("code", "x")])
                .await
                .status(),
            400
        );
        let again = browser.confirm(&format!("/saml/finish?code={code}")).await;
        assert_eq!(again, format!("{}/account/", browser.base));
        browser.page("/account/", 200).await;
    }
}

async fn a_new_session_ends_the_one_before(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    let mut browser = Browser::new(&world);
    location(&browser.sign_in(&world, &provider, "nadia").await);
    let before = browser.cookies.clone();
    location(&browser.sign_in(&world, &provider, "aiko").await);
    assert!(browser.page("/account/", 200).await.contains("aiko@"));
    browser.cookies = before;
    browser.page("/account/", 401).await;
}

async fn an_answer_counts_once(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    let mut browser = Browser::new(&world);
    let request = browser.begin(&provider).await;
    let answer = answer_to(&world, &provider, &request, "nadia");
    let finish = location(&browser.answer(&provider, &answer.signed(FIRST), &request).await);
    assert_eq!(
        browser
            .answer(&provider, &answer.signed(FIRST), &request)
            .await
            .status(),
        400
    );
    location(&browser.get(&finish).await);
    assert_eq!(browser.get(&finish).await.status(), 400);
    // The same assertion for another request: only the answer around it is new, and not signed.
    let next = browser.begin(&provider).await;
    let mut again = answer_to(&world, &provider, &next, "nadia");
    again.id.clone_from(&answer.id);
    assert_eq!(
        browser.answer(&provider, &again.signed(FIRST), &next).await.status(),
        400
    );
    let late = browser.begin(&provider).await;
    world.clock().advance(TimeDelta::minutes(11));
    let answer = answer_to(&world, &provider, &late, "nadia");
    assert_eq!(
        browser.answer(&provider, &answer.signed(FIRST), &late).await.status(),
        400
    );
    let rows = async || {
        let db = world.app().kernel.db.read();
        let requests = saml_providers::requests::Entity::find().count(db).await.unwrap();
        let used = saml_providers::assertions::Entity::find().count(db).await.unwrap();
        (requests, used, sessions::Entity::find().count(db).await.unwrap())
    };
    assert_ne!(rows().await, (0, 0, 0));
    world.clock().advance(TimeDelta::days(8));
    let kinds = Kinds::default().with_periodic(PurgeSignIns(std::sync::Arc::clone(&world.app().organizations)));
    Runner::new(world.app().kernel.jobs.clone(), kinds)
        .run_due()
        .await
        .unwrap();
    assert_eq!(rows().await, (0, 0, 0));
}

async fn answers_of_others_are_refused(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    let theirs = create(&world, SECOND.certificate, json!({ "label": "Another" })).await;
    let mut browser = Browser::new(&world);
    let request = browser.begin(&provider).await;
    let answer = answer_to(&world, &provider, &request, "nadia");
    for wrong in [
        // The key of another provider, for either of them.
        answer.signed(SECOND),
        answer_to(&world, &theirs, &request, "nadia").signed(SECOND),
        answer.response(&answer.assertion()),
        answer.signed(FIRST).replace("nadia@", "admin@"),
        "<x/>".to_owned(),
        String::new(),
    ] {
        assert_eq!(browser.answer(&provider, &wrong, &request).await.status(), 400);
    }
    let other = answer_to(&world, &theirs, &request, "nadia").signed(SECOND);
    assert_eq!(browser.answer(&theirs, &other, &request).await.status(), 400);
    // Without a request of this server, the rest is not even parsed.
    let unknown =
        "<samlp:Response xmlns:samlp=\"urn:oasis:names:tc:SAML:2.0:protocol\" Version=\"2.0\" InResponseTo=\"_x\"><";
    let refused = browser.answer(&provider, unknown, &request).await;
    assert_eq!(refused.status(), 400);
    assert!(refused.text().await.unwrap().contains("Begin again"));
    // None of it used the request up.
    location(&browser.answer(&provider, &answer.signed(FIRST), &request).await);
}

async fn a_provider_speaks_for_domains_of_its_organization_alone(database: TestDatabase) {
    let world = World::new(database).await;
    // The domain is known by the address of the admin: enough for people to join, and not to speak for all of them.
    let call = world.admin.client.call("updateOrganizationById").here(&world);
    call.json(json!({ "emailDomains": [DOMAIN] })).expect(200).await;
    let provider = create(&world, FIRST.certificate, json!({})).await;
    let mut browser = Browser::new(&world);
    for person in ["nadia", "nadia@elsewhere.example", "edit"] {
        assert_eq!(
            browser.sign_in(&world, &provider, person).await.status(),
            403,
            "{person}"
        );
    }
    world.verify_domain(DOMAIN).await;
    for person in [
        "nadia@elsewhere.example",
        "nadia@sub.tidewater.example",
        "x@evil.example@tidewater.example",
        "@tidewater.example",
    ] {
        assert_eq!(
            browser.sign_in(&world, &provider, person).await.status(),
            403,
            "{person}"
        );
    }
    location(&browser.sign_in(&world, &provider, "Nadia").await);
    assert!(browser.page("/account/", 200).await.contains("nadia@tidewater.example"));
}

async fn an_account_is_not_taken_over(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    let elsewhere = users::create(&world.app().identity, "mateo@tidewater.example", "Mateo")
        .await
        .unwrap();
    let mut browser = Browser::new(&world);
    let unproven = browser.sign_in(&world, &provider, "mateo").await;
    assert_eq!(unproven.status(), 200);
    assert!(unproven.text().await.unwrap().contains("Is this account yours?"));
    browser.page("/account/", 401).await;
    // Nor when an admin of the organization has let them in.
    members::add(&world.app().kernel, world.organization, elsewhere.id, None)
        .await
        .unwrap();
    let unproven = browser.sign_in(&world, &provider, "mateo").await;
    assert_eq!(unproven.status(), 200);
    browser.page("/account/", 401).await;
    users::set_suspended(&world.app().identity, elsewhere.id, true)
        .await
        .unwrap();
    assert_eq!(browser.sign_in(&world, &provider, "mateo").await.status(), 403);
}

async fn a_member_who_leaves_is_out(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({ "defaultRole": "read" })).await;
    let mut browser = Browser::new(&world);
    location(&browser.sign_in(&world, &provider, "nadia").await);
    let user = users::find_by_email(&world.app().kernel, "nadia@tidewater.example")
        .await
        .unwrap()
        .unwrap();
    members::set_disabled(&world.app().kernel, world.organization, user.id, true)
        .await
        .unwrap();
    browser.page("/account/", 401).await;
    assert_eq!(browser.sign_in(&world, &provider, "nadia").await.status(), 403);
    members::set_disabled(&world.app().kernel, world.organization, user.id, false)
        .await
        .unwrap();
    location(&browser.sign_in(&world, &provider, "nadia").await);
    let call = world.admin.client.call("removeMemberFromOrganizationById").here(&world);
    call.path("userId", user.id).expect(204).await;
    browser.page("/account/", 401).await;
    assert_eq!(
        sessions::Entity::find()
            .count(world.app().kernel.db.read())
            .await
            .unwrap(),
        0
    );
    // The identity provider still knows them, and does not bring them back.
    assert_eq!(browser.sign_in(&world, &provider, "nadia").await.status(), 403);
    let mut other = Browser::new(&world);
    location(&other.sign_in(&world, &provider, "aiko").await);
    let call = world.admin.client.call("deleteOrganizationSAMLProvider").here(&world);
    call.path("samlProviderId", provider["id"].as_str().unwrap())
        .expect(204)
        .await;
    other.page("/account/", 401).await;
    assert_eq!(
        other
            .get(provider["service"]["startURL"].as_str().unwrap())
            .await
            .status(),
        404
    );
}

/// The account may have other organizations.
async fn tokens_by_sign_in_end_with_the_membership(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    let mut browser = Browser::new(&world);
    location(&browser.sign_in(&world, &provider, "nadia").await);
    let of_the_provider = browser.make_token("From the page").await;
    let user = users::find_by_email(&world.app().kernel, "nadia@tidewater.example")
        .await
        .unwrap()
        .unwrap();
    members::add(&world.app().kernel, world.other_organization, user.id, None)
        .await
        .unwrap();
    let own = tokens::create(&world.app().kernel, user.id, "own", None).await.unwrap();
    let client = |token: &str| world.nobody().with_token(token);
    client(&of_the_provider).call("getAuthenticatedUser").expect(200).await;
    // They leave by themselves, and may come back.
    let leave = client(&of_the_provider);
    let call = leave.call("removeMemberFromOrganizationById").here(&world);
    call.path("userId", user.id).expect(204).await;
    client(&of_the_provider).call("getAuthenticatedUser").expect(401).await;
    client(&own.secret).call("getAuthenticatedUser").expect(200).await;
    let response = browser.sign_in(&world, &provider, "nadia").await;
    assert_eq!(response.status(), 200);
    assert!(response.text().await.unwrap().contains("Is this account yours?"));
    browser.page("/account/", 401).await;
}

async fn signing_out_may_end_all_tokens(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    let (mut browser, mut other) = (Browser::new(&world), Browser::new(&world));
    location(&browser.sign_in(&world, &provider, "nadia").await);
    location(&other.sign_in(&world, &provider, "nadia").await);
    let first = world.nobody().with_token(&browser.make_token("First").await);
    let second = first
        .call("createUserToken")
        .json(json!({ "label": "Second" }))
        .expect(201)
        .await;
    let second = world.nobody().with_token(second["token"].as_str().unwrap());
    let signed_out = browser.submit("/account/sign-out-everywhere", &[]).await;
    assert_eq!(signed_out.status(), 303);
    other.page("/account/", 401).await;
    for token in [&first, &second] {
        token.call("getAuthenticatedUser").expect(200).await;
    }
    location(&browser.sign_in(&world, &provider, "nadia").await);
    let signed_out = browser.submit("/account/sign-out-and-revoke", &[]).await;
    assert_eq!(signed_out.status(), 303);
    browser.page("/account/", 401).await;
    for token in [&first, &second] {
        token.call("getAuthenticatedUser").expect(401).await;
    }
    world.admin.client.call("getAuthenticatedUser").expect(200).await;
}

async fn a_session_ends_by_itself(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    let mut browser = Browser::new(&world);
    location(&browser.sign_in(&world, &provider, "nadia").await);
    let kept = browser.cookies.clone();
    for _ in 0..15 {
        world.clock().advance(TimeDelta::hours(11));
        browser.page("/account/", 200).await;
    }
    world.clock().advance(TimeDelta::hours(11));
    browser.page("/account/", 401).await;
    location(&browser.sign_in(&world, &provider, "nadia").await);
    assert_ne!(browser.cookies, kept);
    world.clock().advance(TimeDelta::hours(13));
    browser.page("/account/", 401).await;
    location(&browser.sign_in(&world, &provider, "nadia").await);
    let before = browser.cookies.clone();
    assert_eq!(browser.submit("/account/sign-out", &[]).await.status(), 303);
    assert_eq!(browser.cookies, []);
    browser.cookies = before;
    browser.page("/account/", 401).await;
}

async fn forms_of_other_sites_are_refused(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    let (mut browser, mut other) = (Browser::new(&world), Browser::new(&world));
    location(&browser.sign_in(&world, &provider, "nadia").await);
    location(&other.sign_in(&world, &provider, "aiko").await);
    let page = other.page("/account/", 200).await;
    let theirs = between(&page, "name=\"token\" value=\"", "\"");
    for page in [
        "tokens",
        "tokens/revoke",
        "sessions/end",
        "sign-out",
        "sign-out-everywhere",
    ] {
        for form in [vec![], vec![("token", "x")], vec![("token", theirs.as_str())]] {
            let response = browser.send(Method::POST, &format!("/account/{page}"), &form).await;
            assert_eq!(response.status(), 403, "{page}");
        }
    }
    // What belongs to somebody else is not there for a form of one's own.
    let session = &page[page.find("/account/sessions/end").unwrap()..];
    let session = between(session, "name=\"id\" value=\"", "\"");
    let response = browser.submit("/account/sessions/end", &[("id", &session)]).await;
    assert_eq!(response.status(), 303);
    other.page("/account/", 200).await;
}

async fn cookies_never_authorize_operations(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    let mut browser = Browser::new(&world);
    location(&browser.sign_in(&world, &provider, "nadia").await);
    assert_eq!(browser.get("/v1/user").await.status(), 401);
    let cookie = browser.cookies[0].1.clone();
    world
        .nobody()
        .with_token(&cookie)
        .call("getAuthenticatedUser")
        .expect(401)
        .await;
    assert_eq!(browser.get("/account/other").await.status(), 404);
    assert_eq!(browser.get("/saml/x").await.status(), 404);
    assert_eq!(browser.get("/saml/x/start").await.status(), 404);
    assert_eq!(
        browser
            .get(provider["service"]["acsURL"].as_str().unwrap())
            .await
            .status(),
        404
    );
    assert_eq!(browser.send(Method::PUT, "/account/", &[]).await.status(), 405);
    let style = browser.get("/account/style.css").await;
    assert_eq!(
        (style.status().as_u16(), &style.headers()["content-type"]),
        (200, &"text/css; charset=utf-8".parse().unwrap())
    );
    // The secrets themselves are nowhere.
    let stored = sessions::Entity::find()
        .all(world.app().kernel.db.read())
        .await
        .unwrap();
    assert!(
        stored
            .iter()
            .all(|session| session.hash.len() == 32 && session.hash != cookie.as_bytes())
    );
}

async fn the_service_has_metadata(database: TestDatabase) {
    let world = World::new(database).await;
    let call = world.admin.client.call("createOrganizationSAMLProvider").here(&world);
    let pending = call.json(json!({ "label": "Later" })).expect(201).await;
    let mut browser = Browser::new(&world);
    let response = browser.get(pending["service"]["entityID"].as_str().unwrap()).await;
    assert_eq!(response.headers()["content-type"], "application/samlmetadata+xml");
    let text = response.text().await.unwrap();
    for part in ["acsURL", "entityID"] {
        assert!(text.contains(pending["service"][part].as_str().unwrap()), "{text}");
    }
    assert_eq!(
        browser
            .get(pending["service"]["startURL"].as_str().unwrap())
            .await
            .status(),
        404
    );
    let requests = saml_providers::requests::Entity::find()
        .count(world.app().kernel.db.read())
        .await
        .unwrap();
    assert_eq!(requests, 0);
}
