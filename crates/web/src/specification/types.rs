//! Short texts for schemas: their types and their limits.

use serde_json::Value;

/// The type of a schema in a few words.
pub fn type_of(schema: &Value, name: Option<&str>) -> String {
    let format = schema.get("format").and_then(Value::as_str);
    let kind = match schema.get("type") {
        Some(Value::String(kind)) => kind.clone(),
        Some(Value::Array(kinds)) => {
            let kinds: Vec<&str> = kinds.iter().filter_map(Value::as_str).collect();
            kinds.join(" | ")
        }
        _ => untyped(schema).to_owned(),
    };
    match (kind.as_str(), name, format) {
        ("object" | "any", Some(name), _) => name.to_owned(),
        ("array", _, _) => {
            let items = schema.get("items").unwrap_or(&Value::Null);
            let name = items.get("$ref").and_then(Value::as_str).map(name_of);
            format!("{}[]", type_of(items, name))
        }
        (_, _, Some(format)) => format!("{kind} ({format})"),
        (_, _, None) => kind,
    }
}

fn untyped(schema: &Value) -> &'static str {
    let has = |name| schema.get(name).is_some();
    if has("properties") || has("additionalProperties") {
        return "object";
    }
    if has("items") { "array" } else { "any" }
}

/// A member that is a text; empty if there is none.
pub fn text_of<'v>(value: &'v Value, member: &str) -> &'v str {
    value.get(member).and_then(Value::as_str).unwrap_or_default()
}

/// The last part of a reference.
pub fn name_of(reference: &str) -> &str {
    reference.rsplit('/').next().unwrap_or(reference)
}

/// What values of a schema are limited to, each as a name and a value.
pub fn limits(schema: &Value) -> Vec<(&'static str, String)> {
    const LIMITS: [(&str, &str); 13] = [
        ("default", "="),
        ("const", "="),
        ("minimum", "≥"),
        ("maximum", "≤"),
        ("exclusiveMinimum", ">"),
        ("exclusiveMaximum", "<"),
        ("minLength", "length ≥"),
        ("maxLength", "length ≤"),
        ("minItems", "items ≥"),
        ("maxItems", "items ≤"),
        ("pattern", "~"),
        ("multipleOf", "×"),
        ("example", "e.g."),
    ];
    let limits = LIMITS
        .iter()
        .filter_map(|(member, sign)| Some((*sign, short(schema.get(member)?)?)));
    let mut limits: Vec<(&'static str, String)> = limits.collect();
    if let Some(Value::Array(values)) = schema.get("enum") {
        let values: Vec<String> = values.iter().take(50).filter_map(short).collect();
        limits.push(("∈", values.join(", ")));
    }
    limits
}

/// A value as JSON. `None`: it is too long for a line.
fn short(value: &Value) -> Option<String> {
    Some(value.to_string()).filter(|text| text.len() <= 200)
}
