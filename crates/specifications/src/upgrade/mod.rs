//! Upgrades to OpenAPI 3.1.

mod moves;
pub mod names;
mod schemas;
mod swagger;
pub mod webhooks;

use serde_json::{Map, Value, json};
use url::Url;

use self::schemas::upgrade_schema;
use crate::{
    Version,
    memory::Memory,
    shape::{Kind, walk_mut},
};

/// Upgrades a document. `targets` are all values that the document or one of its references names, and their kinds. Returns
/// whether the upgraded document is whole: an upgrade may multiply what a document says once, and ends when there is no memory left.
pub fn upgrade(
    version: Version,
    root: &mut Value,
    targets: &[(String, Kind)],
    address: Option<&Url>,
    mut copies: Memory,
) -> bool {
    if version != Version::OpenApi31 {
        for (pointer, kind) in targets {
            if let Some(value) = root.pointer_mut(pointer) {
                walk_mut(value, *kind, &mut |object, kind| upgrade_object(version, object, kind));
            }
        }
        moves::rewrite_references(version, root);
    }
    if version == Version::Swagger20 {
        swagger::convert(root, targets, address, &mut copies);
    }
    webhooks::convert(version, root);
    names::make_allowed(root);
    if let Value::Object(root) = root {
        set_versions(root);
    }
    for (pointer, kind) in targets {
        // Responses of Swagger 2.0 and of webhooks have moved, and the walk over the document reaches them.
        if let Some(value) = root.pointer_mut(pointer) {
            walk_mut(value, *kind, &mut |object, kind| describe_response(object, kind));
        }
    }
    !copies.is_exhausted()
}

fn upgrade_object(version: Version, object: &mut Map<String, Value>, kind: Kind) {
    match kind {
        Kind::Schema => upgrade_schema(version, object),
        // Parameters of Swagger 2.0 are schemas as well.
        Kind::Parameter | Kind::Header if version == Version::Swagger20 && !object.contains_key("schema") => {
            schemas::upgrade_limits(object);
        }
        _ => {}
    }
}

fn set_versions(root: &mut Map<String, Value>) {
    let info = root.entry("info").or_insert_with(|| json!({}));
    if let Value::Object(info) = info {
        // The format needs both, and readers rely on them.
        for name in ["title", "version"] {
            info.entry(name).or_insert_with(|| json!(""));
        }
    }
    match root.get_mut("openapi") {
        Some(version) if version.as_str().is_some_and(|version| version.starts_with("3.1")) => {}
        Some(version) => *version = json!("3.1.0"),
        None => {
            root.shift_insert(0, "openapi".to_owned(), json!("3.1.0"));
        }
    }
}

/// Readers rely on the description of a response, which the format requires and many documents omit.
fn describe_response(object: &mut Map<String, Value>, kind: Kind) {
    let has_text = object.get("description").is_some_and(Value::is_string);
    if kind == Kind::Response && !has_text && !object.contains_key("$ref") {
        object.insert("description".to_owned(), json!(""));
    }
}
