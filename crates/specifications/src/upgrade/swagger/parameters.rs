//! Parameters, some of which become bodies.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use super::{Object, content, extensions, form, values::move_schema};
use crate::{
    memory::{self, Memory},
    references::unescape,
    shape::Kind,
};

/// The parameters that references lead to.
pub struct Bodies {
    /// Those that the document declares by name.
    declared: Object,
    /// Other documents.
    external: Value,
    /// Those of operations and paths, by their pointers.
    of_operations: HashMap<String, Object>,
}

/// Where a reference leads to.
enum Place {
    /// A parameter that the document declares by this name.
    Declared(String),
    External,
    Operation,
}

/// References that lead from one parameter to the next.
const MAX_REFERENCES: usize = 10;

/// Copies the parameters of operations and paths that references lead to, because they will move.
pub fn of_operations(root: &Value, targets: &[(String, Kind)], copies: &mut Memory) -> HashMap<String, Object> {
    let pointers = targets.iter().filter(|(_, kind)| *kind == Kind::Parameter);
    let pointers = pointers.filter(|(pointer, _)| pointer.starts_with("/paths/"));
    let found = pointers.filter_map(|(pointer, _)| Some((pointer, root.pointer(pointer)?.as_object()?)));
    let found = found.take_while(|(_, parameter)| copies.take(memory::of_object(parameter)).is_ok());
    found
        .map(|(pointer, parameter)| (pointer.clone(), parameter.clone()))
        .collect()
}

impl Bodies {
    pub fn new(declared: Object, external: Value, of_operations: HashMap<String, Object>) -> Self {
        Self {
            declared,
            external,
            of_operations,
        }
    }

    /// The parameter that a reference leads to.
    fn find(&self, reference: &str) -> Option<(Place, &Object)> {
        let mut found = self.follow(reference)?;
        for _ in 0..MAX_REFERENCES {
            let Some(next) = found.1.get("$ref").and_then(Value::as_str) else {
                return Some(found);
            };
            found = self.follow(next)?;
        }
        None
    }

    fn follow(&self, reference: &str) -> Option<(Place, &Object)> {
        if let Some(name) = reference.strip_prefix("#/parameters/") {
            let parameter = self.declared.get(&unescape(name))?.as_object()?;
            return Some((Place::Declared(name.to_owned()), parameter));
        }
        let pointer = percent_decode_str(reference.strip_prefix('#')?).decode_utf8().ok()?;
        if let Some(parameter) = self.of_operations.get(pointer.as_ref()) {
            return Some((Place::Operation, parameter));
        }
        Some((Place::External, self.external.pointer(&pointer)?.as_object()?))
    }

    /// The components for parameters and for bodies.
    pub fn into_components(self, consumes: &[String], copies: &mut Memory) -> (Object, Object) {
        let (mut parameters, mut bodies) = (Object::new(), Object::new());
        for (name, mut value) in self.declared {
            match location(&value) {
                Some("body") => {
                    let parameter = value.as_object();
                    let body = parameter.map(|parameter| request_body(parameter, consumes, copies));
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

fn location(parameter: &Value) -> Option<&str> {
    parameter.get("in")?.as_str()
}

/// The parameters of an operation, or those of all operations of a path.
#[derive(Default)]
pub struct Parameters<'b> {
    plain: Vec<Value>,
    /// The parameter that describes the body, and its name if it is declared by one.
    body: Option<(Cow<'b, Object>, Option<String>)>,
    form: Vec<Cow<'b, Object>>,
}

impl<'b> Parameters<'b> {
    pub fn take(holder: &mut Object, bodies: &'b Bodies, copies: &mut Memory) -> Self {
        let mut taken = Self::default();
        if let Some(Value::Array(items)) = holder.shift_remove("parameters") {
            for item in items {
                taken.add(item, bodies, copies);
            }
        }
        taken
    }

    fn add(&mut self, item: Value, bodies: &'b Bodies, copies: &mut Memory) {
        let found = item.get("$ref").and_then(Value::as_str);
        let found = found.and_then(|reference| bodies.find(reference));
        let parameter = match (&found, &item) {
            (Some((_, parameter)), _) => *parameter,
            (None, Value::Object(parameter)) => parameter,
            (None, _) => return,
        };
        let kind = parameter.get("in").and_then(Value::as_str);
        if !matches!(kind, Some("body" | "formData")) {
            self.plain.extend(plain_item(item, found, copies));
            return;
        }
        let is_body = kind == Some("body");
        let (name, parameter) = match (found, item) {
            (Some((Place::Declared(name), parameter)), _) => (Some(name), Cow::Borrowed(parameter)),
            (Some((_, parameter)), _) => (None, Cow::Borrowed(parameter)),
            (None, Value::Object(parameter)) => (None, Cow::Owned(parameter)),
            (None, _) => return,
        };
        match is_body {
            true => self.body = Some((parameter, name)),
            false => self.form.push(parameter),
        }
    }

    /// Gives an operation its parameters, and a body made of its own parameters or of those of its path.
    pub fn put(self, operation: &mut Object, shared: Option<&Self>, consumes: &[String], copies: &mut Memory) {
        let body = self.body.as_ref().or(shared.and_then(|shared| shared.body.as_ref()));
        let mut form: Vec<&Object> = self.form.iter().map(Cow::as_ref).collect();
        if let Some(shared) = shared {
            let name = |parameter: &Object| parameter.get("name").cloned();
            let own: HashSet<Option<Value>> = self.form.iter().map(|own| name(own)).collect();
            let others = shared.form.iter().map(Cow::as_ref);
            form.extend(others.filter(|other| !own.contains(&name(other))));
        }
        let request_body = match body {
            Some((_, Some(name))) => Some(json!({ "$ref": format!("#/components/requestBodies/{name}") })),
            Some((parameter, None)) => Some(request_body(parameter, consumes, copies)),
            None if form.is_empty() => None,
            None => Some(form::body(&form, consumes, copies)),
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

/// A parameter that is not a body, as an operation has it now.
fn plain_item(mut item: Value, found: Option<(Place, &Object)>, copies: &mut Memory) -> Option<Value> {
    match found {
        Some((Place::Declared(name), _)) => return Some(json!({ "$ref": format!("#/components/parameters/{name}") })),
        Some((Place::Operation, parameter)) => {
            if copies.take(memory::of_object(parameter)).is_err() {
                return None;
            }
            item = Value::Object(parameter.clone());
        }
        Some((Place::External, _)) | None => {}
    }
    plain(&mut item);
    Some(item)
}

/// Converts a parameter that is not a body.
pub fn plain(value: &mut Value) {
    if matches!(location(value), None | Some("body" | "formData")) {
        return;
    }
    move_schema(value);
}

fn request_body(parameter: &Object, consumes: &[String], copies: &mut Memory) -> Value {
    let any = json!({});
    let mut content = content(consumes, parameter.get("schema").unwrap_or(&any), copies);
    let others = parameter.iter().filter(|(name, _)| *name != "schema");
    let others: Object = others
        .take_while(|(_, value)| copies.take(memory::of(value)).is_ok())
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let mut body = Object::new();
    if let Some(description) = others.get("description") {
        body.insert("description".to_owned(), description.clone());
    }
    let left = examples(&mut content, others, copies);
    body.insert("content".to_owned(), Value::Object(content));
    if parameter.get("required") == Some(&Value::Bool(true)) {
        body.insert("required".to_owned(), json!(true));
    }
    body.extend(extensions(left));
    Value::Object(body)
}

/// Moves the examples of a body, by media type or by name, into its content. Returns the members that are left.
fn examples(content: &mut Object, mut members: Object, copies: &mut Memory) -> Object {
    let single = members.shift_remove("x-example");
    let several = members.shift_remove("x-examples");
    let several = match several {
        Some(Value::Object(several)) => several,
        Some(other) => {
            members.insert("x-examples".to_owned(), other);
            Object::new()
        }
        None => Object::new(),
    };
    let mut named = Object::new();
    for (name, example) in several {
        match content.get_mut(&name) {
            Some(Value::Object(media)) => {
                media.insert("example".to_owned(), example);
            }
            _ if name.contains('/') => {
                let media = content.entry(name).or_insert_with(|| json!({}));
                *media = json!({ "example": example });
            }
            _ => {
                let is_example_object = example.get("value").is_some();
                let example = if is_example_object {
                    example
                } else {
                    json!({ "value": example })
                };
                named.insert(name, example);
            }
        }
    }
    for media in content.values_mut().filter_map(Value::as_object_mut) {
        if media.contains_key("example") || copies.take(memory::of_object(&named)).is_err() {
            continue;
        }
        if !named.is_empty() {
            media.insert("examples".to_owned(), Value::Object(named.clone()));
        } else if let Some(single) = &single
            && copies.take(memory::of(single)).is_ok()
        {
            media.insert("example".to_owned(), single.clone());
        }
    }
    members
}
