//! Examples and defaults are checked against the schema that they stand beside.

use jsonschema::{PatternOptions, Validator};
use serde_json::{Map, Value};

use crate::{
    bundle::Bundler,
    document::Documents,
    finding::{Findings, Place},
    formats,
    node::{Data, Node},
};

struct Examples<'a> {
    documents: &'a Documents,
    components: &'a Value,
    findings: &'a mut Findings,
}

pub fn check(documents: &Documents, bundle: &Value, findings: &mut Findings) {
    let mut examples = Examples {
        documents,
        components: bundle.get("components").unwrap_or(&Value::Null),
        findings,
    };
    for (_, file) in documents.files() {
        examples.walk(file);
    }
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
                        // Names here may be anything, also `example`.
                        "properties" | "responses" => entry.node.map().for_each(|(_, entry)| self.walk(&entry.node)),
                        _ => self.walk(&entry.node),
                    }
                }
            }
        }
    }

    /// The values that a node gives for itself (a schema) or for its `schema` (a media type or parameter).
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
                    format!("the value does not fit its schema: {error}"),
                    "Correct the value, or the schema.",
                );
            }
        }
    }

    fn validator(&mut self, schema: &Node) -> Option<Validator> {
        let mut whole = Map::new();
        if let Value::Object(members) = Bundler::new(self.documents, self.findings).convert(schema) {
            whole.extend(members);
        }
        whole.insert("components".into(), self.components.clone());
        let options = formats::register(jsonschema::options()).with_pattern_options(PatternOptions::regex());
        match options.build(&Value::Object(whole)) {
            Ok(validator) => Some(validator),
            Err(e) => {
                self.findings.add(
                    &schema.place,
                    format!("the schema is not valid: {e}"),
                    "Correct the schema.",
                );
                None
            }
        }
    }
}

/// The line of what a JSON pointer means within a value.
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
