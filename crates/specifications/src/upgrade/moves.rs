//! References to values that an upgrade moves.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::{swagger, webhooks};
use crate::{Version, references::child};

/// Rewrites the references to values that have moved or will move, wherever the references stand: many documents refer from
/// their examples to those of schemas. The schemas are upgraded before, and all else after.
pub fn rewrite_references(version: Version, root: &mut Value) {
    let mut texts = HashSet::new();
    collect(root, &mut texts);
    let moved = texts.into_iter().filter_map(|text| {
        let moved = moved(version, root, text)?;
        (moved != text).then(|| (text.to_owned(), moved))
    });
    let moved: HashMap<String, String> = moved.collect();
    if !moved.is_empty() {
        replace_references(root, &|text| moved.get(text).cloned());
    }
}

fn collect<'v>(value: &'v Value, texts: &mut HashSet<&'v str>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(members) => {
            let text = members.get("$ref").and_then(Value::as_str);
            texts.extend(text.filter(|text| text.starts_with("#/")));
            members.values().for_each(|value| collect(value, texts));
        }
        _ => {}
    }
}

/// Replaces references, wherever they stand.
pub fn replace_references(value: &mut Value, new: &impl Fn(&str) -> Option<String>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| replace_references(item, new)),
        Value::Object(members) => {
            if let Some(Value::String(text)) = members.get_mut("$ref")
                && let Some(new) = new(text)
            {
                *text = new;
            }
            members.values_mut().for_each(|value| replace_references(value, new));
        }
        _ => {}
    }
}

/// The new text of a reference. `None`: it leads to nothing.
fn moved(version: Version, root: &Value, text: &str) -> Option<String> {
    let mut segments: Vec<&str> = text.strip_prefix("#/")?.split('/').collect();
    move_example(root, &mut segments)?;
    let moved = match version {
        Version::Swagger20 => swagger::moved(root, &segments),
        Version::OpenApi30 | Version::OpenApi31 => webhooks::moved(version, root, &segments),
    };
    let segments = moved.unwrap_or_else(|| segments.join("/"));
    Some(format!("#/{segments}"))
}

/// The `example` of a schema is the first of its `examples` now. `None`: the segments lead to nothing.
fn move_example(root: &Value, segments: &mut Vec<&str>) -> Option<()> {
    let mut value = root;
    let mut index = 0;
    while let Some(segment) = segments.get(index).copied() {
        match child(value, segment) {
            Some(child) => value = child,
            None if segment == "example" => {
                value = value.get("examples")?.get(0)?;
                segments.splice(index..=index, ["examples", "0"]);
                index += 1;
            }
            None => return None,
        }
        index += 1;
    }
    Some(())
}
