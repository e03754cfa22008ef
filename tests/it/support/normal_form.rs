//! OpenAPI documents in a form that two of them can be compared in, whatever version they are written in.
//!
//! Left out on purpose: texts for people, extensions, discriminators (the constant members of the choices say the same), the widths of
//! numbers, and `additionalProperties: false`, which the 3.0 form of the derived document has no word for.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

/// A document, and the names that both documents have as components.
pub struct Normalizer<'a> {
    document: &'a Value,
    shared: &'a BTreeSet<String>,
}

/// What counts where a type is used, wherever it is written.
const OF_USE: [&str; 2] = ["default", "nullable"];

/// The names of the schemas of a document.
pub fn schema_names(document: &Value) -> BTreeSet<String> {
    let schemas = document["components"]["schemas"].as_object();
    schemas.into_iter().flat_map(Map::keys).cloned().collect()
}

impl<'a> Normalizer<'a> {
    pub fn new(document: &'a Value, shared: &'a BTreeSet<String>) -> Self {
        Self { document, shared }
    }

    /// Everything that matters, as one value for each fact-bearing place: `schema <name>` and `<METHOD> <path>`.
    pub fn facts(&self) -> BTreeMap<String, Value> {
        let mut facts = BTreeMap::new();
        for name in self.shared {
            let mut schema = self.schema(&self.document["components"]["schemas"][name]);
            schema
                .as_object_mut()
                .unwrap()
                .retain(|key, _| !OF_USE.contains(&key.as_str()));
            facts.insert(format!("schema {name}"), schema);
        }
        for (path, item) in self.document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                if method == "parameters" {
                    continue;
                }
                let key = format!("{} {path}", method.to_uppercase());
                facts.insert(key, self.operation(item, operation));
            }
        }
        facts
    }

    fn resolve(&self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str() {
            Some(reference) => {
                let target = self.document.pointer(reference.trim_start_matches('#'));
                self.resolve(target.unwrap_or_else(|| panic!("{reference} leads nowhere")))
            }
            None => value,
        }
    }

    fn operation(&self, item: &'a Value, operation: &'a Value) -> Value {
        let lists = [&item["parameters"], &operation["parameters"]];
        let parameters = lists.into_iter().filter_map(Value::as_array).flatten().map(|written| {
            let parameter = self.resolve(written);
            let key = format!(
                "{} {}",
                parameter["in"].as_str().unwrap(),
                parameter["name"].as_str().unwrap()
            );
            let facts = json!({
                "required": parameter["required"] == true,
                "deprecated": parameter["deprecated"] == true,
                "schema": self.schema(&parameter["schema"]),
            });
            (key, facts)
        });
        let parameters: BTreeMap<String, Value> = parameters.collect();
        let responses = operation["responses"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(status, written)| {
                let response = self.resolve(written);
                let headers: Vec<String> = response["headers"]
                    .as_object()
                    .into_iter()
                    .flat_map(Map::keys)
                    .cloned()
                    .collect();
                let body = response
                    .pointer("/content/application~1json/schema")
                    .map(|schema| self.schema(schema));
                // The 3.0 form writes `default` as ranges.
                let status = if status.ends_with("XX") { "default" } else { status };
                (status.to_owned(), json!({ "headers": headers, "body": body }))
            });
        let responses: BTreeMap<String, Value> = responses.collect();
        let body = &operation["requestBody"];
        let body = body.is_object().then(|| {
            let schema = &body["content"]["application/json"]["schema"];
            json!({ "required": body["required"] == true, "schema": self.schema(schema) })
        });
        json!({
            "id": operation["operationId"],
            "tags": operation["tags"],
            "deprecated": operation["deprecated"] == true,
            "security": operation.get("security").unwrap_or(&self.document["security"]),
            "parameters": parameters,
            "body": body,
            "responses": responses,
        })
    }

    fn schema(&self, schema: &'a Value) -> Value {
        let mut facts = Map::new();
        self.collect(schema, &mut facts);
        if let Some(Value::Array(required)) = facts.get_mut("required") {
            required.sort_by_key(Value::to_string);
            required.dedup();
        }
        Value::Object(facts)
    }

    fn collect(&self, schema: &'a Value, facts: &mut Map<String, Value>) {
        if let Some(reference) = schema["$ref"].as_str() {
            let name = reference.rsplit('/').next().unwrap();
            if self.shared.contains(name) {
                facts.insert("ref".into(), name.into());
                let target = self.resolve(schema);
                facts.extend(
                    target
                        .get("default")
                        .map(|default| ("default".to_owned(), default.clone())),
                );
                facts.extend(allows_null(target).then(|| ("nullable".to_owned(), json!(true))));
            } else {
                self.collect(self.resolve(schema), facts);
            }
        }
        for (key, value) in schema.as_object().into_iter().flatten() {
            self.keyword(schema, key, value, facts);
        }
    }

    fn keyword(&self, schema: &'a Value, key: &str, value: &'a Value, facts: &mut Map<String, Value>) {
        match key {
            "type" => self.types(value, facts),
            "nullable" => drop((value == true).then(|| facts.insert("nullable".into(), true.into()))),
            "const" => drop(facts.insert("enum".into(), json!([value]))),
            "enum" => {
                let mut values = value.as_array().unwrap().clone();
                values.sort_by_key(Value::to_string);
                facts.insert("enum".into(), values.into());
            }
            "format" => {
                let of_number = ["int32", "int64", "uint32", "uint64", "double", "float"];
                if !of_number.contains(&value.as_str().unwrap()) {
                    facts.insert("format".into(), value.clone());
                }
            }
            "minimum" | "maximum" => drop(facts.insert(key.into(), value.as_f64().into())),
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" | "pattern"
            | "uniqueItems" => drop(facts.insert(key.into(), value.clone())),
            // 240 and 240.0 are one number.
            "default" => {
                let number = value.as_f64().map(Value::from);
                facts.insert("default".into(), number.unwrap_or_else(|| value.clone()));
            }
            "items" => drop(facts.insert("items".into(), self.schema(value))),
            "allOf" => {
                let parts = value.as_array().unwrap().iter();
                let parts: Vec<&Value> = parts.filter(|part| self.schema(part) != json!({})).collect();
                match parts.as_slice() {
                    [single] => self.collect(single, facts),
                    // Parts of one object: what they are called apart does not matter.
                    parts => parts.iter().for_each(|part| self.collect(self.resolve(part), facts)),
                }
            }
            "oneOf" => self.one_of(value, facts),
            "properties" => {
                let known = facts.entry("properties").or_insert_with(|| json!({}));
                for (name, member) in value.as_object().unwrap() {
                    known[name] = self.schema(member);
                }
                sort_members(known);
            }
            "required" => {
                let known = facts.entry("required").or_insert_with(|| json!([]));
                known
                    .as_array_mut()
                    .unwrap()
                    .extend(value.as_array().unwrap().iter().cloned());
            }
            "additionalProperties" => match value {
                Value::Bool(false) => {}
                Value::Bool(true) => drop(facts.insert(key.into(), json!({}))),
                other => drop(facts.insert(key.into(), self.schema(other))),
            },
            "unevaluatedProperties" if value == false => {}
            // The derived document has no word for it; what it refuses is compared body by body.
            "not" => {}
            "$ref" | "title" | "description" | "example" | "examples" | "deprecated" | "discriminator" => {}
            extension if extension.starts_with("x-") => {}
            other => panic!("the normal form does not know `{other}` in {schema}"),
        }
    }

    fn types(&self, value: &Value, facts: &mut Map<String, Value>) {
        let types: Vec<&Value> = value.as_array().map_or(vec![value], |types| types.iter().collect());
        for one in types {
            let fact = if one == "null" {
                ("nullable", json!(true))
            } else {
                ("type", one.clone())
            };
            facts.insert(fact.0.into(), fact.1);
        }
    }

    /// `null` is a choice in 3.1 and a word of its own in 3.0.
    fn one_of(&self, value: &'a Value, facts: &mut Map<String, Value>) {
        let (null, others): (Vec<&Value>, Vec<&Value>) = value
            .as_array()
            .unwrap()
            .iter()
            .partition(|choice| choice["type"] == "null");
        if !null.is_empty() {
            facts.insert("nullable".into(), true.into());
        }
        if let ([single], false) = (others.as_slice(), null.is_empty()) {
            return self.collect(single, facts);
        }
        let mut choices: Vec<Value> = others.into_iter().map(|choice| self.schema(choice)).collect();
        choices.sort_by_key(Value::to_string);
        facts.insert("oneOf".into(), choices.into());
    }
}

fn allows_null(schema: &Value) -> bool {
    let is_null = |choice: &Value| choice == "null" || choice["type"] == "null";
    let listed = |key: &str| {
        schema[key]
            .as_array()
            .is_some_and(|choices| choices.iter().any(is_null))
    };
    schema["nullable"] == true || listed("type") || listed("oneOf")
}

fn sort_members(value: &mut Value) {
    if let Some(members) = value.as_object_mut() {
        members.sort_keys();
    }
}

/// Where two documents say different things.
pub fn differences(left: &BTreeMap<String, Value>, right: &BTreeMap<String, Value>) -> Vec<String> {
    let mut found = Vec::new();
    let keys: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
    for key in keys {
        match (left.get(key), right.get(key)) {
            (Some(l), Some(r)) => compare(key, l, r, &mut found),
            (Some(_), None) => found.push(format!("{key}: only in the contract")),
            _ => found.push(format!("{key}: only in the code")),
        }
    }
    found
}

fn compare(at: &str, left: &Value, right: &Value, found: &mut Vec<String>) {
    if let (Value::Object(l), Value::Object(r)) = (left, right) {
        let keys: BTreeSet<&String> = l.keys().chain(r.keys()).collect();
        let null = Value::Null;
        for key in keys {
            let (l, r) = (l.get(key).unwrap_or(&null), r.get(key).unwrap_or(&null));
            compare(&format!("{at} / {key}"), l, r, found);
        }
    } else if left != right {
        found.push(format!("{at}: the contract says {left}, the code {right}"));
    }
}
