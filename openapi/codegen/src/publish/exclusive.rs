//! Members of which at most one is sent, in the words of JSON Schema.

use serde_json::{Map, Value, json};

use super::Source;

/// The members of an object of which at most one has a value other than `null`.
pub const KEYWORD: &str = "x-at-most-one";

/// Says in each object which two members cannot be sent together.
pub fn complete(bundle: &mut Value, source: Source<'_>) {
    match bundle {
        Value::Array(items) => items.iter_mut().for_each(|item| complete(item, source)),
        Value::Object(members) => {
            if let Some(names) = members.remove(KEYWORD) {
                let names: Vec<&str> = names
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                    .collect();
                let mut pairs: Vec<Value> = pairs(&names).map(|pair| together(pair, members, source)).collect();
                let wrong = match pairs.len() {
                    1 => pairs.remove(0),
                    _ => json!({ "anyOf": pairs }),
                };
                members.insert("not".to_owned(), wrong);
            }
            members.values_mut().for_each(|member| complete(member, source));
        }
        _ => {}
    }
}

fn pairs<'a>(names: &'a [&'a str]) -> impl Iterator<Item = [&'a str; 2]> {
    let after = |at: usize| names.iter().skip(at + 1);
    names
        .iter()
        .enumerate()
        .flat_map(move |(at, first)| after(at).map(|second| [*first, *second]))
}

/// An object with both members. A member that is `null` does not count.
fn together(pair: [&str; 2], object: &Map<String, Value>, source: Source<'_>) -> Value {
    let is_nullable = |name: &&&str| {
        let member = object.get("properties").and_then(|members| members.get(**name));
        member.is_some_and(|member| allows_null(source.resolve_in(member)))
    };
    let nullable = pair.iter().filter(is_nullable);
    let values: Map<String, Value> = nullable
        .map(|name| ((*name).to_owned(), json!({ "not": { "type": "null" } })))
        .collect();
    if values.is_empty() {
        return json!({ "required": pair });
    }
    json!({ "required": pair, "properties": values })
}

fn allows_null(schema: &Value) -> bool {
    let is_null = |choice: &Value| choice["type"] == "null";
    let types = schema["type"].as_array().into_iter().flatten();
    types.into_iter().any(|t| t == "null") || schema["oneOf"].as_array().into_iter().flatten().any(is_null)
}
