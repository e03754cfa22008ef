//! Visitors of sites who sign in by a SAML provider of the organization.

use entity::{
    identity::users,
    organizations::{saml_providers, sessions},
};
use reqwest::{Method, StatusCode};
use saml::testing::{self, FIRST};
use sea_orm::{EntityTrait, PaginatorTrait};
use serde_json::{Value, json};
use url::Url;

use crate::support::{
    browser::{Browser, location},
    client::Call,
    database::{TestDatabase, on_each_database},
    published::{Published, find, id, read, resolve, visitor},
    saml::{answer_to, set_up},
    world::World,
};

on_each_database![
    a_visitor_signs_in_and_reads,
    attributes_become_claims,
    nothing_is_made_of_a_visitor,
    only_the_browser_that_began_comes_in,
    a_provider_leads_into_sites_that_chose_it_alone,
    a_visit_is_no_session_and_a_session_no_visit,
    an_assertion_counts_once,
    visitors_stay_in_the_site,
    attributes_too_long_for_an_address_are_refused,
    a_provider_that_is_not_active_lets_nobody_in,
    the_provider_is_one_of_the_organization,
];

struct Site {
    world: World,
    published: Published,
    provider: Value,
}

impl Site {
    async fn new(database: TestDatabase) -> Self {
        let world = World::new(database).await;
        let published = Published::new(&world, &["One"]).await;
        let change = json!({ "visibility": "visitor-auth", "adaptiveContent": { "enabled": true } });
        published.set(&world, change).await;
        let provider = set_up(&world, json!({})).await;
        let site = Self {
            world,
            published,
            provider,
        };
        let call = site.change(json!({ "samlProvider": site.provider["id"] }));
        assert_eq!(call.expect(200).await["samlProvider"], site.provider["id"]);
        site
    }

    /// A change of the authentication of visitors.
    fn change(&self, mut body: Value) -> Call<'_> {
        body["backend"] = json!("custom");
        let update = self
            .world
            .on_site(&self.world.admin, "updateSitePublishingAuthById", &self.published.site);
        update.json(body)
    }

    /// Where a visitor without a token is sent from a path of the site.
    async fn sent(&self, path: &str) -> String {
        let found = find(&self.world, &format!("{}{path}", self.published.address)).await;
        assert_eq!(found["target"], "external");
        found["redirect"].as_str().unwrap().to_owned()
    }

    /// Begins a visit. Returns the id of the request.
    async fn begin(&self, browser: &mut Browser, path: &str) -> String {
        let start = self.sent(path).await;
        let id = self.provider["id"].as_str().unwrap();
        assert!(
            start.starts_with(&format!("{}/saml/{id}/visit?site=", browser.base)),
            "{start}"
        );
        request(&browser.follow(&start).await)
    }

    /// Signs in as somebody with these attributes. Returns where the browser goes on.
    async fn answer(&self, browser: &mut Browser, request: &str, attributes: &str) -> String {
        let mut answer = answer_to(&self.world, &self.provider, request, "nadia");
        answer.attributes = attributes.to_owned();
        let response = browser.answer(&self.provider, &answer.signed(FIRST), "state").await;
        location(&response)
    }

    /// The address of the site that a visitor gets, and the token in it.
    async fn visit(&self, browser: &mut Browser, path: &str, attributes: &str) -> (String, String) {
        let request = self.begin(browser, path).await;
        let visited = self.answer(browser, &request, attributes).await;
        let address = Url::parse(&browser.follow(&visited).await).unwrap();
        let tokens: Vec<String> = address
            .query_pairs()
            .filter(|(name, _)| name == "jwt_token")
            .map(|(_, value)| value.into_owned())
            .collect();
        let [token] = tokens.as_slice() else {
            panic!("{address}")
        };
        (address.as_str().split('?').next().unwrap().to_owned(), token.clone())
    }
}

/// The id of the request with which a browser comes to the identity provider.
fn request(address: &str) -> String {
    let address = Url::parse(address).unwrap();
    assert_eq!(address.host_str(), Some("idp.tidewater.example"));
    let (_, state) = address.query_pairs().find(|(name, _)| name == "RelayState").unwrap();
    assert!(state.len() <= 80, "{state}");
    testing::request_id(&address)
}

fn attribute(names: &str, values: &[&str]) -> String {
    let values: String = values
        .iter()
        .map(|value| format!("<saml:AttributeValue>{value}</saml:AttributeValue>"))
        .collect();
    format!("<saml:Attribute {names}>{values}</saml:Attribute>")
}

async fn a_visitor_signs_in_and_reads(database: TestDatabase) {
    let site = Site::new(database).await;
    let mut browser = Browser::new(&site.world);
    let name = attribute("Name=\"name\"", &["Nadia"]);
    let (address, token) = site.visit(&mut browser, "start", &name).await;
    assert_eq!(address, format!("{}start", site.published.address));
    assert_eq!(browser.cookies, []);
    let found = resolve(&site.world, &address, json!({ "jwtToken": token }));
    let found = found.expect(200).await;
    let client = visitor(&site.world, &found);
    let text = read(&client, &found).expect(200).await["markdown"]
        .as_str()
        .unwrap()
        .to_owned();
    // The display name of the assertion comes before an attribute of this name.
    assert!(text.contains("for nadia"), "{text}");
    // A new key of the site ends it, as it ends the tokens of others.
    let renew = site.world.on_site(
        &site.world.admin,
        "regenerateSitePublishingAuthById",
        &site.published.site,
    );
    renew.expect(200).await;
    read(&client, &found).expect(404).await;
    let again = resolve(&site.world, &address, json!({ "jwtToken": token }));
    assert_eq!(again.expect(200).await["target"], "external");
    // And it ends by itself.
    let (address, token) = site.visit(&mut browser, "", "").await;
    assert_eq!(address, site.published.address);
    let seen = async || {
        resolve(&site.world, &address, json!({ "jwtToken": token }))
            .expect(200)
            .await
    };
    assert!(seen().await["apiToken"].is_string());
    site.world.clock().advance(chrono::TimeDelta::minutes(61));
    assert_eq!(seen().await["target"], "external");
}

async fn attributes_become_claims(database: TestDatabase) {
    let site = Site::new(database).await;
    let attributes = [
        attribute("Name=\"https://tidewater.example/claims/plan\"", &["pro"]),
        attribute("Name=\"urn:oid:2.5.4.11\" FriendlyName=\"department\"", &["Sales"]),
        attribute("Name=\"urn:tidewater:groups\"", &["a", "b"]),
        attribute("Name=\"beta\"", &["true"]),
        attribute("Name=\"staff\"", &["false"]),
        attribute("Name=\"none\"", &[]),
        attribute("Name=\"exp\"", &["99999999999"]),
        attribute("Name=\"sub\"", &["somebody else"]),
        attribute("Name=\"__proto__\"", &["x"]),
    ];
    let (_, token) = site
        .visit(&mut Browser::new(&site.world), "", &attributes.concat())
        .await;
    let payload = data_encoding::BASE64URL_NOPAD
        .decode(token.split('.').nth(1).unwrap().as_bytes())
        .unwrap();
    let claims: Value = serde_json::from_slice(&payload).unwrap();
    let now = site.world.app().kernel.clock.now().to_utc().timestamp();
    let request = claims["jti"].clone();
    assert!(request.is_string());
    assert_eq!(
        claims,
        json!({
            "plan": "pro", "department": "Sales", "groups": ["a", "b"], "beta": true, "staff": false, "__proto__": "x",
            "displayName": "nadia <b>", "name": "nadia <b>", "email": "nadia@tidewater.example", "sub": "nadia",
            "exp": now + 3600, "jti": request,
        })
    );
    // Conditions of the site see them.
    let condition = |plan: &str| json!({ "condition": format!("visitor.claims.plan == '{plan}'") });
    let world = &site.world;
    let items = world
        .on_site(&world.admin, "listSiteSpaces", &site.published.site)
        .expect(200)
        .await;
    for (plan, status) in [("pro", 200), ("free", 404)] {
        let update = world.on_site(&world.admin, "updateSiteSpaceById", &site.published.site);
        update
            .path("siteSpaceId", id(&items["items"][0]))
            .json(condition(plan))
            .expect(200)
            .await;
        let found = resolve(world, &site.published.address, json!({ "jwtToken": token }));
        found.expect(status).await;
    }
}

async fn nothing_is_made_of_a_visitor(database: TestDatabase) {
    let site = Site::new(database).await;
    let count = async || {
        let db = site.world.app().kernel.db.read();
        (
            users::Entity::find().count(db).await.unwrap(),
            sessions::Entity::find().count(db).await.unwrap(),
        )
    };
    let before = count().await;
    let mut browser = Browser::new(&site.world);
    site.visit(&mut browser, "", "").await;
    assert_eq!(count().await, before);
    browser.page("/account/", 401).await;
}

async fn only_the_browser_that_began_comes_in(database: TestDatabase) {
    let site = Site::new(database).await;
    let (mut browser, mut other) = (Browser::new(&site.world), Browser::new(&site.world));
    let request = site.begin(&mut browser, "").await;
    site.begin(&mut other, "").await;
    let visited = site.answer(&mut browser, &request, "").await;
    assert_eq!(other.get(&visited).await.status(), StatusCode::BAD_REQUEST);
    assert_eq!(
        Browser::new(&site.world).get(&visited).await.status(),
        StatusCode::BAD_REQUEST
    );
    // Neither with the token of another request.
    let second = site.begin(&mut other, "").await;
    let others = site.answer(&mut other, &second, "").await;
    let token_of = |address: &str| address.split("token=").nth(1).unwrap().to_owned();
    let mixed = visited.replace(&token_of(&visited), &token_of(&others));
    assert_ne!(mixed, visited);
    assert_eq!(browser.get(&mixed).await.status(), StatusCode::BAD_REQUEST);
    assert!(browser.follow(&visited).await.starts_with(&site.published.address));
    // Too late.
    let request = site.begin(&mut browser, "").await;
    let visited = site.answer(&mut browser, &request, "").await;
    site.world.clock().advance(chrono::TimeDelta::minutes(13));
    assert_eq!(browser.get(&visited).await.status(), StatusCode::BAD_REQUEST);
}

async fn a_provider_leads_into_sites_that_chose_it_alone(database: TestDatabase) {
    let site = Site::new(database).await;
    let world = &site.world;
    let other = world.new_site("Other", &[]).await;
    let start = site.sent("").await;
    let elsewhere = start.replace(id(&site.published.site), id(&other));
    assert_ne!(elsewhere, start);
    let mut browser = Browser::new(world);
    assert_eq!(browser.get(&elsewhere).await.status(), StatusCode::NOT_FOUND);
    // Also when it has changed while the visitor was away.
    let request = site.begin(&mut browser, "").await;
    site.change(json!({ "samlProvider": null })).expect(200).await;
    let answer = answer_to(world, &site.provider, &request, "nadia");
    let response = browser.answer(&site.provider, &answer.signed(FIRST), "state").await;
    assert_eq!(response.status(), StatusCode::NOT_FOUND);
    site.change(json!({ "samlProvider": site.provider["id"] }))
        .expect(200)
        .await;
    let request = site.begin(&mut browser, "").await;
    let visited = site.answer(&mut browser, &request, "").await;
    site.change(json!({ "samlProvider": null })).expect(200).await;
    assert_eq!(browser.get(&visited).await.status(), StatusCode::BAD_REQUEST);
}

async fn a_visit_is_no_session_and_a_session_no_visit(database: TestDatabase) {
    let site = Site::new(database).await;
    let mut browser = Browser::new(&site.world);
    // The name of a session's request is no visit.
    let start = site.provider["service"]["startURL"].as_str().unwrap();
    let session = request(&browser.follow(start).await);
    let visit = site.begin(&mut browser, "").await;
    let made_up = session.replacen('-', &format!("-{}-", id(&site.published.site)), 1);
    let parts: Vec<&str> = visit.rsplitn(2, '-').collect();
    let cut = format!("{}-{}", parts[1].rsplit_once('-').unwrap().0, parts[0]);
    for name in [made_up.as_str(), &cut] {
        let answer = answer_to(&site.world, &site.provider, name, "nadia");
        let response = browser.answer(&site.provider, &answer.signed(FIRST), "state").await;
        assert_eq!(response.status(), StatusCode::BAD_REQUEST, "{name}");
    }
    let visited = site.answer(&mut browser, &visit, "").await;
    let code = visited.split("token=").nth(1).unwrap();
    let finish = browser.get(&format!("/saml/finish?code={code}")).await;
    assert_eq!(finish.status(), StatusCode::BAD_REQUEST);
    browser.follow(&visited).await;
    browser.page("/account/", 401).await;
}

async fn an_assertion_counts_once(database: TestDatabase) {
    let site = Site::new(database).await;
    let mut browser = Browser::new(&site.world);
    let request = site.begin(&mut browser, "").await;
    let answer = answer_to(&site.world, &site.provider, &request, "nadia").signed(FIRST);
    location(&browser.answer(&site.provider, &answer, "state").await);
    let again = browser.answer(&site.provider, &answer, "state").await;
    assert_eq!(again.status(), StatusCode::BAD_REQUEST);
    let unsigned = answer_to(&site.world, &site.provider, &request, "mateo");
    let unsigned = unsigned.response(&unsigned.assertion());
    let refused = browser.answer(&site.provider, &unsigned, "state").await;
    assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
}

async fn visitors_stay_in_the_site(database: TestDatabase) {
    let site = Site::new(database).await;
    let base = &site.published.address;
    let start = site.sent("").await;
    let (start, _) = start.rsplit_once("&location=").unwrap();
    for (location, reached) in [
        ("//evil.example/", format!("{base}/evil.example/")),
        ("https://evil.example/", base.clone()),
        ("/..%2F..%2Fother", base.clone()),
        ("/../other", base.clone()),
        ("/%2e%2E/other", base.clone()),
        ("/a?jwt_token=theirs", base.clone()),
        ("/a#b", base.clone()),
        ("\\\\evil.example", base.clone()),
        ("/a/b%20c", format!("{base}a/b%20c")),
    ] {
        let mut browser = Browser::new(&site.world);
        let query = url::form_urlencoded::byte_serialize(location.as_bytes()).collect::<String>();
        let request = request(&browser.follow(&format!("{start}&location={query}")).await);
        let visited = site.answer(&mut browser, &request, "").await;
        let address = browser.follow(&visited).await;
        let (address, query) = address.split_once('?').unwrap();
        assert_eq!(address, reached, "{location}");
        assert!(
            query.starts_with("jwt_token=ey") && !query.contains("theirs"),
            "{query}"
        );
    }
}

async fn attributes_too_long_for_an_address_are_refused(database: TestDatabase) {
    let site = Site::new(database).await;
    let mut browser = Browser::new(&site.world);
    for (length, status) in [(2000, StatusCode::SEE_OTHER), (4000, StatusCode::FORBIDDEN)] {
        let request = site.begin(&mut browser, "").await;
        let mut answer = answer_to(&site.world, &site.provider, &request, "nadia");
        answer.attributes = attribute("Name=\"long\"", &[&"x".repeat(length)]);
        let response = browser.answer(&site.provider, &answer.signed(FIRST), "state").await;
        assert_eq!(response.status(), status);
    }
}

async fn a_provider_that_is_not_active_lets_nobody_in(database: TestDatabase) {
    let site = Site::new(database).await;
    let world = &site.world;
    let fallback = "https://tidewater.example/login";
    site.change(json!({ "fallbackURL": fallback })).expect(200).await;
    // The provider comes first, and stays when it is not named.
    let start = site.sent("").await;
    assert!(start.contains("/visit?"), "{start}");
    let update = world.admin.client.call("updateOrganizationSAMLProvider").here(world);
    let update = update.path("samlProviderId", id(&site.provider));
    update.json(json!({ "certificate": "" })).expect(200).await;
    assert!(site.sent("").await.starts_with(fallback));
    assert_eq!(Browser::new(world).get(&start).await.status(), StatusCode::NOT_FOUND);
    let delete = world.admin.client.call("deleteOrganizationSAMLProvider").here(world);
    delete.path("samlProviderId", id(&site.provider)).expect(204).await;
    let auth = world.on_site(&world.admin, "getSitePublishingAuthById", &site.published.site);
    assert_eq!(auth.expect(200).await["samlProvider"], Value::Null);
    assert!(site.sent("").await.starts_with(fallback));
    let posted = Browser::new(world).send(Method::POST, &start, &[]).await;
    assert_eq!(posted.status(), StatusCode::NOT_FOUND);
}

async fn the_provider_is_one_of_the_organization(database: TestDatabase) {
    let site = Site::new(database).await;
    let foreign = saml_providers::Entity::find()
        .all(site.world.app().kernel.db.read())
        .await
        .unwrap();
    let foreign = foreign
        .iter()
        .find(|row| row.organization_id != site.world.organization);
    let foreign = foreign.map_or("06dk6b7q2n8m4t1c5x9r3w0ejg".to_owned(), |row| row.id.to_string());
    for provider in [foreign.as_str(), "06dk6b7q2n8m4t1c5x9r3w0ejg", "none"] {
        let answer = site.change(json!({ "samlProvider": provider })).send().await;
        answer.has_detail("/body/samlProvider", "unknown-saml-provider");
    }
}
