//! One JSON document out of all files.

use serde_json::{Map, Value, json};

use crate::{
    document::{self, Documents},
    errors,
    finding::{Findings, Place},
    implied,
    node::{Data, Node},
};

/// Keywords for the build only, omitted from the published document.
const INTERNAL: &[&str] = &[
    "x-stored",
    "x-id",
    "x-counted-to",
    "x-scanned-to",
    "x-secret",
    errors::KEYWORD,
    implied::KEYWORD,
    implied::HEADERS,
    implied::IDEMPOTENCY_KEY,
];

pub struct Bundler<'a> {
    documents: &'a Documents,
    findings: &'a mut Findings,
    components: Map<String, Value>,
}

pub fn bundle(documents: &Documents, findings: &mut Findings) -> Value {
    let Some(entry) = documents.entry() else {
        return Value::Null;
    };
    let mut bundler = Bundler::new(documents, findings);
    let mut bundle = bundler.convert(entry);
    let components = std::mem::take(&mut bundler.components);
    if let Some(document) = bundle.as_object_mut() {
        let own = document.entry("components").or_insert_with(|| json!({}));
        for (kind, named) in components {
            let into = own
                .as_object_mut()
                .map(|own| own.entry(kind).or_insert_with(|| json!({})));
            if let (Some(Value::Object(into)), Value::Object(named)) = (into, named) {
                into.extend(named);
                into.sort_keys();
            }
        }
    }
    bundle
}

impl<'a> Bundler<'a> {
    pub fn new(documents: &'a Documents, findings: &'a mut Findings) -> Self {
        Self {
            documents,
            findings,
            components: Map::new(),
        }
    }

    pub fn convert(&mut self, node: &Node) -> Value {
        match &node.data {
            Data::Scalar(value) => value.clone(),
            Data::List(items) => items.iter().map(|item| self.convert(item)).collect(),
            Data::Map(_) if node.get("$ref").is_some() => self.reference(node),
            Data::Map(_) => self.members(node),
        }
    }

    fn members(&mut self, node: &Node) -> Value {
        let mut members = Map::new();
        for (key, entry) in node.map() {
            let value = match key {
                _ if INTERNAL.contains(&key) => continue,
                "properties" | "responses" | "headers" => self.named(&entry.node),
                "example" | "examples" | "default" => entry.node.to_json(),
                "mapping" => self.mapping(&entry.node),
                "x-default-variant" | "x-other-variant" => {
                    self.component_of(&entry.place, entry.node.as_str().unwrap_or_default())
                }
                _ => self.convert(&entry.node),
            };
            members.insert(key.to_owned(), value);
        }
        Value::Object(members)
    }

    /// A mapping whose keys are names, possibly including `default`.
    fn named(&mut self, node: &Node) -> Value {
        let members = node
            .map()
            .map(|(key, entry)| (key.to_owned(), self.convert(&entry.node)));
        Value::Object(members.collect())
    }

    fn reference(&mut self, node: &Node) -> Value {
        let Some((found, Some(target))) = self.documents.resolve(node, self.findings) else {
            return Value::Null;
        };
        if target.component().is_none() {
            return self.convert(found);
        }
        let mut value = Map::new();
        let reference = self.component_of(&node.place, node.str("$ref").unwrap_or_default());
        value.insert("$ref".into(), reference);
        for (key, entry) in node.map() {
            if key != "$ref" && !INTERNAL.contains(&key) {
                value.insert(key.to_owned(), entry.node.to_json());
            }
        }
        Value::Object(value)
    }

    /// The mapping of the discriminator holds references as plain strings.
    fn mapping(&mut self, node: &Node) -> Value {
        let convert = |(key, entry): (&str, &crate::node::Entry)| {
            let reference = self.component_of(&entry.place, entry.node.as_str().unwrap_or_default());
            (key.to_owned(), reference)
        };
        Value::Object(node.map().map(convert).collect())
    }

    /// Returns the name of a component in the bundle, and adds the component at the first reference.
    fn component_of(&mut self, place: &Place, reference: &str) -> Value {
        let found = document::target(place, reference).and_then(|target| {
            let node = self.documents.find(&target)?;
            let (kind, name) = target.component()?;
            Some((node, kind.to_owned(), name.to_owned()))
        });
        let Some((node, kind, name)) = found else {
            self.findings.add(
                place,
                format!("`{reference}` is not a component"),
                "Correct the file or the name after `#`.",
            );
            return Value::Null;
        };
        let named = self.components.entry(kind.clone()).or_insert_with(|| json!({}));
        let known = named.get(&name).is_some();
        if !known {
            if let Some(named) = named.as_object_mut() {
                named.insert(name.clone(), Value::Null);
            }
            let value = self.convert(node);
            if let Some(Value::Object(named)) = self.components.get_mut(&kind) {
                named.insert(name.clone(), value);
            }
        }
        Value::String(format!("#/components/{kind}/{name}"))
    }
}
