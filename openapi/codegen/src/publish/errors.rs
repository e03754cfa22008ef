//! The error responses of each operation: what its words mean, and an example for each that is true for the operation.

use heck::ToTitleCase;
use serde_json::{Map, Value, json};

use crate::errors::{Catalog, REFUSALS, RULES, WORDS, Word};

use super::{Source, operations};

/// The responses that say the same for all operations.
const SHARED: &[&str] = &["401", "413", "415", "429", "default"];

/// The rules that the example of an invalid request breaks are those of schemas.
const INVALID: &str = "invalid-request";

struct Place<'a> {
    source: Source<'a>,
    catalog: &'a Catalog,
    path: &'a str,
    method: &'a str,
    operation: &'a Map<String, Value>,
}

pub fn complete(bundle: &mut Value, source: Source<'_>, catalog: &Catalog) {
    for (path, method, operation) in operations(bundle) {
        let before = operation.clone();
        let place = Place {
            source,
            catalog,
            path,
            method,
            operation: &before,
        };
        let responses = operation.get_mut("responses").and_then(Value::as_object_mut);
        for (status, response) in responses.into_iter().flatten() {
            if !status.starts_with('4') || SHARED.contains(&status.as_str()) {
                continue;
            }
            *response = place.response(status, source.resolve(response));
        }
    }
    let components = bundle
        .pointer_mut("/components/responses")
        .and_then(Value::as_object_mut);
    for (name, response) in components.into_iter().flatten() {
        let words = catalog.words.iter().filter(|word| word.component() == Some(name));
        let examples = words.map(|word| {
            (
                word.name.clone(),
                example(&word.doc, body(word, &word.message, Vec::new())),
            )
        });
        set_examples(response, examples.collect());
    }
    drop_unused(bundle);
    group_rules(bundle, catalog);
}

/// Adds the groups of rules, which operations name, to the schema of the rules.
fn group_rules(bundle: &mut Value, catalog: &Catalog) {
    let mut groups: Map<String, Value> = Map::new();
    for rule in &catalog.rules {
        let group = groups.entry(rule.group.clone()).or_insert_with(|| json!([]));
        if let Some(names) = group.as_array_mut() {
            names.push(rule.name.clone().into());
        }
    }
    let schema = bundle.pointer_mut(&format!("/components/schemas/{RULES}"));
    if let Some(schema) = schema.and_then(Value::as_object_mut) {
        schema.insert("x-groups".to_owned(), groups.into());
    }
}

/// Removes the shared responses that no operation refers to.
fn drop_unused(bundle: &mut Value) {
    let text = bundle["paths"].to_string();
    if let Some(named) = bundle
        .pointer_mut("/components/responses")
        .and_then(Value::as_object_mut)
    {
        named.retain(|name, _| text.contains(&format!("\"#/components/responses/{name}\"")));
    }
}

impl Place<'_> {
    fn response(&self, status: &str, shared: &Value) -> Value {
        let words: Vec<&Word> = self.words().filter(|word| word.key() == status).collect();
        let mut lines: Vec<String> = Vec::new();
        if words.len() > 1 || ["409", "412"].contains(&status) {
            lines.extend(words.iter().map(|word| format!("- `{}`: {}", word.name, word.doc)));
        }
        let mut examples = Map::new();
        for word in words {
            let refusals = self.refusals(word);
            let details = match refusals.first() {
                Some((rule, pointer, doc)) if word.name != INVALID => vec![detail(pointer, rule, doc)],
                _ if word.name == INVALID => self.violations(),
                _ => Vec::new(),
            };
            examples.insert(
                word.name.clone(),
                example(&word.doc, body(word, &self.message(word, &details), details)),
            );
            for (rule, pointer, doc) in refusals {
                lines.push(format!("- `{rule}` at `{pointer}`: {doc}"));
                if word.name == INVALID {
                    let details = vec![detail(&pointer, &rule, &doc)];
                    let value = body(word, &self.message(word, &details), details);
                    examples.entry(rule).or_insert_with(|| example(&doc, value));
                }
            }
        }
        let mut response = shared.clone();
        let doc = shared["description"].as_str().unwrap_or_default().trim();
        if !lines.is_empty() {
            insert(&mut response, "description", format!("{doc}\n\n{}", lines.join("\n")));
        }
        set_examples(&mut response, examples);
        response
    }

    fn words(&self) -> impl Iterator<Item = &Word> {
        let names = self.operation.get(WORDS).and_then(Value::as_array);
        let names = names.into_iter().flatten().filter_map(Value::as_str);
        names.filter_map(|name| self.catalog.word(name))
    }

    /// The rules that only this operation knows, in the details of a word: the rule or the first of its group, the pointer and
    /// the meaning.
    fn refusals(&self, word: &Word) -> Vec<(String, String, String)> {
        let written = self.operation.get(REFUSALS).and_then(Value::as_object);
        let mut found = Vec::new();
        for (name, pointers) in written.into_iter().flatten() {
            let Some(rule) = self.catalog.rules_of(name).next() else {
                continue;
            };
            let of_word = self
                .catalog
                .words
                .iter()
                .find(|word| word.rules.as_ref() == Some(&rule.group));
            if of_word.map_or(INVALID, |word| &word.name) != word.name {
                continue;
            }
            let doc = if rule.name == *name {
                rule.doc.clone()
            } else {
                format!("{} There are more codes of this group: {name}.", rule.doc)
            };
            let pointers = pointers
                .as_array()
                .map_or(std::slice::from_ref(pointers), Vec::as_slice);
            let pointers = pointers.iter().filter_map(Value::as_str);
            found.extend(pointers.map(|pointer| (rule.name.clone(), pointer.to_owned(), doc.clone())));
        }
        found
    }

    /// One violation for each place that the operation reads.
    fn violations(&self) -> Vec<Value> {
        let mut found: Vec<Value> = Vec::new();
        let body = self.source.body(self.path, self.method);
        found.extend(body.map(|schema| self.violation_of_body(schema)));
        let parameters = self.source.parameters(self.path, self.method);
        let reads = |parameter: &&&Value| parameter["in"] != "path" || !self.is_of_access(parameter);
        for parameter in parameters.iter().filter(reads) {
            let (place, name) = (parameter["in"].as_str(), parameter["name"].as_str());
            let pointer = format!("/{}/{}", place.unwrap_or_default(), name.unwrap_or_default());
            let known = |other: &Value| other["pointer"].as_str().and_then(|at| at.split('/').nth(1)) == place;
            if found.iter().any(known) {
                continue;
            }
            found.extend(violation(&pointer, self.source.resolve(&parameter["schema"])));
        }
        found
    }

    fn violation_of_body(&self, schema: &Value) -> Value {
        let (properties, required) = self.source.members(schema);
        if let Some(name) = required.first() {
            return detail(&format!("/body/{name}"), "required", "Is required.");
        }
        let mut members = properties.into_iter();
        let found = members.find_map(|(name, member)| violation(&format!("/body/{name}"), self.source.resolve(member)));
        let message = "Is not valid JSON: EOF while parsing an object at line 1 column 1.";
        found.unwrap_or_else(|| detail("/body", "malformed-json", message))
    }

    /// Whether a path parameter names the resource of the access check.
    fn is_of_access(&self, parameter: &Value) -> bool {
        let names = self
            .source
            .access(self.operation)
            .and_then(|access| access.resource["parameters"].as_array());
        names.is_some_and(|names| names.contains(&parameter["name"]))
    }

    fn message(&self, word: &Word, details: &[Value]) -> String {
        match (word.name.as_str(), details) {
            (INVALID, [single]) => {
                let text = |key: &str| single[key].as_str().unwrap_or_default();
                format!("{}: {}", text("pointer"), text("message"))
            }
            (INVALID, many) => format!("The request breaks {} rules; `details` lists them.", many.len()),
            ("forbidden", _) => self.forbidden().unwrap_or_else(|| word.message.clone()),
            ("not-found", _) => self.not_found().unwrap_or_else(|| word.message.clone()),
            _ => word.message.clone(),
        }
    }

    /// What is missing to a caller who may see the object; that is not known if the handler decides.
    fn forbidden(&self) -> Option<String> {
        let access = self.source.access(self.operation)?;
        let levels = access.levels()?;
        let is_lowest = levels.len() > 1 && levels.first()? == access.level;
        let needs = access.needs().filter(|_| !is_lowest)?;
        Some(format!("This needs {}.", needs.replace("{level}", access.level)))
    }

    /// The object that is not found: that of the access check, or of the last parameter of the path.
    fn not_found(&self) -> Option<String> {
        let of_access = self.source.access(self.operation)?.resource["parameters"]
            .as_array()?
            .last();
        let in_path = self.path.rsplit('{').next()?.split('}').next()?;
        let name = of_access.and_then(Value::as_str).unwrap_or(in_path);
        let noun = name.trim_end_matches("Id").to_title_case().to_lowercase();
        Some(format!("There is no such {noun}."))
    }
}

/// A value that breaks a rule of a parameter or a member, as the server reports it.
fn violation(pointer: &str, schema: &Value) -> Option<Value> {
    let (code, message) = if let Some(options) = schema["enum"].as_array() {
        let options: Vec<String> = options.iter().map(Value::to_string).collect();
        ("enum", format!("Has to be one of {}.", options.join(", ")))
    } else if let Some(limit) = schema["maximum"].as_i64() {
        ("maximum", format!("May be at most {limit}."))
    } else if let Some(limit) = schema["maxLength"].as_u64() {
        ("max-length", format!("May have at most {limit} characters."))
    } else if let Some(limit) = schema["maxItems"].as_u64() {
        ("max-items", format!("May have at most {limit} items."))
    } else if schema["type"] == "boolean" {
        ("type", "Has the wrong type: boolean is expected.".to_owned())
    } else {
        return None;
    };
    Some(detail(pointer, code, &message))
}

fn detail(pointer: &str, code: &str, message: &str) -> Value {
    json!({ "pointer": pointer, "code": code, "message": message })
}

/// The body of an error.
fn body(word: &Word, message: &str, details: Vec<Value>) -> Value {
    let mut error = json!({
        "code": word.status,
        "type": word.name,
        "message": message,
        "requestId": "06dkq1v7m4c2e8h5t9b3n6f0ja",
    });
    if !details.is_empty() {
        insert(&mut error, "details", details);
    }
    json!({ "error": error })
}

fn insert(object: &mut Value, name: &str, member: impl Into<Value>) {
    if let Some(members) = object.as_object_mut() {
        members.insert(name.to_owned(), member.into());
    }
}

fn example(doc: &str, value: Value) -> Value {
    json!({ "summary": doc, "value": value })
}

fn set_examples(response: &mut Value, examples: Map<String, Value>) {
    let media = response.pointer_mut("/content/application~1json");
    if let Some(media) = media.and_then(Value::as_object_mut).filter(|_| !examples.is_empty()) {
        media.remove("example");
        media.insert("examples".to_owned(), examples.into());
    }
}
