//! Schemas as trees.

use std::collections::HashSet;

use serde_json::Value;

use super::{
    MAX_DEPTH, Specified,
    types::{limits, name_of, type_of},
};

impl<'s> Specified<'s> {
    /// A schema with its members.
    pub fn schema(&mut self, schema: &'s Value) {
        let (found, reference) = self.resolved(schema);
        if reference.is_some_and(|name| self.around.contains(&name)) || !self.take() {
            return;
        }
        self.around.extend(reference);
        self.members(found);
        if reference.is_some() {
            self.around.pop();
        }
    }

    fn members(&mut self, schema: &'s Value) {
        if self.around.len() > MAX_DEPTH {
            return;
        }
        for (member, title) in [("allOf", None), ("oneOf", Some("oneOf")), ("anyOf", Some("anyOf"))] {
            for part in schema.get(member).and_then(Value::as_array).into_iter().flatten() {
                match title {
                    None => self.schema(part),
                    Some(title) => self.alternative(title, part),
                }
            }
        }
        if let Some(items) = schema.get("items").filter(|items| items.is_object()) {
            self.schema(items);
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        let additional = schema
            .get("additionalProperties")
            .filter(|additional| additional.is_object());
        if properties.is_none_or(serde_json::Map::is_empty) && additional.is_none() {
            return;
        }
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let required: HashSet<&str> = required.filter_map(Value::as_str).collect();
        self.html.markup("<ul class=\"members\">");
        for (name, property) in properties.into_iter().flatten() {
            self.member(name, property, required.contains(name.as_str()), None);
        }
        if let Some(additional) = additional {
            self.member("*", additional, false, None);
        }
        self.html.markup("</ul>");
    }

    fn alternative(&mut self, title: &str, schema: &'s Value) {
        let name = schema.get("$ref").and_then(Value::as_str).map(name_of);
        let (found, _) = self.resolved(schema);
        self.html.markup("<details class=\"alternative\"><summary>");
        let own = found.get("title").and_then(Value::as_str);
        self.html
            .text(&format!("{title}: {}", own.or(name).unwrap_or(&type_of(found, None))));
        self.html.markup("</summary>");
        self.schema(schema);
        self.html.markup("</details>");
    }

    /// A member of an object, or a parameter. `about`: what describes it, if that is not the schema.
    pub fn member(&mut self, name: &str, schema: &'s Value, is_required: bool, about: Option<&'s Value>) {
        if !self.take() {
            return;
        }
        let (found, reference) = self.resolved(schema);
        self.html.markup("<li><p class=\"member\"><code>");
        self.html.text(name);
        self.html.markup("</code> ");
        self.label("type", &type_of(found, reference.map(name_of)));
        if is_required {
            self.label("required", self.words.required);
        }
        if found.get("deprecated") == Some(&Value::Bool(true)) {
            self.label("deprecated", self.words.deprecated);
        }
        self.html.markup("</p>");
        self.description(about.unwrap_or(found));
        self.limits(found);
        self.schema(schema);
        self.html.markup("</li>");
    }

    fn limits(&mut self, schema: &Value) {
        let limits = limits(schema);
        if limits.is_empty() {
            return;
        }
        self.html.markup("<p class=\"limits\">");
        for (name, value) in limits {
            self.html.text(&format!("{name} "));
            self.html.markup("<code>");
            self.html.text(&value);
            self.html.markup("</code> ");
        }
        self.html.markup("</p>");
    }

    /// The schemas with these names. Returns `false` if the document has none of them.
    pub fn schemas(&mut self, names: &[String]) -> bool {
        let document = self.document;
        let found = names.iter().filter_map(|name| {
            let schemas = document.get("components")?.get("schemas")?;
            Some((name, schemas.get(name)?))
        });
        let found: Vec<_> = found.collect();
        for (name, schema) in &found {
            self.html
                .markup("<section class=\"operation\"><p class=\"endpoint\"><code>");
            self.html.text(name);
            self.html.markup("</code> ");
            self.label("type", &type_of(schema, None));
            self.html.markup("</p>");
            self.description(schema);
            self.limits(schema);
            self.schema(schema);
            self.html.markup("</section>");
        }
        !found.is_empty()
    }
}
