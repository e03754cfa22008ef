//! Documents without a token, and what keeps their bytes.

use chrono::TimeDelta;
use entity::platform::blobs;
use sea_orm::{EntityTrait, PaginatorTrait};
use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    specs::{document, world_with_sources},
    world::World,
};

on_each_database![
    a_public_specification_is_read_without_a_token,
    signed_addresses_are_exact,
    bytes_stay_as_long_as_a_specification_has_them,
    descriptions_of_fetched_documents_run_no_scripts,
    the_source_of_a_version_is_read_as_it_was_submitted,
];

fn path(world: &World, address: &Value) -> String {
    let address = address.as_str().unwrap();
    address.strip_prefix(world.nobody().base()).unwrap().to_owned()
}

async fn a_public_specification_is_read_without_a_token(database: TestDatabase) {
    let world = World::new(database).await;
    let spec = world.process_source("pets", json!({ "text": document("Pets") })).await;
    let address = format!("/openapi/{}", spec["id"].as_str().unwrap());
    assert!(spec["urls"].get("published").is_none());
    assert_eq!(world.nobody().get(&address).await.status(), 404);
    let set = async |visibility: &str| {
        let call = world.spec_call("updateOpenAPISpecBySlug", "pets");
        call.json(json!({ "visibility": visibility })).expect(200).await
    };
    let public = set("public").await;
    assert_eq!(path(&world, &public["urls"]["published"]), address);
    let answer = world.nobody().get(&address).await;
    let header = |name: &str| answer.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(
        (answer.status().as_u16(), header("content-type")),
        (200, "application/json".to_owned())
    );
    assert_eq!(header("access-control-allow-origin"), "*");
    let tag = header("etag");
    assert_eq!(answer.text().await.unwrap(), document("Pets"));
    let again = world
        .nobody()
        .request(reqwest::Method::GET, &address)
        .header("if-none-match", &tag);
    assert_eq!(again.send().await.unwrap().status(), 304);
    world
        .process_source("pets", json!({ "text": document("More pets") }))
        .await;
    let again = world
        .nobody()
        .request(reqwest::Method::GET, &address)
        .header("if-none-match", &tag);
    assert_eq!(again.send().await.unwrap().text().await.unwrap(), document("More pets"));
    set("private").await;
    assert_eq!(world.nobody().get(&address).await.status(), 404);
    // A public specification without a version has no address.
    world
        .admin
        .client
        .call("createOpenAPISpec")
        .here(&world)
        .json(json!({ "slug": "empty", "source": { "text": "-" } }))
        .expect(201)
        .await;
    let call = world
        .spec_call("updateOpenAPISpecBySlug", "empty")
        .json(json!({ "visibility": "public" }));
    assert!(call.expect(200).await["urls"].get("published").is_none());
}

async fn signed_addresses_are_exact(database: TestDatabase) {
    let world = World::new(database).await;
    let latest = world
        .spec_call("getLatestOpenAPISpecVersion", &world.own("specSlug"))
        .expect(200)
        .await;
    let address = path(&world, &latest["url"]);
    let answer = world.nobody().get(&address).await;
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.text().await.unwrap(), document(&world.own("specSlug")));
    let parts: Vec<&str> = address.split('/').collect();
    let (signature, version, other) = (parts[2], parts[3], world.foreign("versionId"));
    for wrong in [
        format!("/openapi/{signature}/{other}"),
        format!("/openapi/{}/{version}", &signature[1..]),
        format!("/openapi/{}/{version}", signature.to_uppercase()),
        format!("/openapi/{version}"),
        format!("/openapi/{signature}/{version}/x"),
        "/openapi/".to_owned(),
        "/openapi/x/y".to_owned(),
    ] {
        assert_eq!(world.nobody().get(&wrong).await.status(), 404, "{wrong}");
    }
}

async fn bytes_stay_as_long_as_a_specification_has_them(database: TestDatabase) {
    let world = World::new(database).await;
    let app = world.app();
    let count = async || blobs::Entity::find().count(app.kernel.db.read()).await.unwrap();
    world.clock().advance(TimeDelta::days(2));
    app.kernel.blobs.purge().await.unwrap();
    let before = count().await;
    // The source, which is a text, the document made of it, and the document with its descriptions as HTML.
    let text = format!("{}\n", document("Pets"));
    world.process_source("pets", json!({ "text": text })).await;
    assert_eq!(count().await, before + 3);
    world.clock().advance(TimeDelta::days(2));
    app.kernel.blobs.purge().await.unwrap();
    assert_eq!(count().await, before + 3);
    let content = world
        .spec_call("getLatestOpenAPISpecVersionContent", "pets")
        .expect(200)
        .await;
    assert_eq!(content["filesystem"][0]["specification"]["info"]["title"], "Pets");
    world.spec_call("deleteOpenAPISpecBySlug", "pets").expect(204).await;
    app.kernel.blobs.purge().await.unwrap();
    assert_eq!(count().await, before);
}

/// Renderers put the HTML beside a description into their pages as it is, and the description itself if there is none.
async fn descriptions_of_fetched_documents_run_no_scripts(database: TestDatabase) {
    const HTML: &str = "x-gitbook-description-html";
    let (world, server) = world_with_sources(database).await;
    let evil = "**Opens** <img src=x onerror=alert(1)><script>alert(1)</script>[a](javascript:alert(1))";
    let schema =
        json!({ "type": "object", "description": evil, HTML: evil, "example": { "description": evil, HTML: evil } });
    let response = json!({ "description": evil, "content": { "application/json": { "schema": schema } } });
    let parameter = json!({ "name": "a", "in": "query", "description": evil, "schema": schema });
    let operation = json!({ "description": evil, "parameters": [parameter], "responses": { "200": response } });
    let scheme = json!({ "type": "http", "scheme": "basic", "description": evil });
    let source = json!({
        "openapi": "3.0.3", "info": { "title": "T", "version": "1", "description": evil },
        "tags": [{ "name": "a", "description": evil }],
        "paths": { "/grip": { "get": operation } },
        "components": { "securitySchemes": { "a": scheme }, "schemas": { "A": schema } },
    });
    server.set_text("/a.json", source.to_string());
    let spec = world.process_source("pets", server.source("/a.json")).await;
    let latest = world.spec_call("getLatestOpenAPISpecVersionContent", "pets");
    let by_id = world.spec_call("getOpenAPISpecVersionContentById", "pets");
    let by_id = by_id.path("versionId", spec["lastVersion"].as_str().unwrap());
    for content in [latest.expect(200).await, by_id.expect(200).await] {
        let document = &content["filesystem"][0]["specification"];
        for place in [
            "/info",
            "/tags/0",
            "/paths/~1grip/get",
            "/paths/~1grip/get/parameters/0",
            "/paths/~1grip/get/parameters/0/schema",
            "/paths/~1grip/get/responses/200",
            "/paths/~1grip/get/responses/200/content/application~1json/schema",
            "/components/securitySchemes/a",
            "/components/schemas/A",
        ] {
            let described = document.pointer(place).unwrap();
            let html = "<p><strong>Opens</strong> <img src=\"x\"><a rel=\"noopener noreferrer\">a</a></p>";
            assert_eq!(described[HTML], html, "{place}");
            assert_eq!(described["description"], evil, "{place}");
        }
        let example = &document["components"]["schemas"]["A"]["examples"][0];
        assert_eq!(*example, json!({ "description": evil }));
    }
}

async fn the_source_of_a_version_is_read_as_it_was_submitted(database: TestDatabase) {
    let (world, server) = world_with_sources(database).await;
    let yaml = "# \"Pets\" \\ \u{e9}\u{1f43e}\r\n\topenapi\n".to_owned();
    let yaml = format!(
        "{}openapi: 3.1.0\ninfo: {{title: 'Pets \u{1f43e}', version: 2.10}}\npaths: {{}}\n",
        yaml.replace("\topenapi", "#\tx")
    );
    server.set_text("/a.yaml", yaml.as_str());
    let raw = || world.spec_call("getLatestOpenAPISpecVersionContentRaw", "pets");
    for (source, text, format) in [
        (json!({ "text": document("Pets") }), document("Pets"), "json"),
        (server.source("/a.yaml"), yaml, "yaml"),
    ] {
        world.process_source("pets", source).await;
        let answer = raw().send().await;
        assert_eq!(answer.expect(200), json!({ "text": text, "format": format }));
        let tag = answer.headers["etag"].to_str().unwrap();
        assert_eq!(raw().header("if-none-match", tag).send().await.status, 304);
    }
    // A version keeps its source when a further source makes no version.
    world.process_source("pets", json!({ "text": "-" })).await;
    assert_eq!(raw().expect(200).await["format"], "yaml");
}
