//! Validation of examples and defaults against their schemas.

use jsonschema::{PatternOptions, Registry, Validator};
use serde_json::{Value, json};

use crate::{
    bundle::Bundler,
    compose::Schemas,
    document::Documents,
    finding::{Findings, Place},
    formats,
    model::Api,
    node::{Data, Node},
};

/// The URI of the components in the registry.
const CONTRACT: &str = "urn:contract";

struct Examples<'a> {
    documents: &'a Documents,
    /// The components, parsed once for all validators.
    registry: &'a Registry<'static>,
    findings: &'a mut Findings,
}

pub fn check(documents: &Documents, api: &Api, findings: &mut Findings) {
    let components = json!({ "components": api.bundle.get("components").map(absolute) });
    let prepared = Registry::new()
        .add(CONTRACT, components)
        .and_then(|registry| registry.prepare());
    let registry = match prepared {
        Ok(registry) => registry,
        Err(e) => {
            return findings.add(
                &Place::start(),
                format!("the schemas cannot be read: {e}"),
                "Correct the schema.",
            );
        }
    };
    let mut examples = Examples {
        documents,
        registry: &registry,
        findings,
    };
    for (_, file) in documents.files() {
        examples.walk(file);
    }
    examples.composed(api);
}

/// The values of an enum that clients of the oldest supported version do not know. Examples show none of them.
const NEWER: &str = "x-newer-values";

/// A schema whose references resolve into the registry, without the values that no example shows.
fn absolute(schema: &Value) -> Value {
    let newer = schema.get(NEWER).and_then(Value::as_array);
    let member = |(name, value): (&String, &Value)| {
        let value = match value.as_str() {
            Some(target) if name == "$ref" => format!("{CONTRACT}{target}").into(),
            // A member may have this name as well, with a schema.
            _ if name == "enum" && value.is_array() => known(value, newer),
            _ => absolute(value),
        };
        match newer {
            Some(newer) if name == "const" && newer.contains(&value) => ("not".to_owned(), json!({})),
            _ => (name.clone(), value),
        }
    };
    match schema {
        Value::Object(members) => members.iter().map(member).collect(),
        Value::Array(items) => items.iter().map(absolute).collect(),
        other => other.clone(),
    }
}

fn known(values: &Value, newer: Option<&Vec<Value>>) -> Value {
    let values = values.as_array().into_iter().flatten();
    let known = values.filter(|value| newer.is_none_or(|newer| !newer.contains(value)));
    known.cloned().collect()
}

impl Examples<'_> {
    fn walk(&mut self, node: &Node) {
        match &node.data {
            Data::Scalar(_) => {}
            Data::List(items) => items.iter().for_each(|item| self.walk(item)),
            Data::Map(map) => {
                self.values_of(node);
                for (key, entry) in map {
                    match key.as_str() {
                        "example" | "examples" | "default" | "const" | "enum" => {}
                        // Names in these maps are arbitrary, including `example`.
                        "properties" | "responses" => entry.node.map().for_each(|(_, entry)| self.walk(&entry.node)),
                        _ => self.walk(&entry.node),
                    }
                }
            }
        }
    }

    /// The examples and defaults of a node, which is a schema or has a `schema` (a media type or parameter).
    fn values_of(&mut self, node: &Node) {
        let schema = node.get("schema").unwrap_or(node);
        let is_schema = ["type", "$ref", "oneOf", "allOf"]
            .iter()
            .any(|key| schema.get(key).is_some());
        if !is_schema {
            return;
        }
        let mut values: Vec<&Node> = ["example", "default"]
            .into_iter()
            .filter_map(|key| node.get(key))
            .collect();
        match node.get("examples").map(|examples| &examples.data) {
            Some(Data::List(list)) => values.extend(list),
            Some(Data::Map(named)) => values.extend(named.values().filter_map(|entry| entry.node.get("value"))),
            _ => {}
        }
        if values.is_empty() {
            return;
        }
        let Some(validator) = self.validator(schema) else {
            return;
        };
        for value in values {
            let json = value.to_json();
            for error in validator.iter_errors(&json) {
                self.findings.add(
                    &place_of(value, error.instance_path().as_str()),
                    format!("the value does not match its schema: {error}"),
                    "Correct the value or the schema.",
                );
            }
        }
    }

    /// The examples of bodies that are composed from the examples of members.
    fn composed(&mut self, api: &Api) {
        let operations = api.areas.iter().flat_map(|area| &area.operations);
        let bodies = operations.flat_map(|operation| {
            let body = operation.body.as_ref().map(|body| &body.type_name);
            [body, operation.success.type_name.as_ref()]
        });
        let mut names: Vec<&String> = bodies.flatten().collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let schema = json!({ "$ref": format!("#/components/schemas/{name}") });
            let (Ok(example), Some(found)) = (Schemas::of(&api.bundle).example(&schema), api.types.get(name)) else {
                continue;
            };
            let Some(validator) = self.compile(&found.place, &schema) else {
                continue;
            };
            for error in validator.iter_errors(&example) {
                self.findings.add(
                    &found.place,
                    format!(
                        "the example composed from the members of `{name}` is not valid: {error} at {}",
                        error.instance_path().as_str()
                    ),
                    "Correct the example of the member, or add an `example` to the schema.",
                );
            }
        }
    }

    fn validator(&mut self, schema: &Node) -> Option<Validator> {
        let bundled = Bundler::new(self.documents, self.findings).convert(schema);
        self.compile(&schema.place, &bundled)
    }

    fn compile(&mut self, place: &Place, schema: &Value) -> Option<Validator> {
        let options = formats::register(jsonschema::options()).with_pattern_options(PatternOptions::regex());
        match options.with_registry(self.registry).build(&absolute(schema)) {
            Ok(validator) => Some(validator),
            Err(e) => {
                let problem = format!("the schema is not valid: {e}");
                self.findings.add(place, problem, "Correct the schema.");
                None
            }
        }
    }
}

/// The line of the node at a JSON pointer within a value.
fn place_of(value: &Node, pointer: &str) -> Place {
    let mut node = value;
    for part in pointer.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        let next = match &node.data {
            Data::List(items) => part.parse::<usize>().ok().and_then(|i| items.get(i)),
            _ => node.get(&part),
        };
        let Some(next) = next else {
            break;
        };
        node = next;
    }
    node.place.clone()
}
