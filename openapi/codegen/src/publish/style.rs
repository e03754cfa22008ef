//! The form of the published document: tags in kebab-case with names for people, `examples` of schemas, and nothing that is
//! only for this generator.

use heck::ToKebabCase;
use serde_json::{Map, Value, json};

use super::{links, operations};

/// Members of these hold a schema, a list of schemas, or schemas by name.
const SCHEMA: &[&str] = &["items", "additionalProperties", "schema"];
const SCHEMAS: &[&str] = &["oneOf", "allOf"];
const NAMED: &[&str] = &["properties", "schemas"];

pub fn complete(bundle: &mut Value) {
    tags(bundle);
    examples(bundle, false);
    drop_keyword(bundle);
}

fn tags(bundle: &mut Value) {
    let kebab = |name: &mut Value| *name = name.as_str().unwrap_or_default().to_kebab_case().into();
    for tag in list(bundle, "/tags") {
        let words = tag["name"].as_str().unwrap_or_default().replace('_', " ");
        let (first, rest) = words.split_at_checked(1).unwrap_or_default();
        tag["x-displayName"] = format!("{}{rest}", first.to_uppercase()).into();
        kebab(&mut tag["name"]);
    }
    for group in list(bundle, "/x-tagGroups") {
        list(group, "/tags").iter_mut().for_each(kebab);
    }
    for (_, _, operation) in operations(bundle) {
        let tags = operation.get_mut("tags").and_then(Value::as_array_mut);
        tags.into_iter().flatten().for_each(kebab);
    }
}

fn list<'a>(value: &'a mut Value, pointer: &str) -> &'a mut [Value] {
    let list = value.pointer_mut(pointer).and_then(Value::as_array_mut);
    list.map_or(&mut [], Vec::as_mut_slice)
}

/// In schemas, OpenAPI 3.1 has `examples`; parameters, headers and bodies keep `example`.
fn examples(value: &mut Value, is_schema: bool) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| examples(item, is_schema)),
        Value::Object(members) => {
            if is_schema && let Some(example) = members.remove("example") {
                members.insert("examples".to_owned(), json!([example]));
            }
            for (key, member) in members.iter_mut() {
                examples_of_member(key, member, is_schema);
            }
        }
        _ => {}
    }
}

fn examples_of_member(key: &str, member: &mut Value, is_schema: bool) {
    if ["example", "examples", "default", "enum", "const"].contains(&key) {
        return;
    }
    if NAMED.contains(&key) {
        member
            .as_object_mut()
            .into_iter()
            .flat_map(Map::values_mut)
            .for_each(|schema| examples(schema, true));
    } else if SCHEMA.contains(&key) || SCHEMAS.contains(&key) {
        examples(member, true);
    } else if !is_schema {
        examples(member, false);
    }
}

/// Whose id a parameter takes is said by links.
fn drop_keyword(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(drop_keyword),
        Value::Object(members) => {
            members.remove(links::KEYWORD);
            members.values_mut().for_each(drop_keyword);
        }
        _ => {}
    }
}
