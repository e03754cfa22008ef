//! Answers without a body: operations with `x-minimal` take the header `Prefer`, and answer `return=minimal` with 204.
//!
//! The published document says so, the 3.0 form does not: generators that need that form know one answer for success.

use serde_json::{Map, Value, json};

use super::operations;

pub const KEYWORD: &str = "x-minimal";

pub fn complete(bundle: &mut Value) {
    for (_, _, operation) in operations(bundle) {
        if operation.remove(KEYWORD).is_some_and(|minimal| minimal == true) {
            add_parameter(operation);
            add_response(operation);
        }
    }
}

fn add_parameter(operation: &mut Map<String, Value>) {
    let parameters = operation.entry("parameters").or_insert_with(|| json!([]));
    let parameter = json!({
        "name": "Prefer",
        "in": "header",
        "description": "With `return=minimal` the response of a success is 204, without a body. Other preferences are ignored.",
        "schema": { "type": "string" },
        "example": "return=minimal",
    });
    if let Value::Array(parameters) = parameters {
        parameters.push(parameter);
    }
}

fn add_response(operation: &mut Map<String, Value>) {
    let responses = operation.get_mut("responses").and_then(Value::as_object_mut);
    let Some(responses) = responses else { return };
    let success = responses.iter().find(|(status, _)| status.starts_with('2'));
    let headers = success.and_then(|(_, response)| response.get("headers")?.as_object());
    let mut headers = headers.cloned().unwrap_or_default();
    let applied = json!({
        "description": "The preference that was applied: `return=minimal`.",
        "required": true,
        "schema": { "type": "string" },
        "example": "return=minimal",
    });
    headers.insert("Preference-Applied".to_owned(), applied);
    let description = "The same success, for a request that prefers an answer without a body.";
    responses.insert(
        "204".to_owned(),
        json!({ "description": description, "headers": headers }),
    );
}
