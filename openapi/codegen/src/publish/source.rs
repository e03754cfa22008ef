//! Reading of the bundle.

use serde_json::{Map, Value};

use crate::compose::Schemas;

#[derive(Clone, Copy)]
pub struct Source<'a>(&'a Value);

/// Who may call an operation.
pub struct Access<'a> {
    pub resource: &'a Value,
    /// The members that a modifier replaces in the resource. `None`: the access has no modifier.
    modifier: Option<&'a Value>,
    pub level: &'a str,
    pub or_self: Option<&'a str>,
}

impl<'a> Access<'a> {
    /// The levels, lowest first.
    pub fn levels(&self) -> Option<&'a Vec<Value>> {
        let modified = self.modifier.and_then(|modifier| modifier.get("levels"));
        modified.or_else(|| self.resource.get("levels"))?.as_array()
    }

    /// What the caller needs, with `{level}` for the level.
    pub fn needs(&self) -> Option<&'a str> {
        let modified = self.modifier.and_then(|modifier| modifier.get("needs"));
        let needs = modified.or_else(|| self.resource.get("needs"))?;
        needs.as_str().or_else(|| needs.get(self.level)?.as_str())
    }
}

impl<'a> Source<'a> {
    pub fn of(bundle: &'a Value) -> Self {
        Self(bundle)
    }

    pub fn get(self, pointer: &str) -> Option<&'a Value> {
        self.0.pointer(pointer)
    }

    /// A value, or what its reference stands for.
    pub fn resolve(self, value: &'a Value) -> &'a Value {
        self.resolve_in(value)
    }

    /// The same for a value beside the source.
    pub fn resolve_in<'v>(self, value: &'v Value) -> &'v Value
    where
        'a: 'v,
    {
        let reference = value.get("$ref").and_then(Value::as_str);
        let target = reference.and_then(|reference| self.get(reference.strip_prefix('#')?));
        target.map_or(value, |target| self.resolve(target))
    }

    pub fn access<'o>(self, operation: &'o Map<String, Value>) -> Option<Access<'o>>
    where
        'a: 'o,
    {
        let access = operation.get("x-access")?;
        let resource = self.get("/x-access-resources")?.get(access["resource"].as_str()?)?;
        let modifiers = resource
            .get("modifiers")
            .and_then(Value::as_object)
            .into_iter()
            .flatten();
        let modifier = modifiers.into_iter().find(|(name, _)| access[name.as_str()] == true);
        Some(Access {
            resource,
            modifier: modifier.map(|(_, modifier)| modifier),
            level: access["level"].as_str()?,
            or_self: access["orSelf"].as_str(),
        })
    }

    /// The parameters of an operation, including those of its path.
    pub fn parameters(self, path: &str, method: &str) -> Vec<&'a Value> {
        let item = self.get("/paths").and_then(|paths| paths.get(path));
        let operation = item.and_then(|item| item.get(method));
        let lists = [item, operation].map(|node| node?.get("parameters")?.as_array());
        let written = lists.into_iter().flatten().flatten();
        written.map(|parameter| self.resolve(parameter)).collect()
    }

    pub fn body(self, path: &str, method: &str) -> Option<&'a Value> {
        let operation = self.get("/paths")?.get(path)?.get(method)?;
        let schema = operation.pointer("/requestBody/content/application~1json/schema")?;
        Some(self.resolve(schema))
    }

    /// The members of an object, and the names of those that it requires.
    pub fn members(self, schema: &'a Value) -> (Vec<(&'a str, &'a Value)>, Vec<&'a str>) {
        let (mut properties, mut required) = (Vec::new(), Vec::new());
        Schemas::of(self.0).collect(schema, &mut properties, &mut required);
        (properties, required)
    }

    /// Whether an operation reads what a pointer of an error names, such as `/body/changes/0/page`.
    pub fn reads(self, path: &str, method: &str, pointer: &str) -> bool {
        let mut steps = pointer.split('/').skip(1);
        let place = steps.next().unwrap_or_default();
        let steps: Vec<&str> = steps.collect();
        if place == "body" {
            return self
                .body(path, method)
                .is_some_and(|schema| self.reaches(schema, &steps));
        }
        let parameters = self.parameters(path, method);
        parameters.iter().any(|parameter| {
            parameter["in"] == place
                && steps.split_first().is_some_and(|(name, rest)| {
                    parameter["name"] == *name && self.reaches(self.resolve(&parameter["schema"]), rest)
                })
        })
    }

    fn reaches(self, schema: &'a Value, steps: &[&str]) -> bool {
        let schema = self.resolve(schema);
        let Some((step, rest)) = steps.split_first() else {
            return true;
        };
        let choices = schema.get("oneOf").and_then(Value::as_array).into_iter().flatten();
        if choices.into_iter().any(|choice| self.reaches(choice, steps)) {
            return true;
        }
        let (properties, _) = self.members(schema);
        let member = properties.into_iter().find(|(name, _)| name == step);
        let items = schema.get("items").filter(|_| *step == "0");
        let further = schema.get("additionalProperties").filter(|further| further.is_object());
        let next = member.map(|(_, member)| member).or(items).or(further);
        next.is_some_and(|next| self.reaches(next, rest))
    }
}
