//! Documents made to take much work, which is counted.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{compare, with_schemas};
use crate::{Changes, Impact};

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// Compares within the steps that the sizes allow.
fn counted(before: &Value, after: &Value) -> Changes {
    let (changes, spent, limit) = Changes::counted(before, after);
    let bytes = before.to_string().len() + after.to_string().len();
    assert!(
        spent <= limit && limit <= 8 * bytes + 10_000,
        "{spent} of {limit} steps for {bytes} bytes"
    );
    assert!(changes.is_complete || changes.impact != Impact::Compatible);
    changes
}

/// Each schema refers to the next one twice, so that all ways together are too many.
fn nest(keyword: &str, leaf: &str) -> Value {
    let mut schemas: Map<_, _> = (0..40)
        .map(|level| {
            let next = reference(&format!("L{}", level + 1));
            let twice = match keyword {
                "properties" => json!({ "a": next, "b": next }),
                _ => json!([next, { "allOf": [next] }]),
            };
            (format!("L{level}"), json!({ keyword: twice }))
        })
        .collect();
    schemas.insert("L40".to_owned(), json!({ "type": leaf }));
    schemas.insert("Thing".to_owned(), reference("L0"));
    with_schemas(Value::Object(schemas))
}

#[test]
fn nests_of_references_are_compared_once() {
    for keyword in ["allOf", "anyOf", "oneOf", "properties"] {
        let changes = counted(&nest(keyword, "string"), &nest(keyword, "integer"));
        assert!(
            changes.is_complete && changes.impact == Impact::Breaking,
            "{keyword}: {changes:?}"
        );
        let changes = counted(&nest(keyword, "string"), &nest(keyword, "string"));
        assert!(changes.is_complete && changes.changes.is_empty(), "{keyword}");
    }
    // Each schema is made of others than before, so that all have to be taken together.
    for keyword in ["allOf", "properties"] {
        let text = nest(keyword, "string")
            .to_string()
            .replace("/L", "/M")
            .replace("\"L", "\"M");
        let changes = counted(&nest(keyword, "string"), &serde_json::from_str(&text).unwrap());
        assert!(changes.impact <= Impact::Unknown, "{keyword}: {:?}", changes.impact);
    }
}

#[test]
fn circles_end() {
    let document = |leaf: &str| {
        with_schemas(json!({
            "Thing": { "allOf": [reference("Thing"), reference("Other")], "minProperties": 1, "properties": { "a": { "allOf": [reference("Thing")], "type": leaf } } },
            "Other": { "$ref": "#/components/schemas/Thing" },
            "Self": { "$ref": "#/components/schemas/Self" },
            "Two": { "oneOf": [reference("Two"), reference("Thing"), { "items": reference("Two") }] },
        }))
    };
    assert_eq!(
        counted(&document("object"), &document("string")).impact,
        Impact::Breaking
    );
    let same = counted(&document("object"), &document("object"));
    assert_eq!(super::lines(&same), [""; 0]);
    let item = |code: &str| {
        let callbacks = json!({ "again": { "{$url}": { "$ref": "#/components/pathItems/Item" } } });
        json!({
            "paths": { "/a": { "$ref": "#/components/pathItems/Item" } },
            "components": { "pathItems": { "Item": { "post": { "callbacks": callbacks, "responses": { code: {} } } } } },
        })
    };
    assert_eq!(counted(&item("200"), &item("201")).impact, Impact::Breaking);
}

/// Every part refers to every other one in another order: all pairs are too many.
#[test]
fn more_pairs_than_steps_are_not_called_compatible() {
    let document = |shift: usize| {
        let list: Vec<_> = (0..3000)
            .map(|number| reference(&format!("S{}", (number * 7 + shift * number) % 3000)))
            .collect();
        let mut schemas: Map<_, _> = (0..3000)
            .map(|number| {
                (
                    format!("S{number}"),
                    json!({ "prefixItems": [reference(&format!("S{}", (number + shift) % 3000)), reference("S0")] }),
                )
            })
            .collect();
        schemas.insert("Thing".to_owned(), json!({ "prefixItems": list }));
        with_schemas(Value::Object(schemas))
    };
    let changes = counted(&document(1), &document(11));
    assert!(!changes.is_complete && changes.impact >= Impact::Unknown);
}

#[test]
fn large_documents_are_compared_whole() {
    let many = |more: &str| {
        let properties: Map<_, _> = (0..100_000)
            .map(|number| (format!("p-{number}"), json!({ "type": "string" })))
            .collect();
        let mut schema = json!({ "properties": properties });
        schema["properties"]["z"] = json!({ "type": more, "description": "d".repeat(8_000_000) });
        with_schemas(json!({ "Thing": schema }))
    };
    let before = many("string");
    assert!(before.to_string().len() > 10_000_000);
    let same = counted(&before, &before);
    assert!(same.is_complete && same.changes.is_empty());
    let changes = counted(&before, &many("integer"));
    assert!(
        changes.is_complete && changes.impact == Impact::Breaking && changes.count == 2,
        "{:?}",
        changes.count
    );
    // All of the properties are others.
    let text = before.to_string().replace("\"p-", "\"q-");
    let all = counted(&before, &serde_json::from_str(&text).unwrap());
    let count = all.changes.iter().map(|change| change.count).max();
    assert!(all.is_complete && count == Some(200_000), "{count:?}");
    assert_eq!(all.changes[0].details.len().max(all.changes[1].details.len()), 20);
}

#[test]
fn there_is_a_limit_for_what_is_listed() {
    let many = |count: usize| {
        let paths: Map<_, _> = (0..count)
            .map(|number| (format!("/{number}"), json!({ "get": {} })))
            .collect();
        json!({ "paths": paths })
    };
    let changes = Changes::between(&many(5000), &many(10));
    assert!(changes.is_complete && changes.changes.len() == 1000 && changes.count == 4990);
    let many = format!("[{}0]", "{\"a\":0},".repeat(500_000));
    let changes = Changes::between_texts(b"{}", many.as_bytes()).unwrap();
    assert!(!changes.is_complete && changes.impact == Impact::Unknown);
}

proptest! {
    /// A document with any values in places that have meaning.
    #[test]
    fn nothing_makes_it_panic(parts in prop::collection::vec((0_usize..6, any_value()), 1..6)) {
        let before = with_schemas(json!({ "Thing": { "type": "object" }, "Other": { "enum": [1] } }));
        let mut after = before.clone();
        for (place, value) in parts {
            let pointer = [
                "/paths", "/paths/~1things/post", "/paths/~1things/post/requestBody", "/components/schemas/Thing", "/components/schemas", "/components",
            ][place];
            if let Some(found) = after.pointer_mut(pointer) {
                *found = value;
            }
        }
        counted(&before, &after);
        counted(&after, &before);
        prop_assert_eq!(counted(&after, &after).changes.len(), 0);
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let names = [
        "type",
        "properties",
        "$ref",
        "allOf",
        "oneOf",
        "items",
        "enum",
        "required",
        "schema",
        "get",
        "in",
        "name",
        "content",
        "callbacks",
    ];
    let texts = vec![
        "string",
        "query",
        "#/components/schemas/Thing",
        "#",
        "#/paths/%ff",
        "a{b}c{",
        "#name",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        prop::sample::select(texts).prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        let members = prop::collection::btree_map(prop::sample::select(names.to_vec()), inner.clone(), 0..4);
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Value::from),
            members.prop_map(|members| members
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect()),
        ]
    })
}

#[test]
fn a_contract_is_compared_with_a_changed_one() {
    let before = openapi::document::contract();
    let mut after = before.clone();
    after["components"]["schemas"]["Team"]["properties"]["title"] = json!({ "type": "integer" });
    let changes = compare(before, &after);
    assert_eq!(changes.impact, Impact::Breaking);
    counted(before, &after);
}

/// The pointers to all that changes would be longer than memory.
#[test]
fn long_names_take_no_room() {
    let document = |leaf: &str| {
        let properties: Map<_, _> = (0..2000)
            .map(|number| (format!("p{number}"), json!({ "properties": { "a": { "type": leaf } } })))
            .collect();
        let name = "n".repeat(100_000);
        let mut schemas = json!({ "Thing": { "allOf": [reference(&name)], "maximum": leaf.len() } });
        schemas[&name] = json!({ "properties": properties });
        with_schemas(schemas)
    };
    let changes = counted(&document("string"), &document("integer"));
    let told: usize = changes.changes.iter().map(|change| format!("{change:?}").len()).sum();
    assert!(changes.impact == Impact::Breaking && told < 1_000_000, "{told}");
}
