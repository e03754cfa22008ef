//! A schema as its readers see it: references followed, and the parts of `allOf` taken together.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// References that lead from one schema to the next.
const MAX_REFERENCES: usize = 10;

/// `allOf` in `allOf`.
const MAX_PARTS_DEPTH: usize = 10;

/// Parts of one schema.
const MAX_PARTS: usize = 100;

pub const TYPES: [&str; 7] = ["null", "boolean", "object", "array", "number", "integer", "string"];

/// Follows references inside of the document.
pub fn resolve<'d>(document: &'d Value, value: &'d Value) -> Option<&'d Value> {
    let mut value = value;
    for _ in 0..MAX_REFERENCES {
        let Some(reference) = value["$ref"].as_str() else {
            return Some(value);
        };
        value = document.pointer(&decoded(reference.strip_prefix('#')?)?)?;
    }
    None
}

fn decoded(fragment: &str) -> Option<String> {
    let decoded = percent_encoding::percent_decode_str(fragment).decode_utf8();
    decoded.ok().map(|text| text.into_owned())
}

/// The name of the schema that a reference leads to, if it is one of `components/schemas`.
pub fn name_of_reference(value: &Value) -> Option<String> {
    let fragment = value["$ref"].as_str()?.strip_prefix("#/components/schemas/")?;
    let name = decoded(fragment)?;
    (!name.contains('/')).then(|| name.replace("~1", "/").replace("~0", "~"))
}

/// What a schema asks for.
#[derive(Default)]
pub struct View<'d> {
    /// `None`: all types.
    pub types: Option<BTreeSet<&'d str>>,
    pub properties: BTreeMap<&'d str, &'d Value>,
    pub required: BTreeSet<&'d str>,
    /// Each value as JSON. `None`: all values.
    pub values: Option<BTreeSet<String>>,
    pub alternatives: Vec<&'d Value>,
    pub items: Option<&'d Value>,
    /// Whether properties that have no name here are refused.
    pub is_closed: bool,
    parts: Vec<&'d Value>,
}

impl<'d> View<'d> {
    pub fn of(document: &'d Value, schema: &'d Value) -> Self {
        let mut view = Self::default();
        view.add(document, schema, 0);
        view
    }

    fn add(&mut self, document: &'d Value, schema: &'d Value, depth: usize) {
        if depth > MAX_PARTS_DEPTH || self.parts.len() >= MAX_PARTS {
            return;
        }
        // Members beside a reference hold as well.
        self.add_members(schema);
        if schema["$ref"].is_string()
            && let Some(resolved) = resolve(document, schema)
        {
            self.add(document, resolved, depth + 1);
        }
        for part in array(&schema["allOf"]) {
            self.add(document, part, depth + 1);
        }
    }

    fn add_members(&mut self, schema: &'d Value) {
        self.parts.push(schema);
        if let Some(types) = types(schema) {
            self.types = Some(match self.types.take() {
                Some(known) => known.intersection(&types).copied().collect(),
                None => types,
            });
        }
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            self.properties.entry(name).or_insert(property);
        }
        self.required
            .extend(array(&schema["required"]).filter_map(Value::as_str));
        if let Some(values) = values(schema) {
            self.values = Some(match self.values.take() {
                Some(known) => known.intersection(&values).cloned().collect(),
                None => values,
            });
        }
        for member in ["oneOf", "anyOf"] {
            self.alternatives.extend(array(&schema[member]));
        }
        self.items = self.items.or(Some(&schema["items"]).filter(|items| items.is_object()));
        self.is_closed |= ["additionalProperties", "unevaluatedProperties"]
            .iter()
            .any(|member| schema[*member] == Value::Bool(false));
    }

    /// The first value of a keyword.
    pub fn keyword(&self, name: &str) -> Option<&'d Value> {
        self.parts.iter().find_map(|part| part.get(name))
    }
}

fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn types(schema: &Value) -> Option<BTreeSet<&str>> {
    let types: BTreeSet<&str> = match &schema["type"] {
        Value::String(one) => [one.as_str()].into(),
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    Some(types.into_iter().filter(|name| TYPES.contains(name)).collect())
}

fn values(schema: &Value) -> Option<BTreeSet<String>> {
    if let Some(only) = schema.get("const") {
        return Some([only.to_string()].into());
    }
    Some(schema["enum"].as_array()?.iter().map(Value::to_string).collect())
}
