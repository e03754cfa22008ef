//! The published OpenAPI documents.

use anyhow::Context;
use openapi::{call::Operation, deduplicate::deduplicate, document, operations::OPERATIONS};
use serde_json::{Value, json};

use super::api;

/// Returns the contract, OpenAPI 3.1, with the public URL of this server.
pub fn contract(server: &str) -> Value {
    document::published(server)
}

/// Returns the document that the framework derives from the code, OpenAPI 3.0, for client generators without support for
/// 3.1. Members that the framework does not support are copied from the contract.
pub fn derived(server: &str) -> anyhow::Result<Value> {
    let contract = document::contract();
    let text = |pointer: &str| contract.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let service = api::described(text("/info/title"), text("/info/version"));
    let mut derived: Value = serde_json::from_str(&service.spec()).context("the derived document is not JSON")?;
    let license = json!({ "name": text("/info/license/name") });
    let members = derived
        .as_object_mut()
        .context("the derived document is not an object")?;
    members.insert("servers".to_owned(), json!([{ "url": server }]));
    if let Some(tags) = contract.get("tags") {
        members.insert("tags".to_owned(), tags.clone());
    }
    if let Some(info) = members.get_mut("info").and_then(Value::as_object_mut) {
        info.insert("description".to_owned(), json!(text("/info/description")));
        info.insert("license".to_owned(), license);
    }
    copy_headers(&mut derived);
    write_default_as_ranges(&mut derived);
    deduplicate(&mut derived);
    Ok(derived)
}

/// The headers of responses, which the framework does not know.
fn copy_headers(document: &mut Value) {
    let contract = document::contract();
    let resolve = |value: &'static Value| {
        let reference = value.get("$ref").and_then(Value::as_str);
        reference.map_or(Some(value), |reference| contract.pointer(reference.strip_prefix('#')?))
    };
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    for (path, item) in paths.into_iter().flatten() {
        let operations = item.as_object_mut().into_iter().flatten();
        for (method, operation) in operations {
            let known = contract
                .get("paths")
                .and_then(|paths| paths.get(path)?.get(method)?.get("responses"));
            let responses = operation.get_mut("responses").and_then(Value::as_object_mut);
            for (status, response) in responses.into_iter().flatten() {
                let headers = known.and_then(|known| resolve(known.get(status)?)?.get("headers")?.as_object());
                let headers = headers.into_iter().flatten();
                let headers = headers.filter_map(|(name, header)| Some((name.clone(), resolve(header)?.clone())));
                let headers: serde_json::Map<_, _> = headers.collect();
                if let Some(response) = response.as_object_mut() {
                    response.insert("headers".to_owned(), headers.into());
                }
            }
        }
    }
}

/// Replaces the response `default` by `4XX` and `5XX`. Some client generators take `default` for a success too, and fail.
fn write_default_as_ranges(document: &mut Value) {
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    let items = paths.into_iter().flat_map(|paths| paths.values_mut());
    let operations = items
        .filter_map(Value::as_object_mut)
        .flat_map(|item| item.values_mut());
    for responses in operations.filter_map(|operation| operation.get_mut("responses")?.as_object_mut()) {
        if let Some(response) = responses.remove("default") {
            responses.insert("4XX".to_owned(), response.clone());
            responses.insert("5XX".to_owned(), response);
        }
    }
}

pub fn yaml(document: &Value) -> anyhow::Result<String> {
    yaml_serde::to_string(document).context("cannot convert the document to YAML")
}

/// Returns the operations in the order of the contract.
pub fn operations() -> Vec<&'static Operation> {
    let paths = document::contract().get("paths").and_then(Value::as_object);
    let paths: Vec<&String> = paths.into_iter().flatten().map(|(path, _)| path).collect();
    let mut operations: Vec<&Operation> = OPERATIONS.to_vec();
    operations.sort_by_key(|operation| paths.iter().position(|path| *path == operation.path));
    operations
}
