//! Schemas in a form whose check takes time in proportion to the value.
//!
//! A `oneOf` tries every choice, and each choice tries the choices within it: exponential in the depth of a document. The
//! contract always says which choice is meant, by a member or by the JSON type, so here every `oneOf` becomes `if … then`.
//! Reports are better as well: only the choice that was meant complains.

use std::sync::LazyLock;

use jsonschema::{ReferencingError, Registry, ValidationError, ValidationOptions, Validator};
use serde_json::{Map, Value, json};

use crate::document;

/// The name under which the registry has the components.
const CONTRACT: &str = "urn:bindery:contract";

/// The components of the contract, once for all validators.
static REGISTRY: LazyLock<Result<Registry<'static>, ReferencingError>> = LazyLock::new(|| {
    let components = document::contract().get("components").map(decidable);
    let document = json!({ "components": components });
    Registry::new().add(CONTRACT, document)?.prepare()
});

/// A validator for a schema of the contract.
pub fn compile(options: ValidationOptions<'_>, schema: &Value) -> Result<Validator, ValidationError<'static>> {
    let registry = REGISTRY
        .as_ref()
        .map_err(|error| ValidationError::custom(error.to_string()))?;
    options.with_registry(registry).build(&decidable(schema))
}

fn decidable(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => match members.get("oneOf").and_then(Value::as_array) {
            Some(choices) => one_of(members, choices),
            None => members.iter().map(member).collect(),
        },
        Value::Array(items) => items.iter().map(decidable).collect(),
        other => other.clone(),
    }
}

fn member((name, value): (&String, &Value)) -> (String, Value) {
    let value = match value.as_str() {
        Some(target) if name == "$ref" => reference(target),
        _ => decidable(value),
    };
    (name.clone(), value)
}

fn reference(target: &str) -> Value {
    format!("{CONTRACT}{target}").into()
}

fn one_of(members: &Map<String, Value>, choices: &[Value]) -> Value {
    match members.get("discriminator").or_else(|| members.get("x-discriminator")) {
        Some(discriminator) => by_member(discriminator),
        None if choices.len() > 1 && choices.iter().all(is_object) => by_presence(choices),
        None => by_type(choices),
    }
}

fn by_member(discriminator: &Value) -> Value {
    let member = discriminator
        .get("propertyName")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let mapping = discriminator.get("mapping").and_then(Value::as_object);
    let tags: Vec<&String> = mapping.into_iter().flat_map(Map::keys).collect();
    let is = |tag: &str| json!({ "required": [member], "properties": { member: { "const": tag } } });
    let to = |target: &Value| json!({ "$ref": target.as_str().map(reference) });
    let mut rules: Vec<Value> = mapping
        .into_iter()
        .flatten()
        .map(|(tag, target)| json!({ "if": is(tag), "then": to(target) }))
        .collect();
    if let Some(target) = discriminator.get("x-other-variant") {
        let is_known = json!({ "properties": { member: { "enum": tags } } });
        rules.push(json!({ "if": is_known, "else": to(target) }));
        return json!({ "type": "object", "required": [member], "allOf": rules });
    }
    let mut schema = json!({ "type": "object", "properties": { member: { "enum": tags } } });
    match discriminator.get("x-default-variant") {
        Some(target) => rules.push(json!({ "if": { "required": [member] }, "else": to(target) })),
        None => drop(
            schema
                .as_object_mut()
                .map(|schema| schema.insert("required".into(), json!([member]))),
        ),
    }
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("allOf".into(), rules.into());
    }
    schema
}

fn is_object(choice: &Value) -> bool {
    types_of(choice) == ["object"]
}

/// Exactly one of the members that tell the choices apart is present, and then its choice counts.
fn by_presence(choices: &[Value]) -> Value {
    let objects: Vec<Members<'_>> = choices.iter().map(Members::of).collect();
    let keys: Vec<Option<&str>> = (0..objects.len()).map(|at| key(&objects, at)).collect();
    let names: Vec<&str> = keys.iter().flatten().copied().collect();
    let is_optional = names.len() < choices.len();
    let mut wrong: Vec<Value> = Vec::new();
    for (at, first) in names.iter().enumerate() {
        wrong.extend(
            names
                .iter()
                .skip(at + 1)
                .map(|second| json!({ "required": [first, second] })),
        );
    }
    let none: Map<String, Value> = names.iter().map(|name| ((*name).to_owned(), json!(false))).collect();
    if !is_optional {
        wrong.push(json!({ "properties": none }));
    }
    let others = |own: Option<&str>| {
        let others = names.iter().filter(|name| Some(**name) != own);
        others
            .map(|name| ((*name).to_owned(), json!(false)))
            .collect::<Map<_, _>>()
    };
    let rules = choices.iter().zip(keys).map(|(choice, key)| {
        let required: Vec<&str> = key.into_iter().collect();
        json!({ "if": { "required": required, "properties": others(key) }, "then": decidable(choice) })
    });
    let rules: Vec<Value> = rules.collect();
    let wrong = json!({ "anyOf": wrong });
    json!({ "type": "object", "allOf": rules, "if": { "type": "object" }, "then": { "not": wrong } })
}

/// The members of an object, and those that it requires.
#[derive(Default)]
struct Members<'a> {
    all: Vec<&'a str>,
    required: Vec<&'a str>,
}

impl<'a> Members<'a> {
    fn of(schema: &'a Value) -> Self {
        let mut members = Self::default();
        members.collect(schema);
        members
    }

    fn collect(&mut self, schema: &'a Value) {
        let schema = document::resolve(schema);
        for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.collect(part);
        }
        let names = schema.get("properties").and_then(Value::as_object);
        self.all
            .extend(names.into_iter().flat_map(Map::keys).map(String::as_str));
        let required = schema.get("required").and_then(Value::as_array);
        self.required
            .extend(required.into_iter().flatten().filter_map(Value::as_str));
    }
}

/// The required member of an object that no other object has; the generator refuses two objects without one.
fn key<'a>(objects: &[Members<'a>], at: usize) -> Option<&'a str> {
    let own = objects.get(at)?;
    let mut properties = own.all.iter();
    let is_own = |name: &str| {
        let mut others = objects.iter().enumerate().filter(|(other, _)| *other != at);
        others.all(|(_, other)| !other.all.contains(&name))
    };
    let key = properties.find(|name| own.required.contains(name) && is_own(name));
    key.copied()
}

fn by_type(choices: &[Value]) -> Value {
    let types: Vec<Value> = choices.iter().flat_map(types_of).collect();
    let rules: Vec<Value> = choices
        .iter()
        .map(|choice| json!({ "if": { "type": types_of(choice) }, "then": decidable(choice) }))
        .collect();
    json!({ "type": types, "allOf": rules })
}

/// The JSON types that a choice allows.
fn types_of(choice: &Value) -> Vec<Value> {
    let schema = document::resolve(choice);
    match schema.get("type") {
        Some(Value::Array(types)) => types.clone(),
        Some(single) => vec![single.clone()],
        // Without a type stands a choice between objects, or a list of parts of one.
        None => vec!["object".into()],
    }
}
