//! Equal responses, links, headers and examples of a published document, each written once.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Map, Value, json};

/// A part of a response, and a name for it.
struct Part {
    name: String,
    /// A JSON Pointer.
    pointer: String,
}

/// Moves parts of responses that occur more than once to the components.
pub fn deduplicate(document: &mut Value) {
    let responses = responses(document);
    share(document, "responses", &responses);
    for kind in ["links", "headers", "examples"] {
        let parts = parts(document, &responses, kind);
        share(document, kind, &parts);
    }
}

fn responses(document: &Value) -> Vec<Part> {
    let mut found = Vec::new();
    for (path, item) in members(document.get("paths")) {
        for (method, operation) in members(Some(item)) {
            let id = operation.get("operationId").and_then(Value::as_str).unwrap_or_default();
            for (status, _) in members(operation.get("responses")) {
                found.push(Part {
                    name: format!("{}{status}", capitalized(id)),
                    pointer: format!("/paths/{}/{method}/responses/{status}", escaped(path)),
                });
            }
        }
    }
    found
}

/// The links, headers or examples of the responses that are left in the operations, and of those in the components.
fn parts(document: &Value, responses: &[Part], kind: &str) -> Vec<Part> {
    let shared = members(document.pointer("/components/responses"));
    let shared = shared.map(|(name, _)| format!("/components/responses/{}", escaped(name)));
    let in_operations = responses.iter().map(|response| response.pointer.clone());
    let mut found = Vec::new();
    for pointer in shared.chain(in_operations) {
        let Some(response) = document.pointer(&pointer) else {
            continue;
        };
        let mut add = |pointer: String, holder: &Value| {
            for (name, _) in members(holder.get(kind)) {
                let pointer = format!("{pointer}/{kind}/{}", escaped(name));
                found.push(Part {
                    name: name.clone(),
                    pointer,
                });
            }
        };
        add(pointer.clone(), response);
        for (media_type, media) in members(response.get("content")) {
            add(format!("{pointer}/content/{}", escaped(media_type)), media);
        }
    }
    found
}

fn share(document: &mut Value, kind: &str, parts: &[Part]) {
    let mut texts: HashMap<&str, String> = HashMap::new();
    let mut counts: HashMap<String, usize> = HashMap::new();
    for part in parts {
        let value = document
            .pointer(&part.pointer)
            .filter(|value| value.get("$ref").is_none());
        if let Some(value) = value {
            let text = value.to_string();
            *counts.entry(text.clone()).or_default() += 1;
            texts.insert(&part.pointer, text);
        }
    }
    let known = members(document.pointer(&format!("/components/{kind}")));
    let mut taken: BTreeSet<String> = known.map(|(name, _)| name.clone()).collect();
    let mut names: HashMap<&str, String> = HashMap::new();
    let mut moved = Map::new();
    for part in parts {
        let Some(text) = texts
            .get(part.pointer.as_str())
            .filter(|text| counts.get(*text) > Some(&1))
        else {
            continue;
        };
        let Some(value) = document.pointer_mut(&part.pointer) else {
            continue;
        };
        let name = names.entry(text).or_insert_with(|| {
            let name = free_name(&part.name, &taken);
            taken.insert(name.clone());
            moved.insert(name.clone(), value.clone());
            name
        });
        *value = json!({ "$ref": format!("#/components/{kind}/{name}") });
    }
    add_components(document, kind, moved);
}

fn add_components(document: &mut Value, kind: &str, moved: Map<String, Value>) {
    let components = document.get_mut("components").and_then(Value::as_object_mut);
    if let Some(components) = components.filter(|_| !moved.is_empty()) {
        let named = components.entry(kind).or_insert_with(|| json!({}));
        if let Value::Object(named) = named {
            named.extend(moved);
            named.sort_keys();
        }
    }
}

/// The name, with a number if it is taken.
fn free_name(name: &str, taken: &BTreeSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| !taken.contains(name)).unwrap_or_default()
}

fn members(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flatten()
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn capitalized(id: &str) -> String {
    let (first, rest) = id.split_at_checked(1).unwrap_or_default();
    format!("{}{rest}", first.to_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_occur_twice_are_components() {
        let gone = json!({ "description": "There is no such shelf." });
        let (long, other) = (
            json!({ "value": "a long example" }),
            json!({ "value": "another example" }),
        );
        let answer = |description: &str, example: &Value| {
            let content = json!({ "application/json": { "examples": { "shelf": example } } });
            let links = json!({ "clearShelf": { "operationId": "clearShelf" } });
            json!({ "description": description, "content": content, "links": links })
        };
        let operation = |id: &str, description: &str, example: &Value| json!({ "operationId": id, "responses": { "200": answer(description, example), "404": gone } });
        let mut document = json!({
            "paths": {
                "/shelves/{id}": { "get": operation("readShelf", "One.", &long), "put": operation("putShelf", "Two.", &long) },
                "/books": {
                    "get": operation("readBooks", "Three.", &other),
                    "post": operation("addBook", "Four.", &other),
                },
            },
            "components": { "schemas": {} },
        });
        deduplicate(&mut document);
        let read = &document["paths"]["/shelves/{id}"]["get"]["responses"];
        assert_eq!(read["404"], json!({ "$ref": "#/components/responses/ReadShelf404" }));
        assert_eq!(
            read["200"]["links"]["clearShelf"],
            json!({ "$ref": "#/components/links/clearShelf" })
        );
        let example = |responses: &Value| responses["200"]["content"]["application/json"]["examples"]["shelf"].clone();
        assert_eq!(example(read), json!({ "$ref": "#/components/examples/shelf" }));
        let books = &document["paths"]["/books"]["get"]["responses"];
        assert_eq!(example(books), json!({ "$ref": "#/components/examples/shelf-2" }));
        let components = &document["components"];
        assert_eq!(components["responses"], json!({ "ReadShelf404": gone }));
        assert_eq!(components["examples"], json!({ "shelf": long, "shelf-2": other }));
        assert_eq!(
            components["links"],
            json!({ "clearShelf": { "operationId": "clearShelf" } })
        );
        assert_eq!(components.get("headers"), None);
    }
}
