//! Schemas of visitors.

use serde_json::{Map, Value, json};

use crate::{Batch, Condition, Data, Evaluator, VisitorSchema};

fn schema() -> Value {
    let claim = |members: Value, description: &str| {
        let mut claim = members;
        claim["description"] = description.into();
        claim
    };
    let object =
        |properties: Value| json!({ "type": "object", "properties": properties, "additionalProperties": false });
    object(json!({
        "beta": claim(json!({ "type": "boolean" }), "Is a beta tester"),
        "plan": claim(json!({ "type": "string", "enum": ["free", "\"pro\""] }), "Plan"),
        "first-name": claim(json!({ "type": "string" }), "Name"),
        "seats": claim(json!({ "type": "number" }), "Seats"),
        "roles": claim(json!({ "type": "array", "items": { "type": "string", "enum": ["admin"] } }), "Role"),
        "numbers": claim(json!({ "type": "array", "items": { "type": "number" } }), "Numbers"),
        "address": claim(object(json!({ "country": claim(json!({ "type": "string" }), "Country") })), "Address"),
        "unsigned": claim(object(json!({ "dark": claim(json!({ "type": "boolean" }), "Likes dark") })), "Unsigned"),
    }))
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

#[tokio::test]
async fn conditions_are_made_for_each_claim_and_value() {
    let schema = VisitorSchema::parse(&schema()).unwrap();
    let templates = schema.template_conditions();
    let templates: Vec<_> = templates
        .iter()
        .map(|it| (it.description.as_str(), it.condition.as_str()))
        .collect();
    let expected = [
        ("Is a beta tester", "visitor.claims.beta == true"),
        ("Plan: free", "visitor.claims.plan == \"free\""),
        ("Plan: \"pro\"", "visitor.claims.plan == \"\\\"pro\\\"\""),
        ("Name", "visitor.claims[\"first-name\"] != null"),
        ("Seats", "visitor.claims.seats > 0"),
        ("Role: admin", "visitor.claims.roles?.includes(\"admin\")"),
        ("Numbers", "visitor.claims.numbers?.length > 0"),
        ("Country", "visitor.claims.address?.country != null"),
        ("Likes dark", "visitor.claims.unsigned.dark == true"),
    ];
    assert_eq!(templates, expected);
    let signed = json!({
        "beta": true, "plan": "\"pro\"", "first-name": "A", "seats": 2, "roles": ["admin"], "numbers": [1],
        "address": { "country": "fr" }
    });
    let conditions = templates
        .iter()
        .map(|(_, condition)| Condition::parse(condition).unwrap());
    let batch = Batch {
        conditions: conditions.collect(),
        expressions: Vec::new(),
    };
    let empty = Map::new();
    let all = schema.claims(&object(signed), &object(json!({ "dark": true })));
    let evaluator = Evaluator::default();
    let outcome = evaluator
        .evaluate(&batch, &Data::new(all, &empty, &empty))
        .await
        .unwrap();
    assert_eq!(
        outcome.conditions,
        [true, false, true, true, true, true, true, true, true]
    );
    let none = schema.claims(&empty, &empty);
    let outcome = evaluator
        .evaluate(&batch, &Data::new(none, &empty, &empty))
        .await
        .unwrap();
    assert_eq!(outcome.conditions, [false; 9]);
}

#[test]
fn unknown_claims_are_dropped() {
    let schema = VisitorSchema::parse(&schema()).unwrap();
    let claims = |signed, unsigned| Value::from(schema.claims(&object(signed), &object(unsigned)));
    let signed = json!({
        "beta": "yes", "plan": "gold", "first-name": 1, "seats": "1", "roles": ["admin", "owner", 1], "numbers": { "a": 1 },
        "address": { "country": "fr", "street": "x" }, "exp": 1, "unsigned": { "dark": true }, "__proto__": { "beta": true }
    });
    let expected = json!({ "roles": ["admin"], "address": { "country": "fr" }, "unsigned": {} });
    assert_eq!(claims(signed, json!({})), expected);
    // An unsigned claim never counts as a signed one.
    let unsigned = json!({ "beta": true, "dark": false, "plan": "free" });
    assert_eq!(claims(json!({}), unsigned), json!({ "unsigned": { "dark": false } }));
    let long = json!({ "first-name": "x".repeat(1025), "numbers": vec![1; 2000] });
    assert_eq!(claims(long, json!({}))["numbers"].as_array().unwrap().len(), 1000);
}

#[test]
fn schemas_have_limits() {
    let refused = |schema: Value| VisitorSchema::parse(&schema).unwrap_err().pointer;
    assert_eq!(refused(json!({})), "/properties");
    assert_eq!(
        refused(json!({ "properties": { "a/b": { "type": "null" } } })),
        "/properties/a~1b"
    );
    let list = json!({ "type": "array", "items": { "type": "array" } });
    assert_eq!(refused(json!({ "properties": { "a": list } })), "/properties/a/items");
    let mut deep = json!({ "type": "boolean" });
    for _ in 0..20 {
        deep = json!({ "type": "object", "properties": { "a": deep } });
    }
    assert!(refused(deep).starts_with("/properties/a/properties/a/"));
    let many = (0..1001).map(|n| (format!("c{n}"), json!({ "type": "boolean" })));
    assert_eq!(
        refused(json!({ "properties": Map::from_iter(many) })),
        "/properties/c1000"
    );
}
