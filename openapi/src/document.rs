//! The contract as one document.

use std::{
    io::{self, Read},
    sync::LazyLock,
};

use flate2::bufread::GzDecoder;
use serde_json::{Map, Value};

use crate::deduplicate::deduplicate;

static CONTRACT: LazyLock<Value> = LazyLock::new(|| read().unwrap_or_default());
const COMPRESSED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/contract.json.gz"));

fn read() -> io::Result<Value> {
    let mut text = String::new();
    GzDecoder::new(COMPRESSED).read_to_string(&mut text)?;
    Ok(serde_json::from_str(&text)?)
}

/// The bundled OpenAPI 3.1 document.
pub fn contract() -> &'static Value {
    &CONTRACT
}

/// The value itself, or what its reference stands for.
pub(crate) fn resolve(value: &Value) -> &Value {
    let mut value = value;
    while let Some(reference) = value.get("$ref").and_then(Value::as_str) {
        let target = reference.strip_prefix('#').and_then(|at| CONTRACT.pointer(at));
        match target {
            Some(target) => value = target,
            None => break,
        }
    }
    value
}

/// The contract with the address that the service is reached at, and with equal parts written once.
pub fn published(server: &str) -> Value {
    let mut document = answered();
    if let Some(members) = document.as_object_mut() {
        members.insert("servers".into(), serde_json::json!([{ "url": server }]));
        if let Some(guide) = members.get_mut("externalDocs").and_then(Value::as_object_mut) {
            guide.insert("url".to_owned(), format!("{server}/docs/").into());
        }
    }
    deduplicate(&mut document);
    document
}

/// The contract, which requires of objects what every answer has.
pub fn answered() -> Value {
    let mut document = CONTRACT.clone();
    let schemas = document
        .pointer_mut("/components/schemas")
        .and_then(Value::as_object_mut);
    schemas.into_iter().flat_map(Map::values_mut).for_each(require_answered);
    document
}

/// Requires the members that every answer has.
fn require_answered(schema: &mut Value) {
    let Some(schema) = schema.as_object_mut() else {
        return;
    };
    let Some(Value::Array(answered)) = schema.remove("x-always-answered") else {
        return;
    };
    let required = schema.entry("required").or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(required) = required {
        required.extend(answered);
    }
}
