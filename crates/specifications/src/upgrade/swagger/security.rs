//! Security schemes.

use serde_json::{Value, json};

use super::{Object, take_object};

/// Converts one scheme.
pub fn scheme(value: &mut Value) {
    let Value::Object(scheme) = value else {
        return;
    };
    match scheme.get("type").and_then(Value::as_str) {
        Some("basic") => {
            scheme.insert("type".to_owned(), json!("http"));
            scheme.insert("scheme".to_owned(), json!("basic"));
        }
        Some("oauth2") => flows(scheme),
        _ => {}
    }
}

fn flows(scheme: &mut Object) {
    let name = match scheme.shift_remove("flow") {
        Some(Value::String(name)) => name,
        _ => return,
    };
    let name = match name.as_str() {
        "application" => "clientCredentials",
        "accessCode" => "authorizationCode",
        other => other,
    };
    let mut flow = Object::new();
    for member in ["authorizationUrl", "tokenUrl"] {
        if let Some(address) = scheme.shift_remove(member) {
            flow.insert(member.to_owned(), address);
        }
    }
    flow.insert("scopes".to_owned(), Value::Object(take_object(scheme, "scopes")));
    scheme.insert("flows".to_owned(), json!({ name: flow }));
}
