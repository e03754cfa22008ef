//! The generated validation and the contract's own schemas accept and refuse the same bodies.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::support::{
    client::{Answer, ignored},
    contract::{self, Operation},
    database::{TestDatabase, on_one_database},
    samples::Samples,
    world::World,
};

on_one_database![
    bodies_are_judged_as_the_contract_does_1_of_4,
    bodies_are_judged_as_the_contract_does_2_of_4,
    bodies_are_judged_as_the_contract_does_3_of_4,
    bodies_are_judged_as_the_contract_does_4_of_4,
    deep_and_wide_documents_take_linear_time,
];

/// How many bodies each operation gets; half of them changed.
const BODIES: u64 = 120;

/// How many tests share the operations, so that they run beside each other.
const PARTS: usize = 4;

/// What the contract finds in bodies; everything else is found by handlers, in bodies that keep all of its rules.
const OF_CONTRACT: [&str; 20] = [
    "const",
    "enum",
    "exclusive",
    "format",
    "invalid",
    "malformed-json",
    "max-items",
    "max-length",
    "max-properties",
    "maximum",
    "min-items",
    "min-length",
    "min-properties",
    "minimum",
    "nul-character",
    "pattern",
    "required",
    "type",
    "unique-items",
    "unknown-member",
];

async fn bodies_are_judged_as_the_contract_does_1_of_4(database: TestDatabase) {
    judge_bodies(database, 0).await;
}

async fn bodies_are_judged_as_the_contract_does_2_of_4(database: TestDatabase) {
    judge_bodies(database, 1).await;
}

async fn bodies_are_judged_as_the_contract_does_3_of_4(database: TestDatabase) {
    judge_bodies(database, 2).await;
}

async fn bodies_are_judged_as_the_contract_does_4_of_4(database: TestDatabase) {
    judge_bodies(database, 3).await;
}

async fn judge_bodies(database: TestDatabase, part: usize) {
    let world = World::new(database).await;
    let mut schemas = HashSet::new();
    // What takes the same bodies as another operation reads them with the same code.
    let judged = contract::operations().filter_map(|operation| {
        let schema = operation.body_schema()?;
        schemas.insert(schema.to_string()).then_some((operation, schema))
    });
    for (operation, schema) in judged.skip(part).step_by(PARTS) {
        judge(&world, &operation, schema).await;
    }
}

async fn judge(world: &World, operation: &Operation, schema: &'static Value) {
    let validator = contract::validator(schema);
    let (mut accepted, mut refused) = (0, 0);
    for seed in 0..BODIES {
        let mut samples = Samples::new(seed);
        let valid = samples.valid(schema, 0);
        let body = if seed % 2 == 0 { valid } else { samples.changed(valid) };
        let answer: Answer = world.allowed(operation).json(body.clone()).send().await;
        let details = if answer.status == 400 { answer.details() } else { vec![] };
        let refusals = operation.refusals();
        let is_own = |pointer: &str, code: &str| {
            let mut refusals = refusals.iter();
            refusals.any(|(rule, place)| *rule == code && pointer.starts_with(place))
        };
        let of_contract = details
            .iter()
            .any(|(pointer, code)| OF_CONTRACT.contains(&code.as_str()) && !is_own(pointer, code));
        if validator.is_valid(&without_ignored(&body, &answer)) {
            accepted += 1;
            let explained = answer.status < 300 || [404, 409, 412, 429].contains(&answer.status) || !details.is_empty();
            assert!(
                !of_contract && explained,
                "{} refuses a valid body: {}\n{body}",
                operation.id,
                answer.text
            );
        } else {
            refused += 1;
            // What is wrong is left out, and the rest is stored or breaks a rule of the handler.
            if operation.is_lenient() && (answer.status == 204 || !details.is_empty()) {
                continue;
            }
            assert!(
                of_contract,
                "{} takes an invalid body with {}: {}\n{body}",
                operation.id, answer.status, answer.text
            );
            let general = details.iter().any(|(_, code)| code == "invalid");
            assert!(
                !general,
                "{} does not say which rule: {}\n{body}",
                operation.id, answer.text
            );
        }
    }
    assert!(
        accepted > BODIES / 6 && refused > BODIES / 10,
        "{}: {accepted} and {refused}",
        operation.id
    );
}

/// The part of a body that the operation has read.
fn without_ignored(body: &Value, answer: &Answer) -> Value {
    let mut body = body.clone();
    for name in ignored(answer) {
        let pointer = format!("/{}", name.replace('.', "/"));
        let (outer, inner) = pointer.rsplit_once('/').unwrap();
        let object = body.pointer_mut(outer).and_then(Value::as_object_mut);
        assert!(
            object.and_then(|object| object.remove(inner)).is_some(),
            "{name}: {body}"
        );
    }
    body
}

/// Nested quotes with a mistake at the bottom: the error report looks at every level once.
async fn deep_and_wide_documents_take_linear_time(database: TestDatabase) {
    let world = World::new(database).await;
    let put = async |nodes: Value| {
        let call = world.admin.client.call("updateOrganizationAgentInstructions");
        let document = json!({ "instructions": { "object": "document", "data": {}, "nodes": nodes } });
        call.path("organizationId", world.organization)
            .json(document)
            .send()
            .await
    };
    let mut quote = json!({ "nodes": [{ "object": "text", "leaves": 3 }], "type": "paragraph", "object": "block" });
    for _ in 0..30 {
        quote = json!({ "nodes": [quote], "type": "blockquote", "object": "block" });
    }
    let answer = put(json!([quote])).await;
    assert_eq!(answer.status, 400);
    let (pointer, code) = answer.details().into_iter().next().unwrap();
    assert!(pointer.ends_with("/nodes/0/leaves"), "{pointer}");
    assert_eq!(code, "type");

    let wide: Vec<Value> = (0..1000)
        .map(|_| json!({ "object": "block", "type": "no-such-block" }))
        .collect();
    let answer = put(json!(wide)).await;
    assert_eq!(answer.status, 400);
    assert_eq!(answer.details().len(), 100);

    let mut endless = json!({ "object": "block", "type": "divider", "isVoid": true, "data": {} });
    for _ in 0..200 {
        endless = json!({ "object": "block", "type": "blockquote", "nodes": [endless] });
    }
    put(json!([endless])).await.has_detail("/body", "malformed-json");
}
