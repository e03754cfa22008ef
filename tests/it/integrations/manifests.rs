//! Manifests: what they may say.

use serde_json::{Value, json};

use crate::support::{
    client::Answer,
    database::{TestDatabase, on_each_database},
    integrations::{manifest, with},
    world::World,
};

on_each_database![
    manifests_are_answered_as_they_were_sent,
    names_in_a_manifest_are_different,
    configurations_have_schemas_that_make_sense,
    policies_are_one_line,
    scripts_have_a_size,
    scripts_that_cannot_be_parsed_are_refused,
];

async fn send(world: &World, members: Value) -> Answer {
    let call = world
        .admin
        .client
        .call("publishIntegration")
        .path("integrationName", "gauge");
    call.json(with(manifest(world.organization), members)).send().await
}

async fn manifests_are_answered_as_they_were_sent(database: TestDatabase) {
    let world = World::new(database).await;
    let members = json!({
        "blocks": [{
            "id": "level",
            "title": "Water level",
            "description": "A number.",
            "icon": "https://tides.example/icon.png",
            "urlUnfurl": ["https://tides.example/**"],
            "markdown": { "codeblock": "tide", "body": "content" },
        }],
        "contentSources": [{ "id": "harbors", "title": "Harbors", "configuration": { "componentId": "choose" } }],
        "externalLinks": [{ "url": "https://tides.example/", "label": "Website" }],
        "configurations": {
            "account": {
                "properties": {
                    "harbor": { "type": "string", "enum": ["north", "south"], "default": "north", "completion_url": "/harbors" },
                    "meters": { "type": "number", "default": 1.5, "title": "Meters" },
                    "waves": { "type": "boolean", "default": false },
                    "account": { "type": "button", "callback_url": "/oauth", "button_text": "Connect" },
                },
                "required": ["harbor", "account"],
            },
            "space": { "componentId": "settings" },
        },
    });
    let answer = send(&world, members.clone()).await.expect(200);
    for (name, sent) in members.as_object().unwrap() {
        assert_eq!(&answer[name], sent, "{name}");
    }
    let plain = send(&world, json!({})).await.expect(200);
    assert_eq!((&plain["blocks"], &plain["contentSources"]), (&json!([]), &json!([])));
    assert!(plain.get("configurations").is_none() && plain.get("contentSecurityPolicy").is_none());
}

async fn names_in_a_manifest_are_different(database: TestDatabase) {
    let world = World::new(database).await;
    let block =
        |id: &str| json!({ "id": id, "title": "Level", "markdown": { "codeblock": "tide", "body": "content" } });
    let source = json!({ "id": "a", "title": "Harbors", "configuration": { "componentId": "choose" } });
    let mut nowhere = block("c");
    nowhere["urlUnfurl"] = json!(["https://tides.example/", "https:///path"]);
    nowhere["markdown"]["codeblock"] = json!("other");
    let members = json!({ "blocks": [block("a"), block("a"), nowhere], "contentSources": [source, source] });
    let answer = send(&world, members).await;
    let mut details = answer.details();
    details.sort();
    let expected = [
        ("/body/blocks/1/id", "unique"),
        ("/body/blocks/1/markdown/codeblock", "unique"),
        ("/body/blocks/2/urlUnfurl/1", "address"),
        ("/body/contentSources/1/id", "unique"),
    ];
    assert_eq!(
        details,
        expected.map(|(pointer, code)| (pointer.to_owned(), code.to_owned()))
    );
}

async fn configurations_have_schemas_that_make_sense(database: TestDatabase) {
    let world = World::new(database).await;
    let text = json!({ "type": "string", "enum": ["north"], "default": "south" });
    let cases = [
        (
            json!({ "properties": {}, "required": ["harbor"] }),
            "/body/configurations/site/required/0",
        ),
        (
            json!({ "properties": { "harbor": text } }),
            "/body/configurations/site/properties",
        ),
        (
            json!({ "properties": { "a/b": { "type": "boolean" } } }),
            "/body/configurations/site/properties",
        ),
        (
            json!({ "properties": { "": { "type": "boolean" } } }),
            "/body/configurations/site/properties",
        ),
    ];
    for (schema, pointer) in cases {
        let answer = send(&world, json!({ "configurations": { "site": schema } })).await;
        answer.has_detail(pointer, "configuration-schema");
    }
}

async fn policies_are_one_line(database: TestDatabase) {
    let world = World::new(database).await;
    let policy = async |policy: Value| {
        let answer = send(&world, json!({ "contentSecurityPolicy": policy })).await;
        answer.expect(200)["contentSecurityPolicy"].clone()
    };
    let text = "default-src 'self';\r\n  script-src\n https://tides.example ; ;";
    let line = "default-src 'self'; script-src https://tides.example";
    assert_eq!(policy(json!(text)).await, line);
    let directives = json!({ "default-src": "'self';\n", "script-src": "a.example\r\nb.example" });
    let lines = json!({ "default-src": "'self'", "script-src": "a.example b.example" });
    assert_eq!(policy(directives).await, lines);
    let row = world.integration("gauge").await;
    let stored = serde_json::from_value(row.manifest["contentSecurityPolicy"].clone()).unwrap();
    let header = bindery::areas::integrations::integrations::content_security_policy::header(&stored);
    assert_eq!(header.unwrap(), "default-src 'self'; script-src a.example b.example");
    let further = json!({ "contentSecurityPolicy": { "img-src": "*; script-src *" } });
    let answer = send(&world, further).await.expect(200);
    assert_eq!(answer["contentSecurityPolicy"], json!({ "img-src": "* script-src *" }));
    let foreign = send(&world, json!({ "contentSecurityPolicy": "default-src \u{7}" })).await;
    foreign.expect(400);
    let unknown = send(&world, json!({ "contentSecurityPolicy": { "set-cookie": "a" } })).await;
    unknown.expect(400);
}

async fn scripts_that_cannot_be_parsed_are_refused(database: TestDatabase) {
    let world = World::new(database).await;
    for (runtime, script, position) in [
        (
            "v2",
            "export default {\n    fetch() { return 1 1; },\n};",
            "line 2, column 24",
        ),
        ("v2", "with ({}) {}", "line 1, column "),
        (
            "v1",
            "addEventListener('fetch', () => {});\nconst = 1;",
            "line 2, column 7",
        ),
        ("v1", "export default {};", "line 1, column "),
    ] {
        let answer = send(&world, json!({ "runtime": runtime, "script": script })).await;
        answer.has_detail("/body/script", "script");
        assert!(answer.text.contains(position), "{script}: {}", answer.text);
    }
    for (runtime, script) in [("v2", "for (;;) {}"), ("v1", "with ({}) {}")] {
        send(&world, json!({ "runtime": runtime, "script": script }))
            .await
            .expect(200);
    }
}

async fn scripts_have_a_size(database: TestDatabase) {
    let world = World::with(database, |flags| flags.body_limit = Some("6MiB".to_owned())).await;
    let longest = 2 * 1024 * 1024;
    send(&world, json!({ "script": "x".repeat(longest) })).await.expect(200);
    let answer = send(&world, json!({ "script": "x".repeat(longest + 1) })).await;
    answer.has_detail("/body/script", "max-length");
    let row = world.integration("gauge").await;
    let script = bindery::areas::integrations::integrations::store::script(world.app().kernel.db.read(), row.id);
    assert_eq!(script.await.unwrap().unwrap().len(), longest);
}
