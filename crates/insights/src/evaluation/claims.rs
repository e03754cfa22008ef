//! Claims of visitors: JSON objects.

use serde_json::{Map, Value};

pub(crate) fn parse(claims: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(claims).ok()
}

/// The claim at a path. A name that is the whole rest of the path wins over a path through its first dot.
pub(super) fn at_path(claims: &Map<String, Value>, path: &str) -> Option<String> {
    let mut object = claims;
    let mut rest = path;
    loop {
        if let Some(value) = object.get(rest) {
            return to_text(value);
        }
        let (name, below) = rest.split_once('.')?;
        object = object.get(name)?.as_object()?;
        rest = below;
    }
}

pub(crate) fn to_text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}
