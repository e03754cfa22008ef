//! Parameters that are the fields of a form.

use serde_json::{Value, json};

use super::{
    Object, content, extensions,
    values::{style, take_schema},
};
use crate::memory::{self, Memory};

const FORM: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";

/// The body of an operation with these fields.
pub fn body(fields: &[&Object], consumes: &[String], copies: &mut Memory) -> Value {
    let (mut properties, mut encoding) = (Object::new(), Object::new());
    let (mut required, mut has_file) = (Vec::new(), false);
    for field in fields {
        let Some(name) = field.get("name").and_then(Value::as_str) else {
            continue;
        };
        if copies.take(memory::of_object(field)).is_err() {
            break;
        }
        has_file |= field.get("type").is_some_and(|value| value == "file");
        if field.get("required") == Some(&Value::Bool(true)) {
            required.push(json!(name));
        }
        if field.get("type").is_some_and(|value| value == "array") {
            let (style, explode) = style(field.get("collectionFormat").and_then(Value::as_str));
            encoding.insert(name.to_owned(), json!({ "style": style, "explode": explode }));
        }
        properties.insert(name.to_owned(), Value::Object(schema((*field).clone())));
    }
    let is_required = !required.is_empty();
    let mut schema = json!({ "type": "object", "properties": properties });
    if let (true, Value::Object(schema)) = (is_required, &mut schema) {
        schema.insert("required".to_owned(), Value::Array(required));
    }
    let known = [FORM, MULTIPART];
    let forms = consumes.iter().filter(|media| known.contains(&media.as_str()));
    let mut media: Vec<String> = forms.cloned().collect();
    if media.is_empty() {
        media.push(if has_file { MULTIPART } else { FORM }.to_owned());
    }
    let mut content = content(&media, &schema, copies);
    if !encoding.is_empty() {
        for media in content.values_mut().filter_map(Value::as_object_mut) {
            media.insert("encoding".to_owned(), Value::Object(encoding.clone()));
        }
    }
    let mut body = json!({ "content": content });
    if let (true, Value::Object(body)) = (is_required, &mut body) {
        body.insert("required".to_owned(), json!(true));
    }
    body
}

fn schema(mut field: Object) -> Object {
    let mut schema = take_schema(&mut field);
    if let Some(description) = field.shift_remove("description") {
        schema.insert("description".to_owned(), description);
    }
    if let Some(example) = field.shift_remove("x-example") {
        schema.insert("examples".to_owned(), json!([example]));
    }
    schema.extend(extensions(field));
    schema
}
