//! Documents of several files.

use serde_json::json;

use super::*;

const ROOT: &str = "
openapi: 3.0.3
info: {title: Pets, version: 1.0}
paths:
  /pets:
    get:
      responses:
        '200': {$ref: 'shared/responses.yaml#/Pets'}
  /self:
    get:
      responses:
        default: {$ref: 'https://api.example/v1/openapi.yaml#/components/responses/Fault'}
components:
  responses:
    Fault: {description: Wrong.}
";

const RESPONSES: &str = "
Pets:
  content:
    application/json:
      schema: {type: array, items: {$ref: '#/Pet'}}
Pet:
  type: object
  nullable: true
  properties:
    parent: {$ref: '#/Pet'}
    owner: {$ref: '../people.json'}
    fault: {$ref: '../openapi.yaml#/components/responses/Fault'}
";

#[test]
fn other_documents_become_part_of_the_document() {
    let base = address("https://api.example/v1/openapi.yaml");
    let mut bundle = Bundle::open(ROOT.as_bytes(), Some(base)).unwrap();
    let responses = address("https://api.example/v1/shared/responses.yaml");
    assert_eq!(bundle.missing(), Some(&responses));
    bundle.add(responses, RESPONSES.as_bytes()).unwrap();
    let people = address("https://api.example/v1/people.json");
    assert_eq!(bundle.missing(), Some(&people));
    bundle.add(people, br#"{"type": "string", "nullable": true}"#).unwrap();
    assert_eq!(bundle.missing(), None);
    let document: Value = serde_json::from_slice(&bundle.finish().unwrap().document).unwrap();
    let reference = |pointer: &str| document.pointer(pointer).unwrap()["$ref"].clone();
    assert_eq!(reference("/paths/~1pets/get/responses/200"), "#/x-ext/1/Pets");
    assert_eq!(
        reference("/paths/~1self/get/responses/default"),
        "#/components/responses/Fault"
    );
    let pet = document.pointer("/x-ext/1/Pet").unwrap();
    assert_eq!(pet["type"], json!(["object", "null"]));
    assert_eq!(pet["properties"]["parent"]["$ref"], "#/x-ext/1/Pet");
    assert_eq!(pet["properties"]["owner"]["$ref"], "#/x-ext/2");
    assert_eq!(pet["properties"]["fault"]["$ref"], "#/components/responses/Fault");
    assert_eq!(document["x-ext"]["2"], json!({ "type": ["string", "null"] }));
}

#[test]
fn references_have_to_lead_somewhere() {
    let with = |reference: &str| {
        let schema = json!({ "$ref": reference });
        json!({
            "openapi": "3.1.0", "info": { "title": "T", "version": "1" }, "components": { "schemas": { "A": schema } },
        })
        .to_string()
    };
    let place = "/components/schemas/A/$ref".to_owned();
    for (reference, message) in [
        ("#/components/schemas/B", "The reference leads to nothing."),
        (
            "b.yaml",
            "The reference `b.yaml` leads out of the document, which has no address of its own.",
        ),
        (
            "file:///etc/passwd",
            "The reference `file:///etc/passwd` does not lead to an http or https address.",
        ),
        ("#%FF", "The reference `#%FF` is not UTF-8."),
    ] {
        assert_eq!(
            reported(&with(reference)),
            [(message.to_owned(), place.clone())],
            "{reference}"
        );
    }
    for fine in ["#/components/schemas/A", "#", "#/info", "#anchor"] {
        finish(&with(fine));
    }
    let base = Some(address("https://api.example/a.json"));
    let mut bundle = Bundle::open(with("b.json#/Missing").as_bytes(), base).unwrap();
    let other = address("https://api.example/b.json");
    let problems = bundle.add(other.clone(), b"<html>").unwrap_err();
    assert_eq!(problems[0].document.as_deref(), Some(&other));
    bundle.add(other, b"{}").unwrap();
    let told = told(&bundle.finish().unwrap().problems.first[0]);
    assert_eq!(told, ("The reference leads to nothing.".to_owned(), place));
}

#[test]
fn the_number_of_documents_is_limited() {
    let schemas: serde_json::Map<_, _> = (0..60)
        .map(|i| (format!("S{i}"), json!({ "$ref": format!("{i}.json") })))
        .collect();
    let document = json!({
        "openapi": "3.1.0", "info": { "title": "T", "version": "1" }, "components": { "schemas": schemas },
    });
    let base = Some(address("https://api.example/a.json"));
    let problems = Bundle::open(document.to_string().as_bytes(), base).unwrap_err();
    assert!(
        problems[0].message.contains("more than 50 other documents"),
        "{problems:?}"
    );
}
