//! Query strings to values of the types that the contract gives them.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::models::ErrorDetail;

use super::{
    report,
    spec::{Kind, Parameter, Spec},
};

/// The declared parameters of a query as one object; others are ignored, so that clients of later versions keep working.
pub fn read(query: &str, spec: &Spec) -> Result<Value, Vec<ErrorDetail>> {
    let mut values = Map::new();
    let mut found = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, text) = pair.split_once('=').unwrap_or((pair, ""));
        let (Some(name), Some(text)) = (decode(name), decode(text)) else {
            found.push(report::detail("/query", "encoding", "Is not percent-encoded UTF-8."));
            continue;
        };
        let Some(parameter) = spec.query_parameters().find(|parameter| parameter.name == name) else {
            continue;
        };
        let pointer = format!("/query/{name}");
        if text.contains('\0') {
            found.push(report::nul(&pointer));
        }
        let value = typed(parameter, &text);
        match values.get_mut(parameter.name.as_str()) {
            None if parameter.repeated => drop(values.insert(parameter.name.clone(), Value::Array(vec![value]))),
            None => drop(values.insert(parameter.name.clone(), value)),
            Some(Value::Array(list)) if parameter.repeated => list.push(value),
            Some(_) => found.push(report::detail(&pointer, "repeated", "May be given only once.")),
        }
    }
    if found.is_empty() {
        Ok(Value::Object(values))
    } else {
        Err(found)
    }
}

/// What does not read as its type stays a text: the schema then says what is wrong.
fn typed(parameter: &Parameter, text: &str) -> Value {
    let read = match parameter.kind {
        Kind::Text => None,
        Kind::Integer => text.parse::<i64>().ok().map(Value::from),
        Kind::Boolean => text.parse::<bool>().ok().map(Value::from),
    };
    read.unwrap_or_else(|| text.into())
}

fn decode(text: &str) -> Option<Cow<'_, str>> {
    let spaced = text.replace('+', " ");
    let decoded = percent_encoding::percent_decode_str(&spaced).decode_utf8().ok()?;
    Some(Cow::Owned(decoded.into_owned()))
}
