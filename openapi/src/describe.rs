//! The schemas of the derived document, made from those of the contract.

use heck::ToPascalCase;
use poem_openapi::{
    registry::{MetaSchema, MetaSchemaRef, Registry},
    types::Type,
};
use serde_json::Value;

use crate::document;

type Schema = &'static Value;

/// The schema of a type, and what the contract says beyond it, which members and parameters lay over the type.
struct Form {
    schema: MetaSchemaRef,
    rules: MetaSchema,
}

/// Describes schemas of the contract.
#[derive(Default)]
pub struct Describer<'a> {
    /// Takes the named types; without it only references to them are made.
    pub registry: Option<&'a mut Registry>,
}

impl Describer<'_> {
    /// A component of the contract.
    pub fn component(&mut self, name: &str) -> MetaSchemaRef {
        match document::contract().pointer(&format!("/components/schemas/{name}")) {
            Some(schema) => self.form(schema, name).schema,
            None => inline(MetaSchema::ANY),
        }
    }

    /// The schema of a body, which is a component.
    pub fn body(&mut self, schema: Schema) -> MetaSchemaRef {
        self.form(schema, "").schema
    }

    /// The schema of a parameter. `name` is that of its type, if it needs one.
    pub fn parameter(&mut self, schema: Schema, name: &str) -> MetaSchemaRef {
        let mut form = self.form(schema, name);
        form.rules.default = default(referenced(schema));
        lay_over(form.schema, form.rules)
    }

    fn form(&mut self, schema: Schema, name: &str) -> Form {
        if let Some(reference) = text(schema, "$ref") {
            let name = reference.rsplit('/').next().unwrap_or_default();
            return self.form(referenced(schema), name);
        }
        if schema.get("oneOf").is_some() {
            return self.one_of(schema, name);
        }
        let form = match type_of(schema) {
            _ if schema.get("allOf").is_some() => self.structure(schema, name),
            Some("string") => self.string(schema, name),
            Some("integer") => integer(schema),
            Some("number") => Form {
                schema: f64::schema_ref(),
                rules: range(schema),
            },
            Some("boolean") => plain(match schema.get("const") {
                Some(value) => inline(MetaSchema {
                    enum_items: vec![value.clone()],
                    ..MetaSchema::new("boolean")
                }),
                None => bool::schema_ref(),
            }),
            Some("array") => self.array(schema, name),
            Some("object") => self.object(schema, name),
            _ => plain(Value::schema_ref()),
        };
        match list(schema, "type").any(is_null) {
            true => nullable(form),
            false => form,
        }
    }

    fn one_of(&mut self, schema: Schema, name: &str) -> Form {
        let is_null_type = |choice: &Schema| choice.get("type").is_some_and(is_null);
        let has_null = list(schema, "oneOf").any(|choice| is_null_type(&choice));
        let choices: Vec<Schema> = list(schema, "oneOf").filter(|choice| !is_null_type(choice)).collect();
        let form = match choices.as_slice() {
            [single] if has_null => self.form(single, name),
            _ => self.named(name, |describer| {
                let choices = choices.iter().enumerate().map(|(at, choice)| {
                    let form = describer.form(choice, &format!("{name}Choice{at}"));
                    lay_over(form.schema, form.rules)
                });
                MetaSchema {
                    one_of: choices.collect(),
                    ..titled("", schema, name)
                }
            }),
        };
        if has_null { nullable(form) } else { form }
    }

    fn string(&mut self, schema: Schema, name: &str) -> Form {
        if schema.get("enum").is_some() || schema.get("const").is_some() {
            return self.named(name, |_| MetaSchema {
                enum_items: list(schema, "enum").chain(schema.get("const")).cloned().collect(),
                ..titled("string", schema, name)
            });
        }
        let format = text(schema, "format");
        let rules = MetaSchema {
            min_length: size(schema, "minLength"),
            max_length: size(schema, "maxLength"),
            pattern: text(schema, "pattern").map(str::to_owned),
            format: format.filter(|format| *format != DATE_TIME),
            ..MetaSchema::ANY
        };
        let schema = match format {
            Some(DATE_TIME) => inline(MetaSchema::new_with_format("string", DATE_TIME)),
            _ => String::schema_ref(),
        };
        Form { schema, rules }
    }

    fn array(&mut self, schema: Schema, name: &str) -> Form {
        let Some(items) = schema.get("items") else {
            return plain(inline(MetaSchema::new("array")));
        };
        let item = self.form(items, &format!("{name}Item"));
        Form {
            schema: inline(MetaSchema {
                items: Some(Box::new(item.schema)),
                ..MetaSchema::new("array")
            }),
            rules: MetaSchema {
                min_items: size(schema, "minItems"),
                max_items: size(schema, "maxItems"),
                unique_items: schema
                    .get("uniqueItems")
                    .and_then(Value::as_bool)
                    .filter(|unique| *unique),
                items: nested(item.rules),
                ..MetaSchema::ANY
            },
        }
    }

    /// An object with members, or a map.
    fn object(&mut self, schema: Schema, name: &str) -> Form {
        let values = schema.get("additionalProperties").filter(|values| **values != false);
        let (Some(values), None) = (values, schema.get("properties")) else {
            return self.structure(schema, name);
        };
        let value = self.form(values, &format!("{name}Value"));
        Form {
            schema: inline(MetaSchema {
                additional_properties: Some(Box::new(value.schema)),
                ..MetaSchema::new("object")
            }),
            rules: MetaSchema {
                min_properties: size(schema, "minProperties"),
                max_properties: size(schema, "maxProperties"),
                additional_properties: nested(value.rules),
                ..MetaSchema::ANY
            },
        }
    }

    fn structure(&mut self, schema: Schema, name: &str) -> Form {
        self.named(name, |describer| {
            let mut members = Members::default();
            members.collect(schema);
            members
                .required
                .extend(list(schema, "x-always-answered").filter_map(Value::as_str));
            let mut described = titled("object", schema, name);
            for (member, schema) in members.properties {
                let form = describer.form(schema, &format!("{name}{}", member.to_pascal_case()));
                let text = text(schema, "description").or_else(|| text(referenced(schema), "description"));
                let rules = MetaSchema {
                    description: text.filter(|text| !text.is_empty()).map(str::trim),
                    deprecated: schema.get("deprecated").is_some_and(|deprecated| *deprecated == true),
                    default: default(schema),
                    ..form.rules
                };
                described.properties.push((member, lay_over(form.schema, rules)));
                if members.required.contains(&member) {
                    described.required.push(member);
                }
            }
            if members.is_open {
                described.additional_properties = Some(Box::new(inline(MetaSchema::ANY)));
            }
            described
        })
    }

    /// A type that is described once.
    fn named(&mut self, name: &str, describe: impl FnOnce(&mut Self) -> MetaSchema) -> Form {
        let registry = self.registry.as_mut();
        if let Some(registry) = registry.filter(|registry| !registry.schemas.contains_key(name)) {
            // A type may contain itself.
            registry.schemas.insert(name.to_owned(), MetaSchema::ANY);
            let described = describe(self);
            if let Some(registry) = &mut self.registry {
                registry.schemas.insert(name.to_owned(), described);
            }
        }
        plain(MetaSchemaRef::Reference(name.to_owned()))
    }
}

/// A type of answers.
pub trait Described {
    fn schema(describer: &mut Describer<'_>) -> MetaSchemaRef;
}

impl<T: Described> Described for Vec<T> {
    fn schema(describer: &mut Describer<'_>) -> MetaSchemaRef {
        inline(MetaSchema {
            items: Some(Box::new(T::schema(describer))),
            ..MetaSchema::new("array")
        })
    }
}

/// Types that are components of the contract.
macro_rules! described {
    ($($name:ident),*) => {$(
        impl $crate::describe::Described for $name {
            fn schema(describer: &mut $crate::describe::Describer<'_>) -> poem_openapi::registry::MetaSchemaRef {
                describer.component(stringify!($name))
            }
        }
    )*};
}
pub(crate) use described;

const DATE_TIME: &str = "date-time";

/// The members of an object, with those of its parts.
#[derive(Default)]
struct Members {
    properties: Vec<(&'static str, Schema)>,
    required: Vec<&'static str>,
    is_open: bool,
}

impl Members {
    fn collect(&mut self, schema: Schema) {
        list(schema, "allOf").for_each(|part| self.collect(referenced(part)));
        let own = schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten();
        for (name, member) in own {
            self.properties.retain(|(other, _)| other != name);
            self.properties.push((name, member));
        }
        self.required.extend(list(schema, "required").filter_map(Value::as_str));
        let further = schema
            .get("additionalProperties")
            .or_else(|| schema.get("unevaluatedProperties"));
        if let Some(Value::Bool(further)) = further {
            self.is_open = *further;
        }
    }
}

fn integer(schema: Schema) -> Form {
    let limit = |name: &str| schema.get(name).and_then(Value::as_i64);
    let schema_ref = match (limit("minimum"), limit("maximum")) {
        (Some(0..), Some(max)) if max <= i64::from(u32::MAX) => u32::schema_ref(),
        (Some(0..), _) => u64::schema_ref(),
        _ => i64::schema_ref(),
    };
    Form {
        schema: schema_ref,
        rules: range(schema),
    }
}

fn range(schema: Schema) -> MetaSchema {
    MetaSchema {
        minimum: schema.get("minimum").and_then(Value::as_f64),
        maximum: schema.get("maximum").and_then(Value::as_f64),
        ..MetaSchema::ANY
    }
}

/// The default as a value of its type.
fn default(schema: Schema) -> Option<Value> {
    let default = schema.get("default")?;
    match type_of(referenced(schema)) {
        Some("number") => default.as_f64().map(Value::from),
        _ => Some(default.clone()).filter(|default| !default.is_object() && !default.is_null()),
    }
}

fn titled(kind: &'static str, schema: Schema, name: &str) -> MetaSchema {
    MetaSchema {
        title: Some(name.to_owned()),
        description: Some(text(schema, "description").unwrap_or_default().trim()),
        ..MetaSchema::new(kind)
    }
}

fn plain(schema: MetaSchemaRef) -> Form {
    Form {
        schema,
        rules: MetaSchema::ANY,
    }
}

/// The same form, `null` allowed.
fn nullable(form: Form) -> Form {
    let schema = match form.schema {
        MetaSchemaRef::Inline(inner) => MetaSchema {
            nullable: true,
            ..*inner
        },
        reference @ MetaSchemaRef::Reference(_) => MetaSchema {
            nullable: true,
            all_of: vec![reference],
            ..MetaSchema::ANY
        },
    };
    Form {
        schema: inline(schema),
        rules: form.rules,
    }
}

/// The framework's own merge leaves formats out.
fn lay_over(schema: MetaSchemaRef, rules: MetaSchema) -> MetaSchemaRef {
    let (format, items) = (rules.format, rules.items.clone());
    let mut merged = schema.merge(rules);
    if let MetaSchemaRef::Inline(inner) = &mut merged {
        inner.format = format.or(inner.format);
        let format = items.as_deref().and_then(|items| match items {
            MetaSchemaRef::Inline(items) => items.format,
            MetaSchemaRef::Reference(_) => None,
        });
        if let Some(MetaSchemaRef::Inline(item)) = inner.items.as_deref_mut() {
            item.format = format.or(item.format);
        }
    }
    merged
}

fn nested(rules: MetaSchema) -> Option<Box<MetaSchemaRef>> {
    (!rules.is_empty()).then(|| Box::new(inline(rules)))
}

fn inline(schema: MetaSchema) -> MetaSchemaRef {
    MetaSchemaRef::Inline(Box::new(schema))
}

/// What a reference is to; the schema itself if it is none.
fn referenced(schema: Schema) -> Schema {
    let target = text(schema, "$ref").and_then(|reference| reference.strip_prefix('#'));
    target
        .and_then(|target| document::contract().pointer(target))
        .unwrap_or(schema)
}

/// The type apart from `null`.
fn type_of(schema: Schema) -> Option<&'static str> {
    let several = list(schema, "type").filter(|one| !is_null(one));
    text(schema, "type").or_else(|| several.filter_map(Value::as_str).next())
}

fn is_null(kind: &Value) -> bool {
    kind == "null"
}

fn text(schema: Schema, key: &str) -> Option<&'static str> {
    schema.get(key)?.as_str()
}

fn list(schema: Schema, key: &str) -> impl Iterator<Item = Schema> + use<> {
    schema.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn size(schema: Schema, key: &str) -> Option<usize> {
    schema.get(key)?.as_u64()?.try_into().ok()
}
