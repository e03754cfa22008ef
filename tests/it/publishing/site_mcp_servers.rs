//! MCP servers of sites.

use std::collections::BTreeMap;

use entity::{ids::SiteMcpServerId, publishing::sites::mcp_servers};
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use crate::support::{
    client::Call,
    database::{TestDatabase, on_each_database},
    paths::texts,
    published::{Published, id, resolve, visitor},
    sites::add,
    world::{Person, World},
};

on_each_database![
    mcp_servers_are_added_changed_and_deleted,
    values_of_headers_are_sealed_and_never_answered,
    masked_values_of_headers_are_kept,
    bad_mcp_servers_are_refused,
    members_below_create_see_nothing_secret,
    visitors_see_mcp_servers_by_condition,
    mcp_servers_belong_to_their_site,
];

const URL: &str = "https://mcp.tidewater.example/orders?key=query-secret";

const SECRET: &str = "Bearer 9ac0ffee";

fn orders() -> Value {
    json!({ "name": "Orders", "url": URL, "headers": { "Authorization": SECRET } })
}

fn on<'a>(world: &World, person: &'a Person, operation: &str, site: &Value, server: &Value) -> Call<'a> {
    let call = world.on_site(person, operation, site);
    call.path("siteMcpServerId", id(server))
}

async fn row(world: &World, server: &Value) -> Option<mcp_servers::Model> {
    let found = mcp_servers::Entity::find_by_id(id(server).parse::<SiteMcpServerId>().unwrap());
    found.one(world.app().kernel.db.read()).await.unwrap()
}

/// The headers as they are stored.
async fn stored(world: &World, server: &Value) -> BTreeMap<String, String> {
    let kernel = &world.app().kernel;
    let row = row(world, server).await.unwrap();
    let purpose = format!("headers of the MCP server {}", row.id);
    serde_json::from_slice(&kernel.secrets.open(&purpose, &row.headers).unwrap()).unwrap()
}

async fn mcp_servers_are_added_changed_and_deleted(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    let create = world.on_site(&world.create, "createSiteMcpServer", &site);
    let created = create.json(orders()).send().await;
    let server = created.expect(201);
    let location = server["urls"]["location"].clone();
    assert_eq!(location, created.headers["location"].to_str().unwrap());
    let mut expected = json!({ "object": "site-mcp-server", "id": server["id"], "name": "Orders", "url": URL,
        "transport": "sse", "headers": { "Authorization": "********" }, "urls": { "location": location } });
    assert_eq!(server, expected);

    let condition = r#"visitor.claims.plan == "pro""#;
    let change = json!({ "name": "Returns", "url": "https://mcp.tidewater.example/returns", "transport": "http",
        "headers": {}, "condition": condition });
    let update = || on(&world, &world.create, "updateSiteMcpServerById", &site, &server);
    let changed = update().json(change.clone()).expect(200).await;
    for (member, value) in change.as_object().unwrap() {
        expected[member] = value.clone();
    }
    assert_eq!(changed, expected);
    // Members that are left out keep their value.
    assert_eq!(update().json(json!({})).expect(200).await, expected);
    let read = on(&world, &world.create, "getSiteMcpServerById", &site, &server);
    assert_eq!(read.expect(200).await, expected);
    let changed = update().json(json!({ "condition": null })).expect(200).await;
    assert_eq!(changed.get("condition"), None);

    add(&world, &site, "createSiteMcpServer", orders()).await;
    let list = world.on_site(&world.create, "listSiteMcpServers", &site);
    assert_eq!(texts(&list.expect(200).await, "/name"), ["Orders", "Returns"]);

    for _ in 0..2 {
        let delete = on(&world, &world.create, "deleteSiteMcpServerById", &site, &server);
        delete.expect(204).await;
    }
    for operation in ["getSiteMcpServerById", "updateSiteMcpServerById"] {
        let call = on(&world, &world.create, operation, &site, &server);
        let call = match operation {
            "updateSiteMcpServerById" => call.json(json!({})),
            _ => call,
        };
        call.expect(404).await;
    }
}

async fn values_of_headers_are_sealed_and_never_answered(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    let create = world.on_site(&world.admin, "createSiteMcpServer", &site);
    let created = create.json(orders()).send().await;
    let server = created.expect(201);
    let update = on(&world, &world.admin, "updateSiteMcpServerById", &site, &server);
    let updated = update.json(json!({ "headers": orders()["headers"] })).send().await;
    let read = on(&world, &world.admin, "getSiteMcpServerById", &site, &server);
    let listed = world.on_site(&world.admin, "listSiteMcpServers", &site).send().await;
    let events = world.admin.client.call("listOrganizationAuditEvents").here(&world);
    let events = events.send().await;
    assert!(events.text.contains("createSiteMcpServer"), "{}", events.text);
    // The query of the address may have a key.
    assert!(!events.text.contains("query-secret"), "{}", events.text);
    for answer in [created, updated, read.send().await, listed, events] {
        assert!(!answer.text.contains("9ac0ffee"), "{}", answer.text);
    }
    let headers = row(&world, &server).await.unwrap().headers;
    let is_plain = |part: &[u8]| part == b"9ac0ffee".as_slice() || part == b"Authoriz".as_slice();
    assert!(!headers.windows(8).any(is_plain));
    assert_eq!(stored(&world, &server).await["Authorization"], SECRET);
}

async fn masked_values_of_headers_are_kept(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    let mut body = orders();
    body["headers"]["X-Tenant"] = json!("north");
    let server = add(&world, &site, "createSiteMcpServer", body).await;
    let update = async |headers: Value| {
        let call = on(&world, &world.admin, "updateSiteMcpServerById", &site, &server);
        call.json(json!({ "headers": headers })).send().await
    };
    // What was read is written back, in another case and with one more header.
    let headers = json!({ "authorization": "********", "X-Region": "eu" });
    let changed = update(headers).await.expect(200);
    assert_eq!(
        changed["headers"],
        json!({ "authorization": "********", "X-Region": "********" })
    );
    let expected = [("X-Region", "eu"), ("authorization", SECRET)];
    assert_eq!(
        stored(&world, &server).await,
        expected.map(|(name, value)| (name.into(), value.into())).into()
    );
    // The value of a header that is gone cannot be kept.
    let refused = update(json!({ "X-Tenant": "********" })).await;
    refused.has_detail("/body/headers", "header");
    assert_eq!(stored(&world, &server).await.len(), 2);
}

async fn bad_mcp_servers_are_refused(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    let server = add(&world, &site, "createSiteMcpServer", orders()).await;
    let headers = |name: &str, value: &str| json!({ "headers": { name: value } });
    for (change, pointer, code) in [
        (headers("", "x"), "/body/headers", "header"),
        (headers("X Tenant", "x"), "/body/headers", "header"),
        (headers("X-Tenant\r\nHost", "x"), "/body/headers", "header"),
        (headers(&"x".repeat(101), "x"), "/body/headers", "header"),
        (
            json!({ "headers": { "X-A": "1", "x-a": "2" } }),
            "/body/headers",
            "header",
        ),
        (headers("X-A", "one\r\ntwo"), "/body/headers/X-A", "pattern"),
        (headers("X-A", ""), "/body/headers/X-A", "min-length"),
        (headers("X-A", &"x".repeat(513)), "/body/headers/X-A", "max-length"),
        (
            json!({ "condition": "visitor.claims.(" }),
            "/body/condition",
            "condition",
        ),
        (json!({ "url": "javascript:alert(1)" }), "/body/url", "pattern"),
        (
            json!({ "url": "https://user:password@tidewater.example/" }),
            "/body/url",
            "pattern",
        ),
    ] {
        let mut body = orders();
        body.as_object_mut()
            .unwrap()
            .extend(change.as_object().unwrap().clone());
        let create = world.on_site(&world.admin, "createSiteMcpServer", &site);
        create.json(body).send().await.has_detail(pointer, code);
        let update = on(&world, &world.admin, "updateSiteMcpServerById", &site, &server);
        update.json(change).send().await.has_detail(pointer, code);
    }
    let masked = json!({ "name": "Orders", "url": URL, "headers": { "X-A": "********" } });
    let create = world.on_site(&world.admin, "createSiteMcpServer", &site);
    create.json(masked).send().await.has_detail("/body/headers", "header");

    for _ in 1..50 {
        add(&world, &site, "createSiteMcpServer", orders()).await;
    }
    let create = world.on_site(&world.admin, "createSiteMcpServer", &site);
    let refused = create.json(orders()).expect(409).await;
    assert_eq!(refused["error"]["type"], "too-many-site-items");
}

async fn members_below_create_see_nothing_secret(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    let mut body = orders();
    body["condition"] = json!("false");
    let server = add(&world, &site, "createSiteMcpServer", body).await;
    for person in [&world.read, &world.review] {
        let seen = on(&world, person, "getSiteMcpServerById", &site, &server);
        let seen = seen.expect(200).await;
        assert_eq!(seen["url"], "https://mcp.tidewater.example/orders");
        assert_eq!((&seen["headers"], seen.get("condition")), (&json!({}), None));
        let list = world.on_site(person, "listSiteMcpServers", &site).expect(200).await;
        assert_eq!(list["items"], json!([seen]));
    }
    let seen = on(&world, &world.create, "getSiteMcpServerById", &site, &server);
    let seen = seen.expect(200).await;
    assert_eq!(seen["url"], URL);
    assert_eq!(seen["condition"], "false");
}

async fn visitors_see_mcp_servers_by_condition(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let site = &published.site;
    published
        .set(&world, json!({ "adaptiveContent": { "enabled": true } }))
        .await;
    let partner = "visitor.claims.unsigned.partner";
    for (name, condition) in [
        ("Open", json!(null)),
        ("Partners", json!(partner)),
        ("Nobody", json!("false")),
    ] {
        let mut body = orders();
        body["name"] = json!(name);
        body["condition"] = condition;
        add(&world, site, "createSiteMcpServer", body).await;
    }
    let list = world
        .on_site(&world.admin, "listSiteMcpServers", site)
        .expect(200)
        .await;
    assert_eq!(texts(&list, "/name"), ["Nobody", "Partners", "Open"]);
    for (claims, expected) in [
        (json!({}), &["Open"][..]),
        (json!({ "partner": true }), &["Partners", "Open"]),
    ] {
        let found = resolve(&world, &published.address, json!({ "unsignedClaims": claims }));
        let client = visitor(&world, &found.expect(200).await);
        let call = |operation: &str| client.call(operation).here(&world).path("siteId", id(site));
        let seen = call("listSiteMcpServers").expect(200).await;
        assert_eq!(texts(&seen, "/name"), expected);
        assert_eq!(seen["count"], expected.len());
        for secret in [partner, "query-secret", "Authorization"] {
            assert!(!seen.to_string().contains(secret), "{seen}");
        }
        // A page of the list begins after what the visitor saw.
        let first = call("listSiteMcpServers").query("limit", 1).expect(200).await;
        assert_eq!(texts(&first, "/name"), expected[..1]);
        assert_eq!(first.get("next").is_some(), expected.len() > 1);
        for server in list["items"].as_array().unwrap() {
            let is_seen = expected.contains(&server["name"].as_str().unwrap());
            let get = call("getSiteMcpServerById").path("siteMcpServerId", id(server));
            get.expect(if is_seen { 200 } else { 404 }).await;
        }
    }
}

async fn mcp_servers_belong_to_their_site(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    let server = add(&world, &site, "createSiteMcpServer", orders()).await;
    let other = world.new_site("Other", &[]).await;
    on(&world, &world.admin, "getSiteMcpServerById", &other, &server)
        .expect(404)
        .await;
    let update = on(&world, &world.admin, "updateSiteMcpServerById", &other, &server);
    update.json(json!({ "name": "Taken" })).expect(404).await;
    on(&world, &world.admin, "deleteSiteMcpServerById", &other, &server)
        .expect(204)
        .await;
    let read = on(&world, &world.read, "getSiteMcpServerById", &site, &server);
    assert_eq!(read.expect(200).await["name"], "Orders");
    world.on_site(&world.admin, "deleteSiteById", &site).expect(204).await;
    assert_eq!(row(&world, &server).await, None);
}
