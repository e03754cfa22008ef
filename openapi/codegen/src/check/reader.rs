//! Validation of the bundle by an independent model of OpenAPI 3.1, so that the contract does not depend on this generator.

use serde_json::{Value, json};
use utoipa::openapi::OpenApi;

use crate::finding::{Findings, Place};

pub fn check(bundle: &Value, findings: &mut Findings) {
    let mut document = bundle.clone();
    state_required(&mut document);
    if let Err(e) = serde_path_to_error::deserialize::<_, OpenApi>(document) {
        findings.add(
            &Place::start(),
            format!("the OpenAPI 3.1 model cannot parse `{}`: {}", e.path(), e.inner()),
            "Correct the element according to the OpenAPI specification.",
        );
    }
}

/// Adds `required: false` to parameters without `required`, because the model requires the member.
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
