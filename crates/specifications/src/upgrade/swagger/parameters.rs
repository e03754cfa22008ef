//! Parameters, some of which become bodies.

use serde_json::{Value, json};

use super::{JSON, Object};

const FORM: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";

/// The members of a parameter that describe its value.
const OF_SCHEMA: [&str; 17] = [
    "type",
    "format",
    "items",
    "default",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "enum",
    "multipleOf",
    "contentMediaType",
];

/// The parameters that the document declares by name, and those of other documents.
pub struct Bodies {
    declared: Object,
    external: Value,
}

impl Bodies {
    pub fn new(declared: Object, external: Value) -> Self {
        Self { declared, external }
    }

    /// The parameter that a reference leads to, and its name if the document declares it.
    fn find<'a>(&'a self, reference: &'a str) -> Option<(Option<&'a str>, &'a Object)> {
        if let Some(name) = reference.strip_prefix("#/parameters/") {
            return Some((Some(name), self.declared.get(&unescape(name))?.as_object()?));
        }
        let pointer = reference.strip_prefix('#')?;
        Some((None, self.external.pointer(pointer)?.as_object()?))
    }

    /// The components for parameters and for bodies.
    pub fn into_components(self, consumes: &[String]) -> (Object, Object) {
        let (mut parameters, mut bodies) = (Object::new(), Object::new());
        for (name, mut value) in self.declared {
            match location(&value) {
                Some("body") => {
                    let body = value.as_object().map(|parameter| request_body(parameter, consumes));
                    bodies.extend(body.map(|body| (name, body)));
                }
                // Each operation has its own form.
                Some("formData") => {}
                _ => {
                    plain(&mut value);
                    parameters.insert(name, value);
                }
            }
        }
        (parameters, bodies)
    }
}

/// The name that a reference escapes.
fn unescape(name: &str) -> String {
    let decoded = percent_encoding::percent_decode_str(name).decode_utf8_lossy();
    decoded.replace("~1", "/").replace("~0", "~")
}

fn location(parameter: &Value) -> Option<&str> {
    parameter.get("in")?.as_str()
}

/// The parameters of an operation, or those of all operations of a path.
#[derive(Default)]
pub struct Parameters {
    plain: Vec<Value>,
    /// The parameter that describes the body, and its name if it is declared by one.
    body: Option<(Object, Option<String>)>,
    form: Vec<Object>,
}

impl Parameters {
    pub fn take(holder: &mut Object, bodies: &Bodies) -> Self {
        let mut taken = Self::default();
        let Some(Value::Array(items)) = holder.shift_remove("parameters") else {
            return taken;
        };
        for item in items {
            taken.add(item, bodies);
        }
        taken
    }

    fn add(&mut self, mut item: Value, bodies: &Bodies) {
        let reference = item.get("$ref").and_then(Value::as_str).map(str::to_owned);
        let found = reference.as_deref().and_then(|reference| bodies.find(reference));
        let (name, parameter) = match (found, item.as_object()) {
            (Some((name, parameter)), _) => (name, parameter),
            (None, Some(parameter)) => (None, parameter),
            (None, None) => return,
        };
        match parameter.get("in").and_then(Value::as_str) {
            Some("body") => self.body = Some((parameter.clone(), name.map(str::to_owned))),
            Some("formData") => self.form.push(parameter.clone()),
            _ => {
                match name {
                    Some(name) => item = json!({ "$ref": format!("#/components/parameters/{name}") }),
                    None => plain(&mut item),
                }
                self.plain.push(item);
            }
        }
    }

    /// Gives an operation its parameters, and a body made of its own parameters or of those of its path.
    pub fn put(self, operation: &mut Object, shared: Option<&Self>, consumes: &[String]) {
        let body = self.body.as_ref().or(shared.and_then(|shared| shared.body.as_ref()));
        let mut form: Vec<&Object> = self.form.iter().collect();
        if let Some(shared) = shared {
            let is_own = |other: &Object| self.form.iter().any(|own| own.get("name") == other.get("name"));
            form.extend(shared.form.iter().filter(|other| !is_own(other)));
        }
        let request_body = match body {
            Some((_, Some(name))) => Some(json!({ "$ref": format!("#/components/requestBodies/{name}") })),
            Some((parameter, None)) => Some(request_body(parameter, consumes)),
            None if form.is_empty() => None,
            None => Some(form_body(&form, consumes)),
        };
        self.put_parameters(operation);
        if let Some(body) = request_body {
            operation.insert("requestBody".to_owned(), body);
        }
    }

    pub fn put_parameters(self, holder: &mut Object) {
        if !self.plain.is_empty() {
            holder.insert("parameters".to_owned(), Value::Array(self.plain));
        }
    }
}

/// Converts a parameter that is not a body.
pub fn plain(value: &mut Value) {
    if matches!(location(value), None | Some("body" | "formData")) {
        return;
    }
    move_schema(value);
}

/// Moves what describes the value into a schema.
pub fn move_schema(value: &mut Value) {
    let Value::Object(parameter) = value else {
        return;
    };
    if parameter.contains_key("$ref") || parameter.contains_key("schema") {
        return;
    }
    let format = parameter.shift_remove("collectionFormat");
    let is_array = parameter.get("type").is_some_and(|value| value == "array");
    let schema = take_schema(parameter);
    parameter.insert("schema".to_owned(), Value::Object(schema));
    if !is_array {
        return;
    }
    let is_query = parameter.get("in").is_some_and(|value| value == "query");
    let (style, explode) = match format.as_ref().and_then(Value::as_str) {
        Some("multi") => (Some("form"), true),
        Some("ssv") if is_query => (Some("spaceDelimited"), false),
        Some("pipes") if is_query => (Some("pipeDelimited"), false),
        _ => (is_query.then_some("form"), false),
    };
    if let Some(style) = style {
        parameter.insert("style".to_owned(), json!(style));
    }
    parameter.insert("explode".to_owned(), json!(explode));
}

fn take_schema(parameter: &mut Object) -> Object {
    let members = OF_SCHEMA.into_iter();
    let members = members.filter_map(|name| Some((name.to_owned(), parameter.shift_remove(name)?)));
    let mut schema: Object = members.collect();
    if let Some(items) = schema.get_mut("items").and_then(Value::as_object_mut) {
        items.shift_remove("collectionFormat");
    }
    if schema.get("type").is_some_and(|value| value == "file") {
        schema.insert("type".to_owned(), json!("string"));
        schema.insert("contentMediaType".to_owned(), json!("application/octet-stream"));
    }
    schema
}

fn request_body(parameter: &Object, consumes: &[String]) -> Value {
    let schema = parameter.get("schema").cloned().unwrap_or_else(|| json!({}));
    let json = [JSON.to_owned()];
    let consumes = if consumes.is_empty() { &json } else { consumes };
    let content = consumes
        .iter()
        .map(|media| (media.clone(), json!({ "schema": schema })));
    let content: Object = content.collect();
    let mut body = Object::new();
    if let Some(description) = parameter.get("description") {
        body.insert("description".to_owned(), description.clone());
    }
    body.insert("content".to_owned(), Value::Object(content));
    if parameter.get("required") == Some(&Value::Bool(true)) {
        body.insert("required".to_owned(), json!(true));
    }
    Value::Object(body)
}

fn form_body(form: &[&Object], consumes: &[String]) -> Value {
    let (mut properties, mut required, mut has_file) = (Object::new(), Vec::new(), false);
    for parameter in form {
        let Some(name) = parameter.get("name").and_then(Value::as_str) else {
            continue;
        };
        let mut parameter = (*parameter).clone();
        has_file |= parameter.get("type").is_some_and(|value| value == "file");
        if parameter.get("required") == Some(&Value::Bool(true)) {
            required.push(json!(name));
        }
        let mut schema = take_schema(&mut parameter);
        if let Some(description) = parameter.shift_remove("description") {
            schema.insert("description".to_owned(), description);
        }
        properties.insert(name.to_owned(), Value::Object(schema));
    }
    let mut schema = json!({ "type": "object", "properties": properties });
    let is_required = !required.is_empty();
    if let (true, Value::Object(schema)) = (is_required, &mut schema) {
        schema.insert("required".to_owned(), Value::Array(required));
    }
    let forms = consumes
        .iter()
        .filter(|media| [FORM, MULTIPART].contains(&media.as_str()));
    let mut media: Vec<&str> = forms.map(String::as_str).collect();
    if media.is_empty() {
        media.push(if has_file { MULTIPART } else { FORM });
    }
    let content: Object = media
        .into_iter()
        .map(|name| (name.to_owned(), json!({ "schema": schema })))
        .collect();
    let mut body = json!({ "content": content });
    if let (true, Value::Object(body)) = (is_required, &mut body) {
        body.insert("required".to_owned(), json!(true));
    }
    body
}
