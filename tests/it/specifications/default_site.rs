//! Organizations that start with a site.

use serde_json::{Value, json};

use crate::support::{
    client::{Call, Client},
    computed::paths,
    database::{TestDatabase, on_each_database},
    specs::{SourceServer, document, process},
    world::World,
};

on_each_database![
    a_site_comes_with_its_organization,
    nothing_comes_with_it_unasked,
    preferences_say_what_space_and_site_are_like,
    the_space_shows_a_specification,
    a_specification_that_cannot_be_fetched_says_so,
    wrong_preferences_make_nothing,
];

/// What came with an organization.
struct Made {
    organization: Value,
    site: Value,
    space: Value,
    pages: Value,
}

impl Made {
    async fn of(client: &Client, create: Call<'_>) -> Self {
        let organization = create.query("withDefaultSite", "true").expect(201).await;
        let of = |operation| client.call(operation).path("organizationId", text(&organization["id"]));
        let sites = of("listSites").expect(200).await;
        assert_eq!(sites["items"].as_array().unwrap().len(), 1);
        let site = sites["items"][0].clone();
        assert_eq!(
            organization["defaultContent"],
            json!({ "type": "site", "site": site["id"] })
        );
        let spaces = of("listSpacesInOrganizationById").expect(200).await;
        assert_eq!(spaces["items"].as_array().unwrap().len(), 1);
        let space = spaces["items"][0].clone();
        let structure = of("getSiteStructure").path("siteId", text(&site["id"]));
        let structure = structure.expect(200).await;
        assert_eq!(structure["structure"].as_array().unwrap().len(), 1);
        assert_eq!(structure["structure"][0]["space"]["id"], space["id"]);
        assert_eq!(structure["structure"][0]["default"], true);
        let pages = client.call("listPages").space(text(&space["id"])).expect(200).await;
        Self {
            organization,
            site,
            space,
            pages: pages["pages"].clone(),
        }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn create<'c>(client: &'c Client, title: &str) -> Call<'c> {
    client.call("createOrganization").json(json!({ "title": title }))
}

fn preferring(client: &Client, source: Value, audience: Value, interests: Value) -> Call<'_> {
    let preferences = json!({ "source": source, "audience": audience, "interests": interests });
    let body = json!({ "title": "Kelp", "onboardingPreferences": preferences });
    client.call("createOrganization").json(body)
}

async fn a_site_comes_with_its_organization(database: TestDatabase) {
    let world = World::new(database).await;
    let client = &world.stranger.client;
    let made = Made::of(client, create(client, "Kelp Farms")).await;
    assert_eq!(made.site["title"], "Kelp Farms");
    assert_eq!(made.site["basename"], "kelp-farms");
    assert_eq!(made.site["visibility"], "public");
    assert_eq!(made.site["published"], false);
    assert_eq!(made.space["title"], "Documentation");
    assert_eq!(paths(&made.pages), ["untitled"]);
    let organization = text(&made.organization["id"]);
    let read = client.call("getOrganizationById").path("organizationId", organization);
    assert_eq!(read.expect(200).await, made.organization);
    // Each thing that was made has an event.
    let events = client.call("listOrganizationAuditEvents");
    let events = events.path("organizationId", organization).expect(200).await;
    let events = events["items"].as_array().unwrap().iter();
    let mut targets: Vec<&str> = events.map(|event| text(&event["target"]["type"])).collect();
    targets.sort_unstable();
    assert_eq!(targets, ["organization", "site", "space"]);
    // A site of the same name gets another address, and a title that is too long for a site is not its title.
    let second = Made::of(client, create(client, "Kelp Farms")).await;
    assert_eq!(second.site["title"], "Kelp Farms");
    assert_ne!(second.site["basename"], made.site["basename"]);
    let long = Made::of(client, create(client, &"k".repeat(129))).await;
    assert_eq!(long.site["title"], "Untitled site");
    let longest = Made::of(client, create(client, &"k".repeat(128))).await;
    assert_eq!(longest.site["title"], "k".repeat(128));
}

async fn nothing_comes_with_it_unasked(database: TestDatabase) {
    let world = World::new(database).await;
    let client = &world.stranger.client;
    for asked in [None, Some("false")] {
        let call = preferring(client, json!("template"), json!("mixed"), json!(["proactive-agent"]));
        let call = call.query("openapiUrl", "https://api.tidewater.example/openapi.yaml");
        let call = match asked {
            Some(asked) => call.query("withDefaultSite", asked),
            None => call,
        };
        let organization = call.expect(201).await;
        assert_eq!(organization["ai"], false);
        assert!(organization.get("defaultContent").is_none_or(Value::is_null));
        for list in ["listSites", "listSpacesInOrganizationById", "listOpenAPISpecs"] {
            let call = client.call(list).path("organizationId", text(&organization["id"]));
            assert_eq!(call.expect(200).await["items"], json!([]), "{list}");
        }
    }
}

async fn preferences_say_what_space_and_site_are_like(database: TestDatabase) {
    let world = World::new(database).await;
    let client = &world.stranger.client;
    let all = json!(["adaptive-content", "api-docs", "proactive-agent"]);
    let cases = [
        (json!(null), json!(null), json!([]), "public", false, Some("untitled")),
        (
            json!("markdown-in-git"),
            json!("public"),
            json!([]),
            "public",
            false,
            None,
        ),
        (json!("import"), json!("mixed"), json!([]), "public", true, None),
        (
            json!("template"),
            json!("protected"),
            json!([]),
            "visitor-auth",
            false,
            Some("overview"),
        ),
        (
            json!("template"),
            json!("internal"),
            all,
            "visitor-auth",
            true,
            Some("introduction"),
        ),
    ];
    for (source, audience, interests, visibility, is_adaptive, first_page) in cases {
        let has_ai = interests.as_array().unwrap().len() == 3;
        let made = Made::of(client, preferring(client, source, audience, interests)).await;
        assert_eq!(made.site["visibility"], visibility);
        assert_eq!(made.site["adaptiveContent"]["enabled"], is_adaptive);
        assert_eq!(made.organization["ai"], has_ai);
        assert_eq!(paths(&made.pages).first().map(String::as_str), first_page);
    }
    // What a template brings is found.
    let made = Made::of(
        client,
        preferring(client, json!("template"), json!(null), json!(["api-docs"])),
    )
    .await;
    let search = client.call("searchSpaceContent").space(text(&made.space["id"]));
    let found = search.query("query", "authentication").expect(200).await;
    assert_ne!(found["items"], json!([]));
}

async fn world_with_sources(database: TestDatabase, allowed: Option<&str>) -> (World, SourceServer) {
    let allowed = allowed.map(str::to_owned);
    let world = World::with(database, |flags| flags.allow_private_addresses = allowed).await;
    let server = SourceServer::start().await;
    server.set_text("/api.json", document("Kelp"));
    (world, server)
}

fn with_specification<'c>(client: &'c Client, server: &SourceServer) -> Call<'c> {
    let address = format!("{}/api.json", server.base);
    create(client, "Kelp").query("openapiUrl", address)
}

async fn the_space_shows_a_specification(database: TestDatabase) {
    let (world, server) = world_with_sources(database, Some("127.0.0.1")).await;
    let client = &world.stranger.client;
    let made = Made::of(client, with_specification(client, &server)).await;
    assert_eq!(made.space["title"], "API reference");
    process(world.app()).await;
    let pages = client
        .call("listPages")
        .space(text(&made.space["id"]))
        .expect(200)
        .await;
    let shown = paths(&pages["pages"]);
    assert!(
        shown
            .iter()
            .any(|path| path.starts_with("api/") && path.contains("listpets")),
        "{shown:?}"
    );
    let spec = client.call("getOpenAPISpecBySlug").path("specSlug", "api");
    let spec = spec
        .path("organizationId", text(&made.organization["id"]))
        .expect(200)
        .await;
    assert_eq!(spec["sourceURL"], format!("{}/api.json", server.base));
    assert_eq!(spec["processingState"], "complete");
}

async fn a_specification_that_cannot_be_fetched_says_so(database: TestDatabase) {
    let (world, server) = world_with_sources(database, None).await;
    let client = &world.stranger.client;
    let made = Made::of(client, with_specification(client, &server)).await;
    process(world.app()).await;
    let spec = client.call("getOpenAPISpecBySlug").path("specSlug", "api");
    let spec = spec
        .path("organizationId", text(&made.organization["id"]))
        .expect(200)
        .await;
    assert_eq!(spec["processingState"], "complete");
    assert!(spec["lastProcessErrorCode"].is_string(), "{spec}");
    assert_eq!(server.answered(), []);
}

async fn wrong_preferences_make_nothing(database: TestDatabase) {
    let world = World::new(database).await;
    let client = &world.stranger.client;
    for address in [
        "ftp://api.tidewater.example/",
        "api.yaml",
        &format!("https://{}", "a".repeat(2048)),
    ] {
        let call = create(client, "Kelp").query("withDefaultSite", "true");
        let answer = call.query("openapiUrl", address).send().await;
        assert_eq!(answer.status, 400);
        assert_eq!(answer.details()[0].0, "/query/openapiUrl");
    }
    let cases = [
        (
            json!("book"),
            json!(null),
            json!([]),
            "/body/onboardingPreferences/source",
        ),
        (
            json!(null),
            json!("all"),
            json!([]),
            "/body/onboardingPreferences/audience",
        ),
        (
            json!(null),
            json!(null),
            json!(["books"]),
            "/body/onboardingPreferences/interests/0",
        ),
        (
            json!(null),
            json!(null),
            json!(["api-docs", "api-docs"]),
            "/body/onboardingPreferences/interests",
        ),
    ];
    for (source, audience, interests, pointer) in cases {
        let call = preferring(client, source, audience, interests);
        let answer = call.query("withDefaultSite", "true").send().await;
        assert_eq!(answer.status, 400);
        assert_eq!(answer.details()[0].0, pointer);
    }
    let answer = create(client, "Kelp").query("withDefaultSite", "yes").send().await;
    answer.has_detail("/query/withDefaultSite", "type");
    let list = client.call("listOrganizationsForAuthenticatedUser").expect(200).await;
    assert_eq!(list["items"], json!([]));
}
