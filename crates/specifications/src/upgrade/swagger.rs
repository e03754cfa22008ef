//! Documents of Swagger 2.0 as those of OpenAPI 3.

mod form;
mod parameters;
mod places;
mod security;
mod values;

use std::{borrow::Cow, collections::HashSet};

use serde_json::{Map, Value, json};
use url::Url;

use self::parameters::{Bodies, Parameters};
pub use self::places::moved;

use crate::memory::{self, Memory};
use crate::shape::{Kind, METHODS};

type Object = Map<String, Value>;

const JSON: &str = "application/json";

/// Moves what a document declares to its places in OpenAPI 3. Its schemas and references are upgraded before.
pub fn convert(root: &mut Value, targets: &[(String, Kind)], address: Option<&Url>, copies: &mut Memory) {
    let of_operations = parameters::of_operations(root, targets, copies);
    let Value::Object(document) = root else {
        return;
    };
    let declared = take_object(document, "parameters");
    let media = Media {
        consumes: take_texts(document, "consumes").into(),
        produces: take_texts(document, "produces").into(),
    };
    let bodies = Bodies::new(declared, external(document), of_operations);
    let path_items = document.get_mut("paths").and_then(Value::as_object_mut);
    for (_, item) in path_items.into_iter().flatten() {
        path_item(item, &media, &bodies, copies);
    }
    let mut components = Object::new();
    let mut responses = take_object(document, "responses");
    responses
        .values_mut()
        .for_each(|value| response(value, &media.produces, copies));
    let (parameters, request_bodies) = bodies.into_components(&media.consumes, copies);
    let mut schemes = take_object(document, "securityDefinitions");
    schemes.values_mut().for_each(security::scheme);
    for (name, members) in [
        ("schemas", take_object(document, "definitions")),
        ("responses", responses),
        ("parameters", parameters),
        ("requestBodies", request_bodies),
        ("securitySchemes", schemes),
    ] {
        if !members.is_empty() {
            components.insert(name.to_owned(), Value::Object(members));
        }
    }
    if !components.is_empty() {
        document.insert("components".to_owned(), Value::Object(components));
    }
    servers(document, address);
    document.shift_remove("swagger");
    convert_external(root, targets, &media, copies);
}

/// What bodies are by default.
struct Media<'m> {
    consumes: Cow<'m, [String]>,
    produces: Cow<'m, [String]>,
}

impl Media<'_> {
    /// The media types of an operation, which can name its own.
    fn of(&self, operation: &mut Object) -> Media<'_> {
        Media {
            consumes: own_or(take_texts(operation, "consumes"), &self.consumes),
            produces: own_or(take_texts(operation, "produces"), &self.produces),
        }
    }
}

fn own_or(own: Vec<String>, general: &[String]) -> Cow<'_, [String]> {
    match own.is_empty() {
        true => general.into(),
        false => own.into(),
    }
}

/// The values of other documents, of which conversions only read the parameters.
fn external(document: &Object) -> Value {
    document
        .get("x-ext")
        .map_or(Value::Null, |external| json!({ "x-ext": external }))
}

/// Converts the values of other documents that the document refers to.
fn convert_external(root: &mut Value, targets: &[(String, Kind)], media: &Media<'_>, copies: &mut Memory) {
    let others = root.as_object().map_or(Value::Null, external);
    let bodies = Bodies::new(Object::new(), others, Default::default());
    for (pointer, kind) in targets {
        if !pointer.starts_with("/x-ext/") {
            continue;
        }
        let Some(value) = root.pointer_mut(pointer) else {
            continue;
        };
        match kind {
            Kind::PathItem => path_item(value, media, &bodies, copies),
            Kind::Response => response(value, &media.produces, copies),
            Kind::Parameter => parameters::plain(value),
            _ => {}
        }
    }
}

fn path_item(item: &mut Value, media: &Media<'_>, bodies: &Bodies, copies: &mut Memory) {
    let Value::Object(item) = item else {
        return;
    };
    // Bodies are those of operations now.
    let shared = Parameters::take(item, bodies, copies);
    for method in METHODS {
        if let Some(Value::Object(operation)) = item.get_mut(method) {
            let media = media.of(operation);
            let own = Parameters::take(operation, bodies, copies);
            own.put(operation, Some(&shared), &media.consumes, copies);
            schemes(operation);
            let responses = operation.get_mut("responses").and_then(Value::as_object_mut);
            for (_, value) in responses.into_iter().flatten() {
                response(value, &media.produces, copies);
            }
        }
    }
    shared.put_parameters(item);
}

/// An operation can name its own schemes of addresses, whose host is that of the document: they say no more than the latter.
fn schemes(operation: &mut Object) {
    operation.shift_remove("schemes");
}

fn response(value: &mut Value, produces: &[String], copies: &mut Memory) {
    let Value::Object(response) = value else {
        return;
    };
    if response.contains_key("$ref") || response.contains_key("content") {
        return;
    }
    let schema = response.shift_remove("schema");
    let examples = take_object(response, "examples");
    let mut content = match &schema {
        Some(schema) => content(produces.iter().chain(examples.keys()), schema, copies),
        None => Object::new(),
    };
    for (name, example) in examples {
        if let Value::Object(media) = content.entry(name).or_insert_with(|| json!({})) {
            media.insert("example".to_owned(), example);
        }
    }
    if !content.is_empty() {
        response.insert("content".to_owned(), Value::Object(content));
    }
    let headers = response.get_mut("headers").and_then(Value::as_object_mut);
    for (_, header) in headers.into_iter().flatten() {
        values::move_schema(header);
    }
}

/// The members of a parameter that a body or a property keeps.
fn extensions(parameter: Object) -> impl Iterator<Item = (String, Value)> {
    parameter.into_iter().filter(|(name, _)| name.starts_with("x-"))
}

/// The content of a body with the same schema in each media type.
fn content<'m>(media: impl IntoIterator<Item = &'m String>, schema: &Value, copies: &mut Memory) -> Object {
    let bytes = memory::of_container() + memory::of_name("schema") + memory::of(schema);
    let mut content = Object::new();
    for name in media {
        if !content.contains_key(name) {
            if copies.take(memory::of_name(name) + bytes).is_err() {
                return content;
            }
            content.insert(name.clone(), json!({ "schema": schema }));
        }
    }
    if content.is_empty() && copies.take(bytes).is_ok() {
        content.insert(JSON.to_owned(), json!({ "schema": schema }));
    }
    content
}

fn servers(document: &mut Object, address: Option<&Url>) {
    let text = |value: Option<Value>| value.and_then(|value| value.as_str().map(str::to_owned));
    let host = text(document.shift_remove("host"));
    let path = text(document.shift_remove("basePath")).unwrap_or_default();
    let mut schemes = take_texts(document, "schemes");
    let host = host.or_else(|| {
        let address = address?;
        let host = address.host_str()?;
        Some(address.port().map_or(host.to_owned(), |port| format!("{host}:{port}")))
    });
    let servers: Vec<_> = match host {
        None if path.is_empty() => return,
        None => vec![json!({ "url": path })],
        Some(host) => {
            if schemes.is_empty() {
                schemes.push(address.map_or("https", Url::scheme).to_owned());
            }
            let path = path.trim_end_matches('/');
            schemes
                .iter()
                .map(|scheme| json!({ "url": format!("{scheme}://{host}{path}") }))
                .collect()
        }
    };
    document.insert("servers".to_owned(), Value::Array(servers));
}

fn take_object(object: &mut Object, name: &str) -> Object {
    match object.shift_remove(name) {
        Some(Value::Object(members)) => members,
        _ => Object::new(),
    }
}

/// The texts of a list, each once.
fn take_texts(object: &mut Object, name: &str) -> Vec<String> {
    let Some(Value::Array(items)) = object.shift_remove(name) else {
        return Vec::new();
    };
    let mut known = HashSet::new();
    let texts = items.iter().filter_map(Value::as_str);
    texts.filter(|text| known.insert(*text)).map(str::to_owned).collect()
}
