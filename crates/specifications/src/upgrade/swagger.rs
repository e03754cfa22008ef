//! Documents of Swagger 2.0 as those of OpenAPI 3.

mod parameters;
mod security;

use serde_json::{Map, Value, json};
use url::Url;

use self::parameters::{Bodies, Parameters};
use crate::shape::{Kind, METHODS, walk_mut};

type Object = Map<String, Value>;

const JSON: &str = "application/json";

/// Moves what a document declares to its places in OpenAPI 3. Its schemas are upgraded before.
pub fn convert(root: &mut Value, targets: &[(String, Kind)], address: Option<&Url>) {
    for (pointer, kind) in targets {
        if let Some(value) = root.pointer_mut(pointer) {
            walk_mut(value, *kind, &mut move_references);
        }
    }
    let Value::Object(document) = root else {
        return;
    };
    let declared = take_object(document, "parameters");
    let media = Media {
        consumes: take_texts(document, "consumes"),
        produces: take_texts(document, "produces"),
    };
    let bodies = Bodies::new(declared, external(document));
    let path_items = document.get_mut("paths").and_then(Value::as_object_mut);
    for (_, item) in path_items.into_iter().flatten() {
        path_item(item, &media, &bodies);
    }
    let mut components = Object::new();
    let mut responses = take_object(document, "responses");
    responses
        .values_mut()
        .for_each(|value| response(value, &media.produces));
    let (parameters, request_bodies) = bodies.into_components(&media.consumes);
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
    convert_external(root, targets, &media);
}

/// What bodies are by default.
#[derive(Clone)]
struct Media {
    consumes: Vec<String>,
    produces: Vec<String>,
}

impl Media {
    /// The media types of an operation, which can name its own.
    fn of(&self, operation: &mut Object) -> Self {
        let or = |own: Vec<String>, general: &Vec<String>| if own.is_empty() { general.clone() } else { own };
        Self {
            consumes: or(take_texts(operation, "consumes"), &self.consumes),
            produces: or(take_texts(operation, "produces"), &self.produces),
        }
    }
}

/// The values of other documents, of which conversions only read the parameters.
fn external(document: &Object) -> Value {
    document
        .get("x-ext")
        .map_or(Value::Null, |external| json!({ "x-ext": external }))
}

/// Converts the values of other documents that the document refers to.
fn convert_external(root: &mut Value, targets: &[(String, Kind)], media: &Media) {
    let others = root.as_object().map_or(Value::Null, external);
    let bodies = Bodies::new(Object::new(), others);
    for (pointer, kind) in targets {
        if !pointer.starts_with("/x-ext/") {
            continue;
        }
        let Some(value) = root.pointer_mut(pointer) else {
            continue;
        };
        match kind {
            Kind::PathItem => path_item(value, media, &bodies),
            Kind::Response => response(value, &media.produces),
            Kind::Parameter => parameters::plain(value),
            _ => {}
        }
    }
}

fn move_references(object: &mut Object, kind: Kind) {
    let Some(Value::String(text)) = object.get_mut("$ref") else {
        return;
    };
    let moved = match kind {
        Kind::Schema => text
            .strip_prefix("#/definitions/")
            .map(|name| format!("#/components/schemas/{name}")),
        Kind::Response => text
            .strip_prefix("#/responses/")
            .map(|name| format!("#/components/responses/{name}")),
        _ => None,
    };
    if let Some(moved) = moved {
        *text = moved;
    }
}

fn path_item(item: &mut Value, media: &Media, bodies: &Bodies) {
    let Value::Object(item) = item else {
        return;
    };
    // Bodies are those of operations now.
    let shared = Parameters::take(item, bodies);
    for method in METHODS {
        if let Some(Value::Object(operation)) = item.get_mut(method) {
            let media = media.of(operation);
            let own = Parameters::take(operation, bodies);
            own.put(operation, Some(&shared), &media.consumes);
            schemes(operation);
            let responses = operation.get_mut("responses").and_then(Value::as_object_mut);
            for (_, value) in responses.into_iter().flatten() {
                response(value, &media.produces);
            }
        }
    }
    shared.put_parameters(item);
}

/// An operation can name its own schemes of addresses, whose host is that of the document: they say no more than the latter.
fn schemes(operation: &mut Object) {
    operation.shift_remove("schemes");
}

fn response(value: &mut Value, produces: &[String]) {
    let Value::Object(response) = value else {
        return;
    };
    if response.contains_key("$ref") || response.contains_key("content") {
        return;
    }
    let schema = response.shift_remove("schema");
    let mut examples = take_object(response, "examples");
    let mut content = Object::new();
    if let Some(schema) = schema {
        let mut media = produces.to_vec();
        media.extend(examples.keys().filter(|name| !produces.contains(name)).cloned());
        if media.is_empty() {
            media.push(JSON.to_owned());
        }
        for name in media {
            content.insert(name, json!({ "schema": schema }));
        }
    }
    for (name, example) in std::mem::take(&mut examples) {
        let media = content.entry(name).or_insert_with(|| json!({}));
        if let Value::Object(media) = media {
            media.insert("example".to_owned(), example);
        }
    }
    if !content.is_empty() {
        response.insert("content".to_owned(), Value::Object(content));
    }
    let headers = response.get_mut("headers").and_then(Value::as_object_mut);
    for (_, header) in headers.into_iter().flatten() {
        parameters::move_schema(header);
    }
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

fn take_texts(object: &mut Object, name: &str) -> Vec<String> {
    match object.shift_remove(name) {
        Some(Value::Array(items)) => items
            .into_iter()
            .filter_map(|item| item.as_str().map(str::to_owned))
            .collect(),
        _ => Vec::new(),
    }
}
