//! Names of enum values for client generators, where the value itself is a reserved word.

use heck::ToShoutySnakeCase;
use serde_json::{Map, Value};

/// Reserved words in Ruby in the upper case of constants: `END = 'end'` does not parse.
const RESERVED: [&str; 2] = ["BEGIN", "END"];

pub fn complete(bundle: &mut Value) {
    let schemas = bundle.pointer_mut("/components/schemas").and_then(Value::as_object_mut);
    schemas.into_iter().flat_map(Map::values_mut).for_each(name_values);
}

fn name_values(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(name_values),
        Value::Object(members) => {
            let values = members.get("enum").and_then(Value::as_array).into_iter().flatten();
            let names: Vec<String> = values
                .filter_map(Value::as_str)
                .map(ToShoutySnakeCase::to_shouty_snake_case)
                .collect();
            if names.iter().any(|name| RESERVED.contains(&name.as_str())) {
                let names: Vec<Value> = names.into_iter().map(free).collect();
                members.insert("x-enum-varnames".to_owned(), names.into());
            }
            members.values_mut().for_each(name_values);
        }
        _ => {}
    }
}

fn free(name: String) -> Value {
    if RESERVED.contains(&name.as_str()) {
        return format!("{name}_VALUE").into();
    }
    name.into()
}
