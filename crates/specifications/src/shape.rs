//! Where the objects of each kind stand in a document, so that examples and extensions are not taken for them.

use serde_json::{Map, Value};

use crate::references::push;

/// The kinds of objects that have references or are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Document,
    Components,
    PathItem,
    Operation,
    Parameter,
    Header,
    RequestBody,
    MediaType,
    Encoding,
    Response,
    Callback,
    Schema,
    Discriminator,
    Example,
    Link,
    SecurityScheme,
}

/// How children stand in a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    One,
    List,
    /// By names.
    Map,
    /// By names, except for extensions.
    Extensible,
    /// One or a list.
    OneOrList,
    /// An object with a kind, or a list of names.
    MapOfSchemasOrNames,
}

pub const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

impl Kind {
    /// Returns whether members beside `$ref` have a meaning.
    pub fn keeps_siblings_of_references(self) -> bool {
        matches!(self, Self::Schema | Self::PathItem)
    }

    /// The children in a member of an object of this kind.
    fn children(self, member: &str) -> Option<(Shape, Self)> {
        use Shape::{Extensible, List, Map, One, OneOrList};
        Some(match (self, member) {
            // Members that only OpenAPI 3.2 has.
            (Self::PathItem, "query") => (One, Self::Operation),
            (Self::PathItem, "additionalOperations") => (Map, Self::Operation),
            (Self::Components, "mediaTypes") => (Map, Self::MediaType),
            (Self::MediaType, "itemSchema") => (One, Self::Schema),
            (Self::Document, "paths") => (Extensible, Self::PathItem),
            (Self::Document, "webhooks") | (Self::Components, "pathItems") => (Map, Self::PathItem),
            (Self::Document, "components") => (One, Self::Components),
            (Self::Document, "definitions") | (Self::Components, "schemas") => (Map, Self::Schema),
            (Self::Document | Self::Components, "parameters") => (Map, Self::Parameter),
            (Self::Document | Self::Components, "responses") => (Map, Self::Response),
            (Self::Components, "requestBodies") => (Map, Self::RequestBody),
            (Self::Components | Self::Response | Self::Encoding, "headers") => (Map, Self::Header),
            (Self::Components, "securitySchemes") | (Self::Document, "securityDefinitions") => {
                (Map, Self::SecurityScheme)
            }
            (Self::Components | Self::Response, "links") => (Map, Self::Link),
            (Self::Components | Self::Operation, "callbacks") => (Map, Self::Callback),
            (Self::Components | Self::Parameter | Self::Header | Self::MediaType, "examples") => (Map, Self::Example),
            (Self::PathItem | Self::Operation, "parameters") => (List, Self::Parameter),
            (Self::PathItem, method) if METHODS.contains(&method) => (One, Self::Operation),
            (Self::Operation, "requestBody") => (One, Self::RequestBody),
            (Self::Operation, "responses") => (Extensible, Self::Response),
            (Self::Parameter | Self::Header | Self::RequestBody | Self::Response, "content") => (Map, Self::MediaType),
            (Self::Parameter | Self::Header | Self::MediaType | Self::Response, "schema") => (One, Self::Schema),
            (Self::Parameter | Self::Header, "items") => (One, Self::Schema),
            (Self::MediaType, "encoding") => (Map, Self::Encoding),
            (Self::Callback, expression) if !expression.starts_with("x-") => (One, Self::PathItem),
            (Self::Schema, member) => return of_schema(member),
            _ => return None,
        })
        .map(|(shape, kind)| match (shape, kind) {
            (One, Self::Schema) if member == "items" => (OneOrList, kind),
            other => other,
        })
    }
}

fn of_schema(member: &str) -> Option<(Shape, Kind)> {
    let shape = match member {
        "properties" | "patternProperties" | "definitions" | "$defs" | "dependentSchemas" => Shape::Map,
        "dependencies" => Shape::MapOfSchemasOrNames,
        "items" => Shape::OneOrList,
        "additionalProperties"
        | "additionalItems"
        | "not"
        | "contains"
        | "propertyNames"
        | "if"
        | "then"
        | "else"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "contentSchema" => Shape::One,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Shape::List,
        "discriminator" => return Some((Shape::One, Kind::Discriminator)),
        _ => return None,
    };
    Some((shape, Kind::Schema))
}

/// What a walk finds. An error ends it.
pub trait Visit {
    type Error;

    fn object(&mut self, object: &Map<String, Value>, kind: Kind, pointer: &str) -> Result<(), Self::Error>;

    /// A value that is not of the form that its kind needs.
    fn mismatch(&mut self, pointer: &str, needed: &'static str) -> Result<(), Self::Error>;
}

/// Visits the objects in a value, parents first.
pub fn walk<V: Visit>(value: &Value, kind: Kind, pointer: &mut String, visit: &mut V) -> Result<(), V::Error> {
    let object = match value {
        Value::Object(object) => object,
        // Nothing stands there, or a schema that accepts all or nothing.
        Value::Null => return Ok(()),
        Value::Bool(_) if kind == Kind::Schema => return Ok(()),
        // A discriminator is a name in Swagger 2.0.
        Value::String(_) if kind == Kind::Discriminator => return Ok(()),
        _ => return visit.mismatch(pointer, "an object"),
    };
    visit.object(object, kind, pointer)?;
    if object.contains_key("$ref") && !kind.keeps_siblings_of_references() {
        return Ok(());
    }
    for (name, child) in object {
        if let Some((shape, kind)) = kind.children(name) {
            let length = pointer.len();
            push(pointer, name);
            walk_children(child, (shape, kind), pointer, visit)?;
            pointer.truncate(length);
        }
    }
    Ok(())
}

fn walk_children<V: Visit>(
    value: &Value,
    (shape, kind): (Shape, Kind),
    pointer: &mut String,
    visit: &mut V,
) -> Result<(), V::Error> {
    let length = pointer.len();
    match (shape, value) {
        (Shape::One, _) | (Shape::OneOrList, Value::Object(_) | Value::Bool(_)) => walk(value, kind, pointer, visit),
        (_, Value::Null) => Ok(()),
        (Shape::List | Shape::OneOrList, Value::Array(items)) => {
            for (index, item) in items.iter().enumerate() {
                push(pointer, &index.to_string());
                walk(item, kind, pointer, visit)?;
                pointer.truncate(length);
            }
            Ok(())
        }
        (Shape::Map | Shape::Extensible | Shape::MapOfSchemasOrNames, Value::Object(members)) => {
            for (name, child) in members {
                if is_skipped(shape, name, child) {
                    continue;
                }
                push(pointer, name);
                walk(child, kind, pointer, visit)?;
                pointer.truncate(length);
            }
            Ok(())
        }
        (Shape::List | Shape::OneOrList, _) => visit.mismatch(pointer, "an array"),
        _ => visit.mismatch(pointer, "an object"),
    }
}

fn is_skipped(shape: Shape, name: &str, child: &Value) -> bool {
    match shape {
        Shape::Extensible => name.starts_with("x-"),
        Shape::MapOfSchemasOrNames => child.is_array(),
        _ => false,
    }
}

/// Changes the objects in a value, parents first, so that what a change adds is changed as well.
pub fn walk_mut(value: &mut Value, kind: Kind, change: &mut impl FnMut(&mut Map<String, Value>, Kind)) {
    let Value::Object(object) = value else {
        return;
    };
    change(object, kind);
    if object.contains_key("$ref") && !kind.keeps_siblings_of_references() {
        return;
    }
    for (name, child) in object.iter_mut() {
        let Some((shape, kind)) = kind.children(name) else {
            continue;
        };
        match (shape, child) {
            (Shape::One, child) | (Shape::OneOrList, child @ Value::Object(_)) => walk_mut(child, kind, change),
            (Shape::List | Shape::OneOrList, Value::Array(items)) => {
                items.iter_mut().for_each(|item| walk_mut(item, kind, change));
            }
            (Shape::Map | Shape::Extensible | Shape::MapOfSchemasOrNames, Value::Object(members)) => {
                for (name, child) in members {
                    if !is_skipped(shape, name, child) {
                        walk_mut(child, kind, change);
                    }
                }
            }
            _ => {}
        }
    }
}
