//! The page of an account: the way to sign in, and joining organizations.

use bindery::areas::identity::users;
use entity::{
    ids::OrganizationId,
    organizations::{saml_providers::requests, sessions},
};
use reqwest::Method;
use saml::testing::FIRST;
use sea_orm::{EntityTrait, PaginatorTrait};
use serde_json::json;

use crate::support::{
    browser::{Browser, location},
    database::{TestDatabase, on_each_database},
    saml::{answer_to, set_up},
    world::{DOMAIN, World},
};

on_each_database![
    people_find_their_provider,
    an_unknown_address_is_answered_as_any_other,
    anybody_may_begin_and_nothing_is_stored,
    requests_are_made_by_this_server_for_this_provider,
    people_join_by_link_and_by_domain,
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
    let stored = requests::Entity::find()
        .count(world.app().kernel.db.read())
        .await
        .unwrap();
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
    browser.cookies[0].1 = format!("{signature}.true.Ly9ldmlsLmV4YW1wbGU");
    assert_eq!(browser.get(&finish).await.status(), 400);
    browser.cookies[0].1 = cookie;
    assert_eq!(browser.get(&finish).await.status(), 400);
    assert_eq!(
        sessions::Entity::find()
            .count(world.app().kernel.db.read())
            .await
            .unwrap(),
        0
    );
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
    bindery::areas::organizations::organizations::verify_domain(&world.app().kernel, world.other_organization, DOMAIN)
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

    let user = users::find_by_email(&world.app().kernel, "nadia@tidewater.example")
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
