//! Numbers where the format has texts: YAML reads a version such as `2.10` as a number.

use serde_json::{Map, Value};

use super::{SPELLING, yaml};
use crate::position::Position;

/// The members of objects of the format that are texts, or lists of texts.
const TEXTS: [&str; 19] = [
    "bearerFormat",
    "basePath",
    "description",
    "email",
    "format",
    "host",
    "identifier",
    "name",
    "openapi",
    "operationId",
    "pattern",
    "propertyName",
    "required",
    "summary",
    "swagger",
    "tags",
    "title",
    "url",
    "version",
];

/// Makes numbers texts, as they are spelled, where the format has texts and where a schema says so.
pub fn restore(value: &mut Value, position: Position, is_text: bool) {
    match value {
        Value::String(text) => {
            if let Some(spelling) = text.strip_prefix(SPELLING) {
                match yaml::number(spelling) {
                    Some(number) if !is_text => *value = Value::Number(number),
                    _ => *value = Value::String(spelling.to_owned()),
                }
            }
        }
        Value::Number(number) if is_text => *value = Value::String(number.to_string()),
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| restore(item, position.item(), is_text)),
        Value::Object(members) => restore_members(members, position, false),
        _ => {}
    }
}

fn restore_members(members: &mut Map<String, Value>, position: Position, is_variable: bool) {
    let is_object = position == Position::Object;
    let has_texts =
        is_variable || is_string(members) || members.get("schema").and_then(Value::as_object).is_some_and(is_string);
    for (name, value) in members {
        let member = position.member(name);
        match value {
            // The variables of a server.
            Value::Object(variables) if is_object && name == "variables" => {
                for variable in variables.values_mut() {
                    match variable {
                        Value::Object(variable) => restore_members(variable, Position::Object, true),
                        other => restore(other, member, false),
                    }
                }
            }
            value => {
                let is_text = match position {
                    // Scopes and mappings.
                    Position::ByName => true,
                    Position::Object if member == Position::Literal => has_texts && !name.starts_with("x-"),
                    Position::Object => TEXTS.contains(&name.as_str()),
                    Position::Literal => false,
                };
                restore(value, member, is_text);
            }
        }
    }
}

/// Returns whether a schema is one of texts only.
fn is_string(schema: &Map<String, Value>) -> bool {
    match schema.get("type") {
        Some(Value::String(name)) => name == "string",
        Some(Value::Array(names)) => names.iter().all(|name| name == "string" || name == "null"),
        _ => false,
    }
}
