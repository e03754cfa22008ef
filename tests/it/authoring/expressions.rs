//! Expressions in texts, replaced by their values for readers.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{
    client::Call,
    database::{TestDatabase, on_each_database},
    import::{directory, imported},
    world::World,
};

on_each_database![
    readers_see_values_in_every_form,
    values_are_in_every_operation,
    answers_differ_by_form,
    attacks_end_while_others_are_served,
    long_texts_are_evaluated_while_they_are_sent,
    conditions_of_pages_are_parsed_when_they_are_written,
    conditions_of_blocks_are_parsed_when_they_are_written,
];

const TEXT: &str = "---\nvars:\n  name: Grippers\n---\n# Title\n\n## <code class=\"expression\">page.vars.name</code>\n\n\
    Version <code class=\"expression\">space.vars.version + 1</code>, \
    for <code class=\"expression\">visitor.claims.name ?? 'all'</code>, <code class=\"expression\">a b</code>\n\n\
    {% if visitor.claims.plan == \"pro\" %}\nFor professionals\n{% endif %}\n\n\
    {% if !visitor.claims.unsigned.beta && space.vars.version == \"24\" %}\nFor everybody\n{% endif %}\n\n\
    {% if ( %}\nFor nobody\n{% endif %}\n";

/// Space, revision and page of an imported text.
struct Place {
    space: String,
    revision: String,
    page: String,
}

impl Place {
    async fn of(world: &World, text: &str) -> Self {
        let files = [("README.md", text), (".gitbook/vars.yaml", "version: '24'\n")];
        let (space, _) = imported(world, directory(&files).path()).await;
        let content = world.admin.client.call("getCurrentRevision").space(space);
        let revision = content.expect(200).await;
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        Self {
            space: space.to_string(),
            revision: text(&revision["id"]),
            page: text(&revision["pages"][0]["id"]),
        }
    }

    fn read<'w>(&self, world: &'w World, operation: &str, evaluated: &str) -> Call<'w> {
        let call = world.admin.client.call(operation).path("spaceId", &self.space);
        let call = if operation.contains("InRevision") {
            call.path("revisionId", &self.revision)
        } else {
            call
        };
        let call = match operation.ends_with("ByPath") {
            true => call.path("pagePath", "readme"),
            false => call.path("pageId", &self.page),
        };
        call.query("evaluated", evaluated)
    }
}

/// The texts of nodes, and the sources of expressions in braces.
fn texts(value: &Value) -> String {
    match value {
        Value::Array(items) => items.iter().map(texts).collect(),
        Value::Object(members) => match (members.get("type"), members.get("text")) {
            (Some(kind), _) if kind == "expression" => format!("<{}>", members["data"]["expression"].as_str().unwrap()),
            (_, Some(Value::String(text))) => text.clone(),
            _ => members
                .get("leaves")
                .or(members.get("nodes"))
                .map(texts)
                .unwrap_or_default(),
        },
        _ => String::new(),
    }
}

async fn readers_see_values_in_every_form(database: TestDatabase) {
    let world = World::new(database).await;
    let place = Place::of(&world, TEXT).await;
    let nodes = |evaluated: &'static str| place.read(&world, "getPageById", evaluated).expect(200);
    let source = nodes("false").await;
    let shown = texts(&source["document"]["nodes"]);
    assert!(
        shown.contains("<page.vars.name>") && shown.contains("For nobody"),
        "{shown}"
    );
    let all = nodes("true").await;
    assert_eq!(
        texts(&all["document"]["nodes"]),
        "GrippersVersion 241, for all, {{a b}}For everybody"
    );
    let some = nodes("deterministic-only").await;
    assert_eq!(
        texts(&some["document"]["nodes"]),
        "GrippersVersion 241, for <visitor.claims.name ?? 'all'>, {{a b}}For everybody"
    );
    let call = place.read(&world, "getPageById", "true").query("format", "markdown");
    let markdown = call.expect(200).await["markdown"].as_str().unwrap().to_owned();
    assert!(
        markdown.contains("Version 241, for all, {{a b}}\n\nFor everybody"),
        "{markdown}"
    );
    assert!(
        !markdown.contains("{% if") && !markdown.contains("professionals"),
        "{markdown}"
    );
    place.read(&world, "getPageById", "yes").expect(400).await;
}

async fn values_are_in_every_operation(database: TestDatabase) {
    let world = World::new(database).await;
    let place = Place::of(&world, TEXT).await;
    let expected = "GrippersVersion 241, for all, {{a b}}For everybody";
    for operation in ["getPageInRevisionById", "getPageInRevisionByPath", "getPageByPath"] {
        let page = place.read(&world, operation, "true").expect(200).await;
        assert_eq!(texts(&page["document"]["nodes"]), expected, "{operation}");
    }
    let call = place.read(&world, "getPageDocumentInRevisionById", "true");
    assert_eq!(texts(&call.expect(200).await["nodes"]), expected);
    let call = world
        .admin
        .client
        .call("createChangeRequest")
        .path("spaceId", &place.space);
    let request = call.json(json!({})).expect(201).await;
    for operation in ["getPageInChangeRequestById", "getPageInChangeRequestByPath"] {
        let call = place.read(&world, operation, "true");
        let page = call
            .path("changeRequestId", request["id"].as_str().unwrap())
            .expect(200)
            .await;
        assert_eq!(texts(&page["document"]["nodes"]), expected, "{operation}");
    }
    let call = world.read.client.call("getReusableContentDocumentInRevisionById");
    let call = call
        .path("spaceId", world.space)
        .path("revisionId", world.own("revisionId"));
    let call = call
        .path("reusableContentId", world.own("reusableContentId"))
        .query("evaluated", "true");
    assert_eq!(call.expect(200).await["nodes"][0]["type"], "paragraph");
}

async fn answers_differ_by_form(database: TestDatabase) {
    let world = World::new(database).await;
    let place = Place::of(&world, TEXT).await;
    let mut tags = Vec::new();
    for operation in ["getPageById", "getPageDocumentInRevisionById"] {
        for evaluated in ["false", "true", "deterministic-only"] {
            let response = place.read(&world, operation, evaluated).send().await;
            let headers = &response.headers;
            let cache = headers["cache-control"].to_str().unwrap().to_owned();
            assert!(cache.contains("private") || cache.contains("no-"), "{cache}");
            tags.push(headers["etag"].to_str().unwrap().to_owned());
        }
    }
    let different: std::collections::BTreeSet<_> = tags.iter().collect();
    assert_eq!(different.len(), tags.len(), "{tags:?}");
    let kept = place
        .read(&world, "getPageById", "true")
        .header("If-None-Match", &tags[1]);
    kept.expect(304).await;
    let other = place
        .read(&world, "getPageById", "true")
        .header("If-None-Match", &tags[0]);
    other.expect(200).await;
}

async fn attacks_end_while_others_are_served(database: TestDatabase) {
    let world = World::new(database).await;
    let attacks = [
        "while (true) {}",
        "[f => [f, f].map(f)].map(f => [f, f].map(f))",
        "/^(a+)+$/.test('a'.repeat(40) + 'b')",
        "/(x+x+)+y/.test('x'.repeat(9000))",
        "'x'.repeat(10000).split('').map(a => 'x'.repeat(10000).split('')).length",
        "[].constructor.constructor('return 1')()",
    ];
    let inline = |source: &str| {
        let source = source.replace('&', "&amp;").replace('<', "&lt;").replace('*', "&#42;");
        format!("<code class=\"expression\">{source}</code>\n\n")
    };
    let text: String = attacks.iter().map(|source| inline(source)).collect();
    let many: String = (0..300)
        .map(|n| inline(&format!("/(x+x+)+y/.test('x'.repeat({n} + 5000))")))
        .collect();
    let place = Place::of(&world, &format!("# A\n\n{text}{many}")).await;
    let start = Instant::now();
    let attack = |_| place.read(&world, "getPageById", "true").expect(200);
    let attacked = futures_util::future::join_all((0..4).map(attack));
    let others = async {
        let mut slowest = Duration::ZERO;
        for _ in 0..20 {
            let start = Instant::now();
            world
                .read
                .client
                .call("getSpaceById")
                .path("spaceId", world.space)
                .expect(200)
                .await;
            slowest = slowest.max(start.elapsed());
        }
        slowest
    };
    let (answers, slowest) = futures_util::join!(attacked, others);
    let time = start.elapsed();
    assert!(time < Duration::from_secs(10), "{time:?}");
    assert!(slowest < Duration::from_secs(1), "{slowest:?}");
    for answer in answers {
        let shown = texts(&answer["document"]["nodes"]);
        assert_eq!(shown.matches("{{").count(), attacks.len() + 300, "{shown}");
    }
}

async fn long_texts_are_evaluated_while_they_are_sent(database: TestDatabase) {
    let world = World::new(database).await;
    let part =
        "<code class=\"expression\">space.vars.version</code>.\n\n{% if visitor.claims.x %}\nHidden\n{% endif %}\n\n";
    let place = Place::of(&world, &format!("# A\n\n{}", part.repeat(1000))).await;
    let document = place
        .read(&world, "getPageDocumentInRevisionById", "true")
        .expect(200)
        .await;
    assert_eq!(texts(&document["nodes"]), "24.".repeat(1000));
}

async fn conditions_of_pages_are_parsed_when_they_are_written(database: TestDatabase) {
    let world = World::new(database).await;
    let insert = |change: Value| {
        let mut all = json!({ "operation": "insert_page", "title": "Conditional", "document": {} });
        all.as_object_mut()
            .unwrap()
            .extend(change.as_object().cloned().unwrap());
        let call = world
            .admin
            .client
            .call("updateSpaceContent")
            .path("spaceId", world.space);
        call.json(json!({ "changes": [all] })).send()
    };
    let refused = insert(json!({ "condition": "visitor.claims.plan = 'pro'" })).await;
    refused.has_detail("/body/changes/0/condition", "condition");
    assert!(refused.text.contains("(character 21)"), "{}", refused.text);
    let refused = insert(json!({ "document": { "markdown": "---\nif: while (true) {}\n---\nA" } })).await;
    refused.has_detail("/body/changes/0/document", "front-matter");
    let invalid = json!({ "operation": "insert_page", "document": { "markdown": "---\nif: while (true) {}\n---\nA" } });
    let proposed = world.admin.client.call("updateChangeRequestContent").space(world.space);
    let proposed = proposed.path("changeRequestId", world.own("changeRequestId"));
    let refused = proposed.json(json!({ "changes": [invalid] })).send().await;
    refused.has_detail("/body/changes/0/document", "front-matter");
    let condition = "visitor.claims.plan == 'pro'";
    let inserted = insert(json!({ "condition": condition })).await.expect(200);
    let page = inserted["changes"][0]["page"]["id"].as_str().unwrap().to_owned();
    let edit = |condition: &str| {
        let change = json!({ "operation": "update_page", "page": page, "condition": condition });
        let call = world
            .admin
            .client
            .call("updateSpaceContent")
            .path("spaceId", world.space);
        call.json(json!({ "changes": [change] })).send()
    };
    edit("(").await.has_detail("/body/changes/0/condition", "condition");
    edit("").await.expect(200);
}

async fn conditions_of_blocks_are_parsed_when_they_are_written(database: TestDatabase) {
    let world = World::new(database).await;
    let block = |condition: &str| format!("{{% if {condition} %}}\nFor some.\n{{% endif %}}");
    let insert = |document: Value| json!({ "operation": "insert_page", "title": "Conditional", "document": document });
    let client = &world.admin.client;
    let write = async |change: Value| {
        let call = client.call("updateSpaceContent").path("spaceId", world.space);
        call.json(json!({ "changes": [change] })).send().await
    };
    let propose = async |change: Value| {
        let call = client.call("updateChangeRequestContent").space(world.space);
        let call = call.path("changeRequestId", world.own("changeRequestId"));
        call.json(json!({ "changes": [change] })).send().await
    };
    let good = "visitor.claims.plan == 'pro'";
    let inserted = write(insert(json!({ "markdown": block(good) }))).await.expect(200);
    let update = |document: Value| json!({ "operation": "update_page", "page": inserted["changes"][0]["page"]["id"], "document": document });
    let nested = format!("{{% if {good} %}}\n{}\n{{% endif %}}", block("visitor.claims."));
    let with_title = format!("---\ndescription: A\n---\n# Title\n\nA\n\n{}", block("visitor.claims."));
    let pointer = "/body/changes/0/document/markdown";
    for text in [block("visitor.claims."), nested, with_title] {
        let document = json!({ "markdown": text });
        for refused in [
            write(insert(document.clone())).await,
            write(update(document.clone())).await,
            propose(insert(document)).await,
        ] {
            refused.has_detail(pointer, "condition");
            assert!(refused.text.contains("`visitor.claims.`"), "{}", refused.text);
        }
    }
    let long = format!("visitor.claims.{}.", "a".repeat(1000));
    let refused = write(insert(json!({ "markdown": block(&long) }))).await;
    refused.has_detail(pointer, "condition");
    assert!(refused.text.len() < 1000, "{}", refused.text);

    let paragraph = json!({ "object": "block", "type": "paragraph",
        "nodes": [{ "object": "text", "leaves": [{ "object": "leaf", "text": "For some.", "marks": [] }] }] });
    let document = |condition: &str| {
        let inner =
            json!({ "object": "block", "type": "if", "data": { "expression": condition }, "nodes": [paragraph] });
        let outer =
            json!({ "object": "block", "type": "if", "data": { "expression": good }, "nodes": [paragraph, inner] });
        json!({ "document": { "object": "document", "data": {}, "nodes": [paragraph, outer] } })
    };
    for change in [
        insert(document("visitor.claims. ==")),
        update(document("visitor.claims. ==")),
    ] {
        let refused = write(change).await;
        let pointer = "/body/changes/0/document/document/nodes/1/nodes/1/data/expression";
        refused.has_detail(pointer, "condition");
        assert!(refused.text.contains("`visitor.claims. ==`"), "{}", refused.text);
    }
    write(update(document(good))).await.expect(200);
    // What only looks like such a block has no condition.
    let code = format!("```\n{}\n```", block("visitor.claims."));
    write(insert(json!({ "markdown": code }))).await.expect(200);
}
