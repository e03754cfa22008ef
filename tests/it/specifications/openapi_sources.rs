//! Sources that are fetched, and sources that are wrong.

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    jobs::cancel_job,
    specs::{Reply, SourceServer, document, refresh, world_with_sources},
    world::World,
};

on_each_database![
    sources_are_fetched_again_when_they_are_due,
    a_failure_keeps_the_last_version,
    a_job_that_is_cancelled_is_told,
    documents_that_a_source_refers_to_become_part_of_it,
    private_addresses_are_refused,
    wrong_sources_are_explained,
    a_version_with_faults_is_made_and_reported,
    sources_are_utf8,
    a_source_that_never_answers_ends,
];

async fn sources_are_fetched_again_when_they_are_due(database: TestDatabase) {
    let (world, server) = world_with_sources(database).await;
    server.set("/a.json", Reply::Text(document("One"), Some("\"1\"")));
    let spec = world.process_source("pets", server.source("/a.json")).await;
    assert_eq!(spec["sourceURL"], server.source("/a.json")["url"]);
    let asked = |status: u16| vec![("/a.json".to_owned(), status)];
    assert_eq!(server.answered(), asked(200));
    let read = async || world.spec_call("getOpenAPISpecBySlug", "pets").expect(200).await;
    world.clock().advance(TimeDelta::hours(5));
    refresh(world.app()).await;
    assert_eq!(server.answered(), []);
    world.clock().advance(TimeDelta::hours(1));
    refresh(world.app()).await;
    assert_eq!(server.answered(), asked(304));
    let unchanged = read().await;
    assert_eq!(unchanged["lastVersion"], spec["lastVersion"]);
    assert_ne!(unchanged["lastProcessedAt"], spec["lastProcessedAt"]);
    server.set("/a.json", Reply::Text(document("Two"), Some("\"2\"")));
    world.clock().advance(TimeDelta::hours(6));
    refresh(world.app()).await;
    assert_eq!(server.answered(), asked(200));
    let changed = read().await;
    assert_ne!(changed["lastVersion"], spec["lastVersion"]);
    // Setting the source asks for all of it.
    world.process_source("pets", server.source("/a.json")).await;
    assert_eq!(server.answered(), asked(200));
    assert_eq!(read().await["lastVersion"], changed["lastVersion"]);
    // A text is never fetched.
    world.process_source("pets", json!({ "text": document("Three") })).await;
    world.clock().advance(TimeDelta::hours(7));
    refresh(world.app()).await;
    assert_eq!(server.answered(), []);
    assert!(read().await.get("sourceURL").is_none());
}

fn first_error(spec: &Value) -> (&str, &str) {
    let error = &spec["lastProcessedErrors"][0];
    assert_eq!(error["code"], spec["lastProcessErrorCode"], "{spec}");
    let code = spec["lastProcessErrorCode"].as_str().unwrap_or_default();
    (code, error["message"].as_str().unwrap_or_default())
}

async fn a_failure_keeps_the_last_version(database: TestDatabase) {
    let (world, server) = world_with_sources(database).await;
    server.set("/a.json", Reply::Text(document("One"), Some("\"1\"")));
    let good = world.process_source("pets", server.source("/a.json")).await;
    for (reply, code, message) in [
        (
            Reply::Status("404 Not Found"),
            "FETCH_ERROR",
            "responded with the status 404.",
        ),
        (
            Reply::Status("304 Not Modified"),
            "FETCH_ERROR",
            "responded with the status 304.",
        ),
        (
            Reply::Text("<html>Sign in</html>".to_owned(), None),
            "PARSE_ERROR",
            "The document is HTML",
        ),
    ] {
        server.set("/a.json", reply);
        let spec = world.process_source("pets", server.source("/a.json")).await;
        let (said, why) = first_error(&spec);
        assert!(said == code && why.contains(message), "{spec}");
        assert_eq!(spec["lastVersion"], good["lastVersion"]);
    }
    let content = world
        .spec_call("getLatestOpenAPISpecVersionContent", "pets")
        .expect(200)
        .await;
    assert_eq!(content["filesystem"][0]["specification"]["info"]["title"], "One");
    server.set("/a.json", Reply::Text(document("One"), Some("\"1\"")));
    world.clock().advance(TimeDelta::hours(6));
    refresh(world.app()).await;
    let spec = world.spec_call("getOpenAPISpecBySlug", "pets").expect(200).await;
    assert!(
        spec.get("lastProcessErrorCode").is_none() && spec.get("lastProcessedErrors").is_none(),
        "{spec}"
    );
}

async fn documents_that_a_source_refers_to_become_part_of_it(database: TestDatabase) {
    let (world, server) = world_with_sources(database).await;
    let schema = json!({ "$ref": "schemas/pet.yaml#/Pet" });
    let root = json!({
        "openapi": "3.0.0", "info": { "title": "Pets", "version": "1" }, "paths": {},
        "components": { "schemas": { "Pet": schema } },
    });
    server.set("/v1/a.json", Reply::Text(root.to_string(), Some("\"1\"")));
    server.set_text(
        "/v1/schemas/pet.yaml",
        "Pet:\n  type: object\n  nullable: true\n  properties: {next: {$ref: '#/Pet'}}\n",
    );
    let spec = world.process_source("pets", server.source("/v1/a.json")).await;
    assert!(spec["lastVersion"].is_string(), "{spec}");
    let content = world
        .spec_call("getLatestOpenAPISpecVersionContent", "pets")
        .expect(200)
        .await;
    let document = &content["filesystem"][0]["specification"];
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(
        document["components"]["schemas"]["Pet"],
        json!({ "$ref": "#/x-ext/1/Pet" })
    );
    assert_eq!(document["x-ext"]["1"]["Pet"]["type"], json!(["object", "null"]));
    // The tag of the source says nothing of the others.
    server.answered();
    server.set_text("/v1/schemas/pet.yaml", "Pet: {type: string}\n");
    world.clock().advance(TimeDelta::hours(6));
    refresh(world.app()).await;
    assert_eq!(
        server.answered(),
        [("/v1/a.json".to_owned(), 200), ("/v1/schemas/pet.yaml".to_owned(), 200)]
    );
    let latest = world.spec_call("getLatestOpenAPISpecVersion", "pets").expect(200).await;
    assert_ne!(latest["id"], spec["lastVersion"]);
    for (path, message) in [
        ("/v1/missing.yaml", "responded with the status 404."),
        ("ftp://a.example/b", "does not lead to"),
    ] {
        let root = root.to_string().replace("schemas/pet.yaml", path);
        server.set_text("/v1/a.json", root);
        let spec = world.process_source("pets", server.source("/v1/a.json")).await;
        assert!(first_error(&spec).1.contains(message), "{spec}");
    }
    let broken = "Pet: {$ref: '#/Nothing'}\n";
    server.set_text("/v1/schemas/pet.yaml", broken);
    server.set_text("/v1/a.json", root.to_string());
    let spec = world.process_source("pets", server.source("/v1/a.json")).await;
    let error = &spec["lastProcessedErrors"][0];
    assert_eq!(error["pointer"], "/Pet/$ref", "{spec}");
    assert_eq!(error["document"], format!("{}/v1/schemas/pet.yaml", server.base));
    assert!(spec.get("lastProcessErrorCode").is_none(), "{spec}");
}

/// Documents that other tools show make versions.
async fn a_version_with_faults_is_made_and_reported(database: TestDatabase) {
    let world = World::new(database).await;
    let get =
        |reference: &str| json!({ "get": { "operationId": "read", "responses": { "200": { "$ref": reference } } } });
    let mut paths: serde_json::Map<_, _> = (0..60)
        .map(|number| (format!("/{number}"), json!({ "get": {} })))
        .collect();
    paths.insert("/a".to_owned(), get("#/components/responses/None"));
    paths.insert("/b".to_owned(), get("#/components/responses/Some"));
    let source = json!({
        "openapi": "3.0.3", "info": { "title": "Pets" }, "paths": paths,
        "components": { "responses": { "Some": { "description": "OK" } }, "schemas": { "Page«Pet»": { "type": "object" } } },
    });
    let former = world.process_source("pets", json!({ "text": document("One") })).await;
    assert_eq!(former["lastProcessedErrorCount"], 0);
    let spec = world
        .process_source("pets", json!({ "text": source.to_string() }))
        .await;
    assert_ne!(spec["lastVersion"], former["lastVersion"]);
    assert!(spec.get("lastProcessErrorCode").is_none(), "{spec}");
    // Beside the operations without responses.
    assert_eq!(spec["lastProcessedErrorCount"], 64);
    let errors = spec["lastProcessedErrors"].as_array().unwrap();
    assert_eq!(errors.len(), 50);
    let places: Vec<_> = errors
        .iter()
        .take(3)
        .map(|error| error["pointer"].as_str().unwrap())
        .collect();
    assert_eq!(places, ["/info", "/components/schemas/Page«Pet»", "/paths/~10/get"]);
    let latest = world
        .spec_call("getLatestOpenAPISpecVersionContent", "pets")
        .expect(200)
        .await;
    let made = &latest["filesystem"][0]["specification"];
    assert_eq!(made["components"]["schemas"]["Page_Pet"]["title"], "Page«Pet»");
    // Only what cannot be read makes no version.
    let failed = world.process_source("pets", json!({ "text": "openapi: 3.1.0" })).await;
    assert_eq!(first_error(&failed).0, "PARSE_ERROR");
    assert_eq!(
        (&failed["lastVersion"], &failed["lastProcessedErrorCount"]),
        (&spec["lastVersion"], &json!(1))
    );
}

async fn private_addresses_are_refused(database: TestDatabase) {
    let world = World::new(database).await;
    let server = SourceServer::start().await;
    server.set_text("/a.json", document("Secret"));
    let metadata = json!({ "url": "http://169.254.169.254/latest/meta-data" });
    // Whether a name exists in a private network is not told.
    for (source, reason) in [
        (server.source("/a.json"), "does not fetch from private"),
        (metadata, "does not fetch from private"),
        (
            json!({ "url": "http://localhost:9/" }),
            "could not be reached, or is not public",
        ),
    ] {
        let spec = world.process_source("pets", source).await;
        let (code, message) = first_error(&spec);
        assert!(code == "FETCH_ERROR" && message.contains(reason), "{spec}");
    }
    let root = json!({
        "openapi": "3.1.0", "info": { "title": "T", "version": "1" },
        "components": { "schemas": { "A": { "$ref": format!("{}/a.json", server.base) } } },
    });
    let spec = world.process_source("pets", json!({ "text": root.to_string() })).await;
    assert!(first_error(&spec).1.contains("does not fetch from private"), "{spec}");
    assert_eq!(server.answered(), []);
}

async fn wrong_sources_are_explained(database: TestDatabase) {
    let (world, server) = world_with_sources(database).await;
    let head = "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths: {}\n";
    let aliases: Vec<String> = (1..30)
        .map(|i| format!("x-{i}: &a{i} [{}]\n", format!("*a{},", i - 1).repeat(9)))
        .collect();
    let bomb = format!("{head}x-0: &a0 [a]\n{}", aliases.concat());
    for (text, message, place) in [
        (
            "-".to_owned(),
            "The document is not an object.",
            json!({ "pointer": "" }),
        ),
        (
            "a: [1".to_owned(),
            "The YAML cannot be parsed",
            json!({ "line": 2, "column": 1 }),
        ),
        (
            format!("{head}---\n{head}"),
            "more than one YAML document",
            json!({ "line": 4, "column": 1 }),
        ),
        (bomb, "Aliases make the document too large.", json!({})),
        (
            head.replace("3.1", "5.1"),
            "The version `5.1.0` is not one of",
            json!({ "pointer": "/openapi" }),
        ),
    ] {
        let spec = world.process_source("pets", json!({ "text": text })).await;
        let (code, why) = first_error(&spec);
        assert!(code == "PARSE_ERROR" && why.contains(message), "{spec}");
        for (name, value) in place.as_object().unwrap() {
            assert_eq!(spec["lastProcessedErrors"][0][name], *value, "{spec}");
        }
    }
    assert!(
        world
            .spec_call("getOpenAPISpecBySlug", "pets")
            .expect(200)
            .await
            .get("lastVersion")
            .is_none()
    );
    server.set_text("/large.json", " ".repeat(20 * 1024 * 1024 + 1));
    let spec = world.process_source("pets", server.source("/large.json")).await;
    let (code, why) = first_error(&spec);
    assert!(
        code == "FETCH_ERROR" && why.contains("returns more than 20971520 bytes"),
        "{spec}"
    );
}

/// A source, and documents that it refers to, that are not UTF-8.
async fn sources_are_utf8(database: TestDatabase) {
    let (world, server) = world_with_sources(database).await;
    let latin: &[u8] = b"openapi: 3.1.0\ninfo:\n  title: Caf\xe9\n  version: '1'\npaths: {}\n";
    server.set("/latin.yaml", Reply::Bytes(latin));
    let good = world
        .process_source("pets", json!({ "text": document("Caf\u{e9}") }))
        .await;
    let place = |spec: &Value| {
        let error = spec["lastProcessedErrors"][0].clone();
        (
            error["line"].clone(),
            error["column"].clone(),
            error["document"].clone(),
        )
    };
    let spec = world.process_source("pets", server.source("/latin.yaml")).await;
    assert_eq!(first_error(&spec), ("PARSE_ERROR", "The document is not UTF-8."));
    assert_eq!(place(&spec), (json!(3), json!(13), Value::Null));
    assert_eq!(spec["lastVersion"], good["lastVersion"]);
    let root = json!({
        "openapi": "3.1.0", "info": { "title": "T", "version": "1" },
        "components": { "schemas": { "A": { "$ref": "latin.yaml#/info" } } },
    });
    server.set_text("/root.json", root.to_string());
    let spec = world.process_source("pets", server.source("/root.json")).await;
    assert_eq!(first_error(&spec), ("PARSE_ERROR", "The document is not UTF-8."));
    let address = json!(format!("{}/latin.yaml", server.base));
    assert_eq!(place(&spec), (json!(3), json!(13), address));
    // A text is a part of a request, which is UTF-8 as a whole.
    let mut body = br#"{"source": {"text": "Caf"#.to_vec();
    body.extend(b"\xe9\"}}");
    let put = format!("/v1/orgs/{}/openapi/pets", world.organization);
    let put = world.admin.client.request(reqwest::Method::PUT, &put);
    let put = put.header("content-type", "application/json").body(body);
    let answer = put.send().await.unwrap();
    assert_eq!(answer.status(), 400);
    let refused: Value = answer.json().await.unwrap();
    assert_eq!(refused["error"]["details"][0]["code"], "malformed-json", "{refused}");
    let spec = world.spec_call("getOpenAPISpecBySlug", "pets").expect(200).await;
    assert_eq!(spec["lastVersion"], good["lastVersion"]);
}

async fn a_source_that_never_answers_ends(database: TestDatabase) {
    let (world, server) = world_with_sources(database).await;
    server.set("/a.json", Reply::Silence);
    let spec = world.process_source("pets", server.source("/a.json")).await;
    let (code, why) = first_error(&spec);
    assert!(code == "FETCH_TIMEOUT" && why.contains("took too long"), "{spec}");
}

async fn a_job_that_is_cancelled_is_told(database: TestDatabase) {
    let world = World::new(database).await;
    let good = world.process_source("pets", json!({ "text": document("One") })).await;
    let put = world.spec_call("createOrUpdateOpenAPISpecBySlug", "pets");
    let body = json!({ "source": { "text": document("Two") } });
    assert_eq!(put.json(body).expect(200).await["processingState"], "pending");
    cancel_job(world.app(), "process-openapi-spec").await;
    let spec = world.spec_call("getOpenAPISpecBySlug", "pets").expect(200).await;
    assert_eq!(spec["processingState"], "complete");
    let (code, why) = first_error(&spec);
    assert!(code == "PARSE_ERROR" && why.contains("cancelled"), "{spec}");
    assert_eq!(spec["lastVersion"], good["lastVersion"]);
}
