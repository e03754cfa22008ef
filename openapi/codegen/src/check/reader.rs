//! The bundle as another model of OpenAPI 3.1 reads it: a document that only this generator understands does not build.

use serde_json::{Value, json};
use utoipa::openapi::OpenApi;

use crate::finding::{Findings, Place};

pub fn check(bundle: &Value, findings: &mut Findings) {
    let mut document = bundle.clone();
    state_required(&mut document);
    if let Err(e) = serde_path_to_error::deserialize::<_, OpenApi>(document) {
        findings.add(
            &Place::start(),
            format!("another model of OpenAPI cannot read `{}`: {}", e.path(), e.inner()),
            "Write it as the OpenAPI specification has it.",
        );
    }
}

/// The model insists on the member `required` of parameters, which may be left out when it is false.
fn state_required(value: &mut Value) {
    match value {
        Value::Object(members) => {
            if members.contains_key("in") && members.contains_key("name") && !members.contains_key("required") {
                members.insert("required".to_owned(), json!(false));
            }
            members.values_mut().for_each(state_required);
        }
        Value::Array(items) => items.iter_mut().for_each(state_required),
        _ => {}
    }
}
