//! Every allowed value is explained where it is declared.

use serde_json::Value;

use crate::{
    finding::{Findings, Place},
    model::Api,
};

pub fn check(api: &Api, findings: &mut Findings) {
    let schemas = api.bundle.pointer("/components/schemas").and_then(Value::as_object);
    for (name, schema) in schemas.into_iter().flatten() {
        let place = api
            .types
            .get(name)
            .map_or_else(Place::start, |found| found.place.clone());
        walk(name, schema, &place, findings);
    }
}

fn walk(name: &str, schema: &Value, place: &Place, findings: &mut Findings) {
    match schema {
        Value::Array(items) => items.iter().for_each(|item| walk(name, item, place, findings)),
        Value::Object(members) => {
            let doc = members.get("description").and_then(Value::as_str).unwrap_or_default();
            let values = members.get("enum").and_then(Value::as_array).into_iter().flatten();
            let values = values.filter_map(Value::as_str);
            for value in values.filter(|value| !doc.contains(&format!("`{value}`"))) {
                findings.add(
                    place,
                    format!("the description of `{name}` does not explain the value `{value}`"),
                    "Say in the description what each value means, with the value in backticks.",
                );
            }
            for (key, member) in members
                .iter()
                .filter(|(key, _)| *key != "examples" && *key != "x-groups")
            {
                walk(
                    &format!("{name}.{key}").replace(".properties", ""),
                    member,
                    place,
                    findings,
                );
            }
        }
        _ => {}
    }
}
