//! What the published document says beyond the files.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;

use openapi_codegen::Contract;
use serde_json::{Value, json};

fn bundle() -> Value {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/contract.yaml")).unwrap();
    Contract::parse(&text).unwrap().api.bundle
}

#[test]
fn descriptions_end_with_who_may_call() {
    let bundle = bundle();
    let doc = &bundle["paths"]["/v1/shelves/{shelfId}/books/{bookId}"]["put"]["description"];
    let line = "**Access:** needs the `own` shelf, or to be the person that `bookId` names.";
    assert_eq!(doc, &json!(format!("Puts a book on the shelf.\n\n{line}")));
    assert_eq!(bundle["paths"]["/v1/shelves"]["get"]["description"], "Lists shelves.");
}

#[test]
fn answers_link_to_what_takes_their_ids() {
    let bundle = bundle();
    let links =
        |method: &str, status: &str| bundle["paths"]["/v1/shelves"][method]["responses"][status]["links"].clone();
    let file = json!({ "shelfId": "$response.body#/items/0/title" });
    // A link needs every parameter of the path: nothing knows the path of a file.
    assert_eq!(
        links("get", "200"),
        json!({
            "clearShelf": { "operationId": "clearShelf", "parameters": file },
            "moveShelf": { "operationId": "moveShelf", "parameters": file },
            "putBooks": { "operationId": "putBooks", "parameters": file },
        })
    );
    let file = json!({ "shelfId": "$response.body#/title" });
    assert_eq!(
        links("post", "201"),
        json!({
            "clearShelf": { "operationId": "clearShelf", "parameters": file },
            "moveShelf": { "operationId": "moveShelf", "parameters": file },
            "putBooks": { "operationId": "putBooks", "parameters": file },
        })
    );
}

#[test]
fn tags_and_schemas_have_the_form_of_the_standard() {
    let bundle = bundle();
    assert_eq!(bundle["tags"][0]["x-displayName"], "Shelves");
    let text = &bundle["components"]["schemas"]["Note"]["properties"]["text"];
    assert_eq!(text.get("example"), None);
    assert!(!bundle.to_string().contains("x-id-of"));
}

#[test]
fn members_that_exclude_each_other_are_said_in_the_words_of_json_schema() {
    let bundle = bundle();
    let note = &bundle["components"]["schemas"]["Note"];
    let both = json!({ "required": ["mark", "colour"], "properties": { "colour": { "not": { "type": "null" } } } });
    assert_eq!(note["not"], both);
    assert!(!bundle.to_string().contains("x-at-most-one"));
}

#[test]
fn values_that_are_reserved_words_have_names() {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/contract.yaml")).unwrap();
    let text = text.replace("'3d'", "end").replace("`3d`", "`end`");
    let bundle = Contract::parse(&text).unwrap().api.bundle;
    let colour = &bundle["components"]["schemas"]["Colour"];
    assert_eq!(colour["x-enum-varnames"], json!(["RED", "DARK_BLUE", "END_VALUE"]));
}
