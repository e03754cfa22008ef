//! The values of parameters and headers.

use serde_json::{Value, json};

use super::Object;
use crate::upgrade::schemas::make_nullable;

/// The members of a parameter that describe its value.
pub const OF_SCHEMA: [&str; 17] = [
    "type",
    "format",
    "items",
    "default",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "enum",
    "multipleOf",
    "contentMediaType",
];

/// Moves what describes the value into a schema.
pub fn move_schema(value: &mut Value) {
    let Value::Object(parameter) = value else {
        return;
    };
    if parameter.contains_key("$ref") || parameter.contains_key("schema") {
        return;
    }
    let format = parameter.shift_remove("collectionFormat");
    let is_array = parameter.get("type").is_some_and(|value| value == "array");
    let schema = take_schema(parameter);
    parameter.insert("schema".to_owned(), Value::Object(schema));
    if is_array {
        let format = format.as_ref().and_then(Value::as_str);
        // Lists in other places than queries have one style only.
        let is_query = parameter.get("in").is_some_and(|value| value == "query");
        let style = is_query.then(|| style(format));
        if let Some((style, _)) = style {
            parameter.insert("style".to_owned(), json!(style));
        }
        let explode = style.is_some_and(|(_, explode)| explode);
        parameter.insert("explode".to_owned(), json!(explode));
    }
}

/// How the values of a list are written, and whether each is a parameter of its own.
pub fn style(format: Option<&str>) -> (&'static str, bool) {
    match format {
        Some("multi") => ("form", true),
        Some("ssv") => ("spaceDelimited", false),
        Some("pipes") => ("pipeDelimited", false),
        _ => ("form", false),
    }
}

/// Moves the members that describe a value out of a parameter.
pub fn take_schema(parameter: &mut Object) -> Object {
    let members = OF_SCHEMA.into_iter();
    let members = members.filter_map(|name| Some((name.to_owned(), parameter.shift_remove(name)?)));
    let mut schema: Object = members.collect();
    if let Some(items) = schema.get_mut("items").and_then(Value::as_object_mut) {
        items.shift_remove("collectionFormat");
    }
    if schema.get("type").is_some_and(|value| value == "file") {
        schema.insert("type".to_owned(), json!("string"));
        schema.insert("contentMediaType".to_owned(), json!("application/octet-stream"));
    }
    if parameter.shift_remove("x-nullable") == Some(Value::Bool(true)) {
        make_nullable(&mut schema);
    }
    schema
}
