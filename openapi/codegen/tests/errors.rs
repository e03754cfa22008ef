//! What the published document says about the errors of operations.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{fs, path::Path};

use openapi_codegen::Contract;
use serde_json::{Value, json};

fn bundle() -> Value {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/contract.yaml")).unwrap();
    Contract::parse(&text).unwrap().api.bundle
}

fn example(bundle: &Value, operation: &str, status: &str, word: &str) -> Value {
    let at = format!("/paths/{operation}/responses/{status}/content/application~1json/examples/{word}/value/error");
    let mut error = bundle.pointer(&at).unwrap().clone();
    error.as_object_mut().unwrap().remove("requestId");
    error
}

#[test]
fn examples_are_about_the_operation() {
    let bundle = bundle();
    let list = example(&bundle, "~1v1~1shelves/get", "400", "invalid-request");
    let detail = json!({ "pointer": "/query/limit", "code": "maximum", "message": "May be at most 100." });
    let message = "/query/limit: May be at most 100.";
    assert_eq!(
        list,
        json!({ "code": 400, "type": "invalid-request", "message": message, "details": [detail] })
    );
    let file = "~1v1~1shelves~1{shelfId}~1files~1{filePath}/put";
    let refused = example(&bundle, file, "400", "torn");
    assert_eq!(refused["details"][0]["pointer"], "/body/text");
    assert_eq!(refused["details"][0]["message"], "The page is torn.");
    let missing = example(&bundle, file, "404", "not-found");
    assert_eq!(missing["message"], "There is no such shelf.");
    assert_eq!(example(&bundle, file, "412", "changed")["message"], "Read it.");
}

#[test]
fn operations_list_their_words() {
    let bundle = bundle();
    let words = &bundle["paths"]["/v1/shelves/{shelfId}/files/{filePath}"]["put"]["x-errors"];
    let all = [
        "unauthorized",
        "too-many",
        "internal",
        "invalid-request",
        "not-found",
        "forbidden",
        "too-large",
        "no-json",
    ];
    assert_eq!(words, &json!(all.iter().chain(&["changed"]).collect::<Vec<_>>()));
    let shared = &bundle["components"]["responses"];
    assert_eq!(shared.as_object().unwrap().keys().collect::<Vec<_>>(), ["Failed"]);
    assert!(shared["Failed"]["headers"]["X-Request-Id"].is_object());
    let values = &bundle["components"]["schemas"]["ErrorType"]["enum"];
    assert_eq!(values[0], "changed");
    assert_eq!(values.as_array().unwrap().len(), 18);
}

#[test]
fn the_guide_has_the_words() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let contract = Contract::load(&root.join("openapi")).unwrap();
    let guide = fs::read_to_string(root.join("docs/errors.md")).unwrap();
    for table in contract.api.errors.tables() {
        assert!(guide.contains(&table), "write this table into docs/errors.md:\n{table}");
    }
}
