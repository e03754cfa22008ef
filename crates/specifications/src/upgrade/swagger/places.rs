//! The places of what moves when a document of Swagger 2.0 becomes one of OpenAPI 3.

use serde_json::Value;

use super::{JSON, values::OF_SCHEMA};
use crate::{
    references::{child, push},
    shape::METHODS,
};

/// The new pointer, without its first slash, to a value that the segments of a pointer lead to. `None`: the value stays, or
/// [`super::Bodies`] follows the reference.
pub fn moved(root: &Value, segments: &[&str]) -> Option<String> {
    let value = |length: usize| {
        let path = segments.iter().take(length);
        path.copied().try_fold(root, child)
    };
    match segments {
        ["definitions", rest @ ..] => Some(join("components/schemas", rest)),
        ["securityDefinitions", rest @ ..] => Some(join("components/securitySchemes", rest)),
        ["responses", name, rest @ ..] => {
            let place = format!("components/responses/{name}");
            Some(in_response(place, value(2)?, None, root, rest))
        }
        ["parameters", name, member, rest @ ..] => match location(value(2)?) {
            Some("body") => in_body(format!("components/requestBodies/{name}"), None, root, member, rest),
            Some("formData") => None,
            _ if OF_SCHEMA.contains(member) => {
                Some(join(&format!("components/parameters/{name}/schema/{member}"), rest))
            }
            _ => Some(join(&format!("components/parameters/{name}/{member}"), rest)),
        },
        ["paths", path, method, "responses", status, rest @ ..] if METHODS.contains(method) => {
            let place = format!("paths/{path}/{method}/responses/{status}");
            Some(in_response(place, value(5)?, value(3), root, rest))
        }
        ["paths", path, method, "parameters", _, member, rest @ ..] if METHODS.contains(method) => {
            let place = format!("paths/{path}/{method}/requestBody");
            let is_body = location(value(5)?) == Some("body");
            is_body.then(|| in_body(place, value(3), root, member, rest))?
        }
        _ => None,
    }
}

fn location(parameter: &Value) -> Option<&str> {
    parameter.get("in")?.as_str()
}

fn join(place: &str, rest: &[&str]) -> String {
    let segments = std::iter::once(place).chain(rest.iter().copied());
    segments.collect::<Vec<_>>().join("/")
}

/// A place in a response: the schema is that of each media type.
fn in_response(mut place: String, response: &Value, operation: Option<&Value>, root: &Value, rest: &[&str]) -> String {
    if rest.first() != Some(&"schema") {
        return join(&place, rest);
    }
    let of_example = || response.get("examples")?.as_object()?.keys().next().map(String::as_str);
    let media = first_media("produces", operation, root).or_else(of_example);
    place.push_str("/content");
    push(&mut place, media.unwrap_or(JSON));
    join(&place, rest)
}

/// A place in a body.
fn in_body(mut place: String, operation: Option<&Value>, root: &Value, member: &str, rest: &[&str]) -> Option<String> {
    if member != "schema" {
        return None;
    }
    place.push_str("/content");
    push(&mut place, first_media("consumes", operation, root).unwrap_or(JSON));
    place.push_str("/schema");
    Some(join(&place, rest))
}

fn first_media<'v>(member: &str, operation: Option<&'v Value>, root: &'v Value) -> Option<&'v str> {
    let first = |value: &'v Value| value.get(member)?.as_array()?.iter().find_map(Value::as_str);
    operation.and_then(first).or_else(|| first(root))
}
