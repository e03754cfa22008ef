//! Examples of bodies, composed from the examples of their members.
//!
//! An explicit example in the document takes precedence. Otherwise the example of an object has the required members and the
//! optional members with an example; the example of an array has one item; the example of a `oneOf` is that of the first
//! choice that has one. A body with several forms has an example of each.

use heck::ToKebabCase;
use serde_json::{Map, Value, json};

/// The schemas of the bundle.
#[derive(Clone, Copy)]
pub struct Schemas<'a>(&'a Value);

/// The member without an example, as `Schema.member`.
pub type Missing = String;

impl<'a> Schemas<'a> {
    pub fn of(bundle: &'a Value) -> Self {
        Self(bundle.pointer("/components/schemas").unwrap_or(&Value::Null))
    }

    /// Returns whether an object has a member.
    pub fn has(self, object: &str, member: &str) -> bool {
        let (mut properties, mut required) = (Vec::new(), Vec::new());
        if let Some(schema) = self.0.get(object) {
            self.collect(schema, &mut properties, &mut required);
            let choices = schema.get("oneOf").and_then(Value::as_array).into_iter().flatten();
            let mut names = choices.filter_map(component);
            return properties.iter().any(|(name, _)| *name == member) || names.any(|name| self.has(name, member));
        }
        false
    }

    /// Returns an example of each form of a schema, by the name of the form.
    fn named(self, schema: &Value) -> Map<String, Value> {
        let found = component(schema).and_then(|name| self.0.get(name)).unwrap_or(schema);
        let choices = found.get("oneOf").and_then(Value::as_array).into_iter().flatten();
        let forms = choices.filter_map(|choice| {
            let name = component(choice)?;
            let doc = self.0.get(name)?.get("description").and_then(Value::as_str)?;
            let summary = doc.split_inclusive('.').next().unwrap_or(doc).replace('\n', " ");
            let example = json!({ "summary": summary.trim(), "value": self.example(choice).ok()? });
            Some((name.to_kebab_case(), example))
        });
        forms.collect()
    }

    /// Returns an example of a schema.
    pub fn example(self, schema: &Value) -> Result<Value, Missing> {
        self.compose(schema, &mut Vec::new())
    }

    /// `open` holds the components that are being composed: a recursive schema ends at its second occurrence.
    fn compose(self, schema: &Value, open: &mut Vec<String>) -> Result<Value, Missing> {
        if let Some(written) = written(schema).or_else(|| schema.get("const")) {
            return Ok(written.clone());
        }
        if let Some(name) = component(schema) {
            let at = open.last().cloned().unwrap_or_default();
            let found = self.0.get(name).filter(|_| !open.iter().any(|other| other == name));
            let found = found.ok_or(at)?;
            open.push(name.to_owned());
            let composed = self.compose(found, open);
            open.pop();
            return composed;
        }
        if let Some(choices) = schema.get("oneOf").and_then(Value::as_array) {
            return self.choice(choices, open);
        }
        if let Some(value) = schema.get("default").filter(|value| !value.is_null()) {
            return Ok(value.clone());
        }
        if let Some(first) = schema.pointer("/enum/0") {
            return Ok(first.clone());
        }
        match type_of(schema) {
            "boolean" => Ok(Value::Bool(true)),
            "array" => {
                let item = schema.get("items").map(|items| self.compose(items, open));
                Ok(Value::Array(item.and_then(Result::ok).into_iter().collect()))
            }
            "object" => self.object(schema, open),
            _ if schema.get("allOf").is_some() => self.object(schema, open),
            _ => Err(open.last().cloned().unwrap_or_default()),
        }
    }

    fn choice(self, choices: &[Value], open: &mut Vec<String>) -> Result<Value, Missing> {
        let mut others = choices.iter().filter(|choice| type_of(choice) != "null");
        let first = others.find_map(|choice| self.compose(choice, open).ok());
        first.ok_or_else(|| open.last().cloned().unwrap_or_default())
    }

    fn object(self, schema: &Value, open: &mut Vec<String>) -> Result<Value, Missing> {
        let mut members = Map::new();
        let (mut properties, mut required) = (Vec::new(), Vec::new());
        self.collect(schema, &mut properties, &mut required);
        // The published document requires what is always answered.
        let answered = schema.get("x-always-answered").and_then(Value::as_array);
        required.extend(answered.into_iter().flatten().filter_map(Value::as_str));
        for (name, property) in properties {
            let required = required.contains(&name);
            if !required && written(property).is_none() {
                continue;
            }
            let owner = open.last().cloned().unwrap_or_default();
            match self.compose(property, open) {
                Ok(value) => drop(members.insert(name.to_owned(), value)),
                Err(missing) if missing == owner => return Err(format!("{owner}.{name}")),
                Err(missing) => return Err(missing),
            }
        }
        Ok(Value::Object(members))
    }

    /// The members of an object, including the members of its `allOf` parts.
    pub fn collect<'s>(self, schema: &'s Value, properties: &mut Vec<(&'s str, &'s Value)>, required: &mut Vec<&'s str>)
    where
        'a: 's,
    {
        for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            let part = component(part).and_then(|name| self.0.get(name)).unwrap_or(part);
            self.collect(part, properties, required);
        }
        let own = schema.get("properties").and_then(Value::as_object);
        for (name, property) in own.into_iter().flatten() {
            properties.retain(|(other, _)| other != name);
            properties.push((name, property));
        }
        let names = schema.get("required").and_then(Value::as_array);
        required.extend(names.into_iter().flatten().filter_map(Value::as_str));
    }
}

/// Adds an example to every body of the bundle without an example.
pub fn complete(bundle: &mut Value) {
    let source = bundle.clone();
    let schemas = Schemas::of(&source);
    let paths = bundle.get_mut("paths").and_then(Value::as_object_mut);
    for operation in paths
        .into_iter()
        .flat_map(Map::values_mut)
        .filter_map(Value::as_object_mut)
        .flatten()
    {
        let body = operation.1.pointer_mut("/requestBody");
        complete_body(schemas, body);
        let responses = operation.1.pointer_mut("/responses").and_then(Value::as_object_mut);
        for response in responses.into_iter().flat_map(Map::values_mut) {
            complete_body(schemas, Some(response));
        }
    }
}

fn complete_body(schemas: Schemas<'_>, body: Option<&mut Value>) {
    let media = body.and_then(|body| body.pointer_mut("/content/application~1json"));
    let Some(media) = media.and_then(Value::as_object_mut) else {
        return;
    };
    if media.contains_key("example") || media.contains_key("examples") {
        return;
    }
    let named = media
        .get("schema")
        .map(|schema| schemas.named(schema))
        .unwrap_or_default();
    if named.len() > 1 {
        media.insert("examples".to_owned(), named.into());
        return;
    }
    let composed = media.get("schema").and_then(|schema| schemas.example(schema).ok());
    media.extend(composed.map(|example| ("example".to_owned(), example)));
}

/// The example of a schema, in the form of the files or of the published document.
fn written(schema: &Value) -> Option<&Value> {
    schema.get("example").or_else(|| schema.get("examples")?.get(0))
}

fn component(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.rsplit('/').next()
}

/// The type apart from `null`.
fn type_of(schema: &Value) -> &str {
    let types = match schema.get("type") {
        Some(Value::Array(types)) => types.as_slice(),
        Some(single) => std::slice::from_ref(single),
        None => &[],
    };
    let mut names = types.iter().filter_map(Value::as_str);
    match names.find(|name| *name != "null") {
        Some(name) => name,
        None if types.is_empty() => "",
        None => "null",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(schemas: Value, schema: Value) -> Result<Value, Missing> {
        Schemas(&schemas).example(&schema)
    }

    #[test]
    fn objects_show_what_they_need_and_what_has_an_example() {
        let person = json!({
            "type": "object",
            "required": ["kind", "name", "active", "role"],
            "properties": {
                "kind": { "type": "string", "const": "person" },
                "name": { "type": "string", "example": "Ines" },
                "active": { "type": "boolean" },
                "role": { "$ref": "#/components/schemas/Role" },
                "photo": { "type": ["string", "null"], "example": null },
                "notes": { "type": "string" }
            }
        });
        let schemas = json!({ "Person": person, "Role": { "type": "string", "enum": ["admin", "read"] } });
        let shown = json!({ "kind": "person", "name": "Ines", "active": true, "role": "admin", "photo": null });
        let reference = json!({ "$ref": "#/components/schemas/Person" });
        assert_eq!(example(schemas.clone(), reference.clone()), Ok(shown.clone()));
        let list = json!({ "type": "array", "items": reference });
        assert_eq!(example(schemas, list), Ok(json!([shown])));
    }

    #[test]
    fn recursion_ends_and_what_is_missing_is_named() {
        let node = json!({
            "allOf": [{ "type": "object", "required": ["nodes"], "properties": { "nodes": {
                "type": "array", "items": { "$ref": "#/components/schemas/Node" }
            } } }]
        });
        let leaf = json!({ "type": "object", "required": ["text"], "properties": { "text": { "type": "string" } } });
        let choice =
            json!({ "oneOf": [{ "$ref": "#/components/schemas/Leaf" }, { "$ref": "#/components/schemas/Node" }] });
        let schemas = json!({ "Node": node, "Leaf": leaf });
        assert_eq!(example(schemas.clone(), choice), Ok(json!({ "nodes": [] })));
        let leaf = json!({ "$ref": "#/components/schemas/Leaf" });
        assert_eq!(example(schemas, leaf), Err("Leaf.text".to_owned()));
    }
}
