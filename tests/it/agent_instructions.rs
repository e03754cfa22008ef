//! Instructions for agents: rich text that comes back as it was written.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::support::{
    client::{Answer, Call},
    contract,
    database::{TestDatabase, on_each_database},
    samples::Samples,
    world::{Person, World},
};

on_each_database![
    a_new_organization_has_an_empty_document,
    instructions_are_replaced_as_a_whole,
    every_kind_of_node_comes_back_as_written,
    keys_and_further_data_are_kept,
    deep_documents_come_back_as_written,
    a_broken_document_changes_nothing,
];

/// How many documents are made for each kind of block.
const DOCUMENTS: u64 = 12;

fn get<'a>(person: &'a Person, world: &World) -> Call<'a> {
    person.client.call("getOrganizationAgentInstructions").here(world)
}

fn put<'a>(world: &'a World, document: &Value) -> Call<'a> {
    let call = world.admin.client.call("updateOrganizationAgentInstructions").here(world);
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
    let location = format!("{}/v1/orgs/{}/agent-instructions", world.service.base, world.organization);
    let expected = json!({
        "object": "agent-instructions",
        "instructions": { "object": "document", "data": {}, "nodes": [] },
        "updatedAt": "2026-11-21T12:00:00.000Z",
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
    let first = document(json!([paragraph("Measure twice."), paragraph("Cut once. \u{1F600} \u{202E} <b>&amp;</b>")]));
    assert_eq!(put(&world, &first).expect(200).await["instructions"], first);
    let promote = world.admin.client.call("updateMemberInOrganizationById").here(&world).path("userId", world.edit.id);
    promote.json(json!({ "role": "admin" })).expect(200).await;
    world.service.advance(TimeDelta::minutes(3));
    let second = document(json!([paragraph("Only this.")]));
    let call = world.edit.client.call("updateOrganizationAgentInstructions").here(&world);
    let answer = call.json(json!({ "instructions": second })).expect(200).await;
    assert_eq!(answer["instructions"], second);
    assert_eq!(answer["updatedAt"], "2026-11-21T12:03:00.000Z");
    assert_eq!(answer["updatedBy"], world.edit.id.to_string());
    assert_eq!(get(&world.read, &world).expect(200).await, answer);
    // The author may go; what they wrote stays.
    let leave = world.edit.client.call("removeMemberFromOrganizationById").here(&world).path("userId", world.edit.id);
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
    found.extend(schema["properties"]["type"]["const"].as_str().map(str::to_owned));
    let parts = ["properties", "oneOf", "allOf"].into_iter().flat_map(|key| match &schema[key] {
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

/// With every number in one form: 5 and 5.0 are the same.
fn normal(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(items) => items.iter().map(normal).collect(),
        Value::Object(members) => members.iter().map(|(name, member)| (name.clone(), normal(member))).collect(),
        other => other.clone(),
    }
}

async fn every_kind_of_node_comes_back_as_written(database: TestDatabase) {
    let world = World::new(database).await;
    let schemas = &contract::document()["components"]["schemas"];
    let mut known = BTreeSet::new();
    kinds(&schemas["Document"], &mut BTreeSet::new(), &mut known);
    let mut written = BTreeSet::new();
    for block in schemas["DocumentBlock"]["oneOf"].as_array().unwrap() {
        for seed in 0..DOCUMENTS {
            let sample = document(json!([Samples::new(seed).valid(block, 0)]));
            if sample.to_string().len() > world.service.body_limit / 2 {
                continue;
            }
            let answer = put(&world, &sample).expect(200).await;
            assert_eq!(normal(&answer["instructions"]), normal(&sample), "{block} {seed}");
            types(&sample, &mut written);
        }
        let stored = get(&world.read, &world).expect(200).await;
        assert_eq!(stored["instructions"]["nodes"].as_array().map(Vec::len), Some(1), "{block}");
    }
    let missing: Vec<&String> = known.difference(&written).collect();
    assert!(missing.is_empty(), "no document holds {missing:?}; make more of them");
}

async fn keys_and_further_data_are_kept(database: TestDatabase) {
    let world = World::new(database).await;
    let mut block = paragraph("Named");
    block["key"] = json!("block-1");
    block["nodes"][0]["key"] = json!("text-1");
    let mut sample = document(json!([block, paragraph("Unnamed")]));
    sample["data"]["origin"] = json!({ "tool": "importer", "numbers": [1, 2.5, -3], "none": null, "nested": { "deep": [[]] } });
    sample["data"][""] = json!("an empty name");
    let answer = put(&world, &sample).expect(200).await;
    assert_eq!(normal(&answer["instructions"]), normal(&sample));
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
        (script, "/body/instructions/nodes/1/nodes/0/leaves/0/onclick", "unknown-member"),
        (nul, "/body/instructions/nodes/1/nodes/0/leaves/0/text", "nul-character"),
    ];
    for (block, pointer, code) in broken {
        let answer: Answer = put(&world, &document(json!([paragraph("x"), block]))).send().await;
        answer.has_detail(pointer, code);
    }
    assert_eq!(get(&world.read, &world).expect(200).await, before);
}
