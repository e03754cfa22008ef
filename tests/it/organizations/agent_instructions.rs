//! Instructions for agents: rich text that comes back as it was written.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::support::{
    client::{Answer, Call},
    contract,
    database::{TestDatabase, on_each_database},
    samples::Samples,
    targets::{safe_documents, unsafe_documents},
    world::{Person, World},
};

on_each_database![
    a_new_organization_has_an_empty_document,
    instructions_are_replaced_as_a_whole,
    every_kind_of_node_comes_back_as_written,
    keys_and_further_data_are_kept,
    deep_documents_come_back_as_written,
    a_broken_document_changes_nothing,
    targets_that_run_in_a_browser_are_refused,
];

/// How many are made of each kind of node.
const SPECIMENS: u64 = 6;

fn get<'a>(person: &'a Person, world: &World) -> Call<'a> {
    person.client.call("getOrganizationAgentInstructions").here(world)
}

fn put<'a>(world: &'a World, document: &Value) -> Call<'a> {
    let call = world
        .admin
        .client
        .call("updateOrganizationAgentInstructions")
        .here(world);
    call.json(json!({ "instructions": document }))
}

fn document(nodes: Value) -> Value {
    json!({ "object": "document", "data": { "schemaVersion": 2 }, "nodes": nodes })
}

fn paragraph(text: &str) -> Value {
    let leaves = json!([{ "object": "leaf", "text": text, "marks": [] }]);
    json!({ "object": "block", "type": "paragraph", "nodes": [{ "object": "text", "leaves": leaves }] })
}

async fn a_new_organization_has_an_empty_document(database: TestDatabase) {
    let world = World::new(database).await;
    let found = get(&world.read, &world).expect(200).await;
    let location = format!(
        "{}/v1/orgs/{}/agent-instructions",
        world.service.base, world.organization
    );
    let expected = json!({
        "object": "agent-instructions",
        "instructions": { "object": "document", "data": {}, "nodes": [] },
        "updatedAt": "2026-11-21T11:59:59.000Z",
        "updatedBy": world.admin.id.to_string(),
        "urls": { "location": location },
    });
    assert_eq!(found, expected);
    let linked = location.strip_prefix(&world.service.base).unwrap();
    let linked: Value = world.read.client.get(linked).await.json().await.unwrap();
    assert_eq!(linked, expected);
    get(&world.guest, &world).expect(403).await;
}

async fn instructions_are_replaced_as_a_whole(database: TestDatabase) {
    let world = World::new(database).await;
    let first = document(json!([
        paragraph("Measure twice."),
        paragraph("Cut once. \u{1F600} \u{202E} <b>&amp;</b>")
    ]));
    assert_eq!(put(&world, &first).expect(200).await["instructions"], first);
    let promote = world
        .admin
        .client
        .call("updateMemberInOrganizationById")
        .here(&world)
        .path("userId", world.edit.id);
    promote.json(json!({ "role": "admin" })).expect(200).await;
    world.service.advance(TimeDelta::minutes(3));
    let second = document(json!([paragraph("Only this.")]));
    let call = world
        .edit
        .client
        .call("updateOrganizationAgentInstructions")
        .here(&world);
    let answer = call.json(json!({ "instructions": second })).expect(200).await;
    assert_eq!(answer["instructions"], second);
    assert_eq!(answer["updatedAt"], "2026-11-21T12:03:00.000Z");
    assert_eq!(answer["updatedBy"], world.edit.id.to_string());
    assert_eq!(get(&world.read, &world).expect(200).await, answer);
    // The author may go; what they wrote stays.
    let leave = world
        .edit
        .client
        .call("removeMemberFromOrganizationById")
        .here(&world)
        .path("userId", world.edit.id);
    leave.expect(204).await;
    assert_eq!(get(&world.read, &world).expect(200).await, answer);
    let elsewhere = world.other_admin.client.call("getOrganizationAgentInstructions");
    let elsewhere = elsewhere.within(world.other_organization).expect(200).await;
    assert_eq!(elsewhere["instructions"]["nodes"], json!([]));
}

/// Every type of node, mark and so on that a schema of the contract can hold.
fn kinds(schema: &'static Value, seen: &mut BTreeSet<String>, found: &mut BTreeSet<String>) {
    if let Some(reference) = schema["$ref"].as_str()
        && !seen.insert(reference.to_owned())
    {
        return;
    }
    let schema = contract::resolve(schema);
    if !schema.is_object() {
        return;
    }
    found.extend(schema["properties"]["type"]["const"].as_str().map(str::to_owned));
    let parts = ["properties", "oneOf", "allOf"]
        .into_iter()
        .flat_map(|key| match &schema[key] {
            Value::Object(members) => members.values().collect(),
            Value::Array(items) => items.iter().collect(),
            _ => Vec::new(),
        });
    for part in parts.chain([&schema["items"], &schema["additionalProperties"]]) {
        kinds(part, seen, found);
    }
}

/// The types that a document does hold.
fn types(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| types(item, found)),
        Value::Object(members) => {
            found.extend(members.get("type").and_then(Value::as_str).map(str::to_owned));
            members.values().for_each(|member| types(member, found));
        }
        _ => {}
    }
}

/// Whether the document came back as it was written, with no more than defaults of the contract added. Numbers may be
/// written in another way: 5 and 5.0 are the same.
fn came_back(stored: &Value, written: &Value) -> bool {
    match (stored, written) {
        (Value::Object(stored), Value::Object(written)) => {
            let kept = |(name, value)| stored.get(name).is_some_and(|found| came_back(found, value));
            let added = stored.iter().filter(|(name, _)| !written.contains_key(*name));
            written.iter().all(kept) && added.into_iter().all(|(name, value)| is_default(name, value))
        }
        (Value::Array(stored), Value::Array(written)) => {
            stored.len() == written.len() && stored.iter().zip(written).all(|(one, other)| came_back(one, other))
        }
        (Value::Number(stored), Value::Number(written)) => stored.as_f64() == written.as_f64(),
        _ => stored == written,
    }
}

fn is_default(name: &str, value: &Value) -> bool {
    // Lists that every answer has.
    if name == "nodes" && value == &json!([]) {
        return true;
    }
    let schemas = contract::document()["components"]["schemas"].as_object().unwrap();
    let declares = |schema: &Value| {
        let data = &schema["properties"]["data"]["properties"][name];
        [&schema["properties"][name], data]
            .iter()
            .any(|member| &member["default"] == value)
    };
    schemas.values().any(declares)
}

/// Something made from every choice of a schema, several of each.
fn specimens(choice: &'static str) -> impl Iterator<Item = Value> {
    let choices = contract::document()["components"]["schemas"][choice]["oneOf"].as_array();
    let choices = choices.unwrap_or_else(|| panic!("{choice} is no choice")).iter();
    choices.flat_map(|schema| (0..SPECIMENS).map(|seed| Samples::new(seed).valid(schema, 0)))
}

/// Documents with everything that the contract has a name for.
fn documents() -> impl Iterator<Item = Value> {
    let with_inline = |inline| json!({ "object": "block", "type": "paragraph", "nodes": [inline] });
    let with_mark = move |mark| {
        let leaf = json!({ "object": "leaf", "text": "marked", "marks": [mark] });
        with_inline(json!({ "object": "text", "leaves": [leaf] }))
    };
    let with_column = |column| {
        let view = json!({ "type": "grid", "columns": ["a"], "hideHeader": true });
        let data = json!({ "view": view, "records": {}, "definition": { "a": column } });
        json!({ "object": "block", "type": "table", "isVoid": true, "data": data, "fragments": [] })
    };
    let blocks = specimens("DocumentBlock").chain(specimens("Inline").map(with_inline));
    let blocks = blocks.chain(specimens("Mark").map(with_mark));
    let blocks = blocks.chain(specimens("DocumentTableDefinition").map(with_column));
    blocks.map(|block| document(json!([block])))
}

async fn every_kind_of_node_comes_back_as_written(database: TestDatabase) {
    let world = World::new(database).await;
    let mut known = BTreeSet::new();
    let schemas = &contract::document()["components"]["schemas"];
    kinds(&schemas["Document"], &mut BTreeSet::new(), &mut known);
    let mut written = BTreeSet::new();
    for sample in documents() {
        if sample.to_string().len() > world.service.body_limit / 2 {
            continue;
        }
        let answer = put(&world, &sample).expect(200).await;
        let stored = &answer["instructions"];
        assert!(came_back(stored, &sample), "{sample}\n{stored}");
        assert_eq!(get(&world.read, &world).expect(200).await, answer);
        types(&sample, &mut written);
    }
    let missing: Vec<&String> = known.difference(&written).collect();
    assert!(missing.is_empty(), "no document holds {missing:?}");
}

async fn keys_and_further_data_are_kept(database: TestDatabase) {
    let world = World::new(database).await;
    let mut block = paragraph("Named");
    block["key"] = json!("block-1");
    block["nodes"][0]["key"] = json!("text-1");
    let mut sample = document(json!([block, paragraph("Unnamed")]));
    sample["data"]["origin"] =
        json!({ "tool": "importer", "numbers": [1, 2.5, -3], "none": null, "nested": { "deep": [[]] } });
    sample["data"][""] = json!("an empty name");
    let answer = put(&world, &sample).expect(200).await;
    assert!(came_back(&answer["instructions"], &sample), "{answer}");
    assert_eq!(get(&world.read, &world).expect(200).await, answer);
}

async fn deep_documents_come_back_as_written(database: TestDatabase) {
    let world = World::new(database).await;
    let mut inner = paragraph("At the bottom");
    for _ in 0..20 {
        let item = json!({ "object": "block", "type": "list-item", "nodes": [inner] });
        inner = json!({ "object": "block", "type": "list-unordered", "nodes": [item] });
    }
    let sample = document(json!([inner]));
    assert_eq!(put(&world, &sample).expect(200).await["instructions"], sample);
    assert_eq!(get(&world.read, &world).expect(200).await["instructions"], sample);
    let wide: Vec<Value> = (0..300).map(|i| paragraph(&format!("Line {i}"))).collect();
    let sample = document(json!(wide));
    assert_eq!(put(&world, &sample).expect(200).await["instructions"], sample);
}

async fn a_broken_document_changes_nothing(database: TestDatabase) {
    let world = World::new(database).await;
    let good = document(json!([paragraph("Good")]));
    let before = put(&world, &good).expect(200).await;
    let mut unknown = paragraph("x");
    unknown["type"] = json!("marquee");
    let mut script = paragraph("x");
    script["nodes"][0]["leaves"][0]["onclick"] = json!("alert(1)");
    let mut nul = paragraph("x");
    nul["nodes"][0]["leaves"][0]["text"] = json!("a\u{0}b");
    let broken = [
        (unknown, "/body/instructions/nodes/1/type", "enum"),
        (
            script,
            "/body/instructions/nodes/1/nodes/0/leaves/0/onclick",
            "unknown-member",
        ),
        (nul, "/body/instructions/nodes/1/nodes/0/leaves/0/text", "nul-character"),
    ];
    for (block, pointer, code) in broken {
        let answer: Answer = put(&world, &document(json!([paragraph("x"), block]))).send().await;
        answer.has_detail(pointer, code);
    }
    let twice = document(json!([paragraph("x")])).to_string();
    let twice = format!(
        "{{\"instructions\":{}}}",
        twice.replacen("\"type\"", "\"type\":\"paragraph\",\"type\"", 1)
    );
    let call = world.admin.client.call("updateOrganizationAgentInstructions");
    let call = call.path("organizationId", world.organization);
    call.raw(&twice).send().await.has_detail("/body", "invalid");
    assert_eq!(get(&world.read, &world).expect(200).await, before);
}

async fn targets_that_run_in_a_browser_are_refused(database: TestDatabase) {
    let world = World::new(database).await;
    let before = put(&world, &document(json!([paragraph("Good")]))).expect(200).await;
    for (document, pointer) in unsafe_documents() {
        let answer = put(&world, &document).send().await;
        answer.has_detail(&format!("/body/instructions{pointer}"), "unsafe-target");
    }
    assert_eq!(get(&world.read, &world).expect(200).await, before);
    for document in safe_documents() {
        assert_eq!(put(&world, &document).expect(200).await["instructions"], document);
    }
}
