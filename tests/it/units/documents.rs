//! The documents that the server publishes.

use bindery::http::documents::{contract, derived, yaml};
use openapi::document;
use serde_json::{Value, json};

#[test]
fn the_derived_document_says_what_the_contract_says_around_the_operations() {
    let derived = derived("https://docs.example").unwrap();
    assert_eq!(derived["openapi"], "3.0.0");
    assert_eq!(derived["servers"], json!([{ "url": "https://docs.example" }]));
    assert_eq!(derived["tags"], document::contract()["tags"]);
    assert_eq!(
        derived["info"]["description"],
        document::contract()["info"]["description"]
    );
    let paths = |document: &Value| {
        document["paths"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    let (mut ours, mut theirs) = (paths(document::contract()), paths(&derived));
    ours.sort();
    theirs.sort();
    assert_eq!(ours, theirs);
}

#[test]
fn the_yaml_form_is_the_same_document() {
    let contract = contract("https://docs.example");
    let read: Value = yaml_serde::from_str(&yaml(&contract).unwrap()).unwrap();
    assert_eq!(read, contract);
}
