//! Schemas of Swagger 2.0 and OpenAPI 3.0 as those of OpenAPI 3.1.

use serde_json::{Map, Value, json};

use crate::Version;

/// Changes one schema; upgrading it again changes nothing.
pub fn upgrade_schema(version: Version, schema: &mut Map<String, Value>) {
    if schema.contains_key("$ref") {
        return upgrade_reference(schema);
    }
    if version == Version::Swagger20 {
        upgrade_names(schema);
    }
    upgrade_limits(schema);
    upgrade_content(schema);
    upgrade_examples(schema);
    if schema.shift_remove("nullable") == Some(Value::Bool(true)) {
        make_nullable(schema);
    }
}

/// `exclusiveMinimum: true` beside `minimum` becomes the limit itself; likewise the maximum.
pub fn upgrade_limits(schema: &mut Map<String, Value>) {
    for (exclusive, limit) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        let Some(Value::Bool(is_exclusive)) = schema.get(exclusive) else {
            continue;
        };
        match (is_exclusive, schema.get(limit).cloned()) {
            (true, Some(value)) => {
                schema.insert(exclusive.to_owned(), value);
                schema.shift_remove(limit);
            }
            _ => {
                schema.shift_remove(exclusive);
            }
        }
    }
}

fn upgrade_names(schema: &mut Map<String, Value>) {
    if let Some(nullable) = schema.shift_remove("x-nullable") {
        schema.insert("nullable".to_owned(), nullable);
    }
    if let Some(Value::String(name)) = schema.get("discriminator") {
        let discriminator = json!({ "propertyName": name });
        schema.insert("discriminator".to_owned(), discriminator);
    }
}

/// `examples` had no meaning, and is a list now.
fn upgrade_examples(schema: &mut Map<String, Value>) {
    let example = schema.shift_remove("example");
    match (schema.get_mut("examples"), example) {
        (None, Some(example)) => {
            schema.insert("examples".to_owned(), Value::Array(vec![example]));
        }
        (None, None) | (Some(Value::Array(_)), _) => {}
        (Some(other), example) => *other = Value::Array(vec![example.unwrap_or_else(|| other.take())]),
    }
}

fn upgrade_content(schema: &mut Map<String, Value>) {
    let is = |name: &str, text: &str| schema.get(name).is_some_and(|value| value == text);
    let (is_file, is_text) = (is("type", "file"), is("type", "string"));
    let (is_binary, is_base64) = (is("format", "binary"), is("format", "byte"));
    if is_file {
        schema.insert("type".to_owned(), json!("string"));
    }
    if is_file || (is_text && is_binary) {
        schema.shift_remove("format");
        schema.insert("contentMediaType".to_owned(), json!("application/octet-stream"));
    } else if is_text && is_base64 {
        schema.shift_remove("format");
        schema.insert("contentEncoding".to_owned(), json!("base64"));
    }
}

/// Members beside a reference had no meaning, but authors mean those that are kept.
fn upgrade_reference(schema: &mut Map<String, Value>) {
    let is_nullable = ["nullable", "x-nullable"]
        .iter()
        .any(|name| schema.get(*name) == Some(&Value::Bool(true)));
    schema.retain(|name, _| {
        let is_extension = name.starts_with("x-") && name != "x-nullable";
        is_extension || matches!(name.as_str(), "$ref" | "description" | "summary")
    });
    if is_nullable && let Some(reference) = schema.shift_remove("$ref") {
        let choices = json!([{ "$ref": reference }, { "type": "null" }]);
        schema.shift_insert(0, "anyOf".to_owned(), choices);
    }
}

/// Adds `null` to what a schema accepts, in each member that excludes it.
pub fn make_nullable(schema: &mut Map<String, Value>) {
    if let Some(Value::String(name)) = schema.get("type") {
        let types = json!([name, "null"]);
        schema.insert("type".to_owned(), types);
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    let null = || json!({ "type": "null" });
    let mut has_choices = false;
    for name in ["anyOf", "oneOf"] {
        if let Some(Value::Array(choices)) = schema.get_mut(name) {
            choices.push(null());
            has_choices = true;
        }
    }
    if let Some(parts) = schema.shift_remove("allOf") {
        let choices = Value::Array(vec![json!({ "allOf": parts }), null()]);
        match has_choices {
            true => schema.insert("allOf".to_owned(), json!([{ "anyOf": choices }])),
            false => schema.insert("anyOf".to_owned(), choices),
        };
    }
}
