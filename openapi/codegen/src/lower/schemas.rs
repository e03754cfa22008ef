//! Conversion of schemas into shapes and named types.

use heck::ToPascalCase;
use serde_json::Value;

use crate::{
    formats,
    model::{ArrayRules, Kind, MapRules, NumberRules, Shape, StringRules, Type},
    node::{Data, Node},
};

use super::Lowering;

/// Names that generated code uses for other types.
const RESERVED: &[&str] = &[
    "Answer",
    "ApiError",
    "Arc",
    "BTreeMap",
    "SmallMap",
    "Bearer",
    "Box",
    "Conditional",
    "Created",
    "Default",
    "Described",
    "Empty",
    "False",
    "Input",
    "Json",
    "LateBody",
    "LazyLock",
    "Maybe",
    "MetaApi",
    "MetaSchema",
    "Nullable",
    "Object",
    "OpenApi",
    "Option",
    "Page",
    "Regex",
    "Registry",
    "Request",
    "RequestBody",
    "Result",
    "Routes",
    "Spec",
    "String",
    "Stub",
    "Tagged",
    "Tags",
    "Timestamp",
    "ToJSON",
    "True",
    "Validate",
    "ValidationError",
    "ValidationErrors",
    "Value",
    "Vec",
];

impl Lowering<'_> {
    /// The shape of a schema. `name` is the name of the type if the schema needs one.
    pub(super) fn shape(&mut self, node: &Node, name: &str) -> Shape {
        self.check_keywords(node);
        if node.get("$ref").is_some() {
            return self.referenced(node);
        }
        if let Some(choices) = node.get("oneOf") {
            return self.one_of(node, choices, name);
        }
        if node.get("allOf").is_some() {
            self.define_struct(node, name);
            return Shape::Named(name.to_owned());
        }
        let types = node.texts("type");
        if types.len() > 2 || (types.len() == 2 && !types.contains(&"null")) {
            self.findings.add(
                &node.place,
                "more than one type apart from null",
                "Use a oneOf of the types.",
            );
        }
        let shape = self.typed(node, name);
        if types.contains(&"null") {
            return Shape::Nullable(Box::new(shape));
        }
        shape
    }

    fn typed(&mut self, node: &Node, name: &str) -> Shape {
        match self.type_of(node).as_deref() {
            Some("string") => self.string(node, name),
            Some("integer") => Shape::Integer(number_rules(node)),
            Some("number") => Shape::Number(number_rules(node)),
            Some("boolean") => match node.get("const").map(Node::to_json) {
                Some(Value::Bool(value)) => Shape::Constant(value),
                Some(_) => {
                    self.findings
                        .add(&node.place, "the constant is not a boolean", "Write true or false.");
                    Shape::Boolean
                }
                None => Shape::Boolean,
            },
            Some("array") => self.array(node, name),
            Some("object") => self.object(node, name),
            Some("null") => {
                self.findings.add(
                    &node.place,
                    "null alone is not supported as a type",
                    "Use `[type, 'null']`, or null as one choice of a oneOf.",
                );
                Shape::Any
            }
            _ => Shape::Any,
        }
    }

    fn string(&mut self, node: &Node, name: &str) -> Shape {
        let mut values = node.texts("enum");
        values.extend(node.str("const"));
        if node.get("enum").is_some() || node.get("const").is_some() {
            if values.is_empty() || values.len() != node.get("enum").map_or(1, |list| list.list().len()) {
                self.findings.add(
                    &node.place,
                    "the allowed values of a string must be strings, at least one",
                    "Quote each value.",
                );
            }
            let values = values.into_iter().map(str::to_owned).collect();
            self.define(node, name, Kind::Enum(values));
            return Shape::Named(name.to_owned());
        }
        Shape::String(StringRules {
            id: node.str("x-id").map(str::to_owned),
            format: node.str("format").map(str::to_owned),
            pattern: node.str("pattern").map(str::to_owned),
            min: size(node, "minLength"),
            max: size(node, "maxLength"),
            visible: node.bool(formats::VISIBLE),
        })
    }

    fn array(&mut self, node: &Node, name: &str) -> Shape {
        let Some(items) = node.get("items") else {
            self.findings.add(&node.place, "an array without items", "Add `items`.");
            return Shape::Any;
        };
        let item = self.inline_shape(items, &format!("{name}Item"));
        let rules = ArrayRules {
            min: size(node, "minItems"),
            max: size(node, "maxItems"),
            unique: node.bool("uniqueItems"),
        };
        Shape::Array(Box::new(item), rules)
    }

    fn object(&mut self, node: &Node, name: &str) -> Shape {
        if node.get("properties").is_some() {
            if let Some(limit) = node.entry("maxProperties").or_else(|| node.entry("minProperties")) {
                self.findings.add(
                    &limit.place,
                    "minProperties and maxProperties are not supported for an object with properties",
                    "Use minProperties and maxProperties only for maps.",
                );
            }
            self.define_struct(node, name);
            return Shape::Named(name.to_owned());
        }
        let rules = MapRules {
            min: size(node, "minProperties"),
            max: size(node, "maxProperties"),
            is_within_map: false,
        };
        match node.get("additionalProperties").map(|n| (n, &n.data)) {
            Some((_, Data::Scalar(Value::Bool(true)))) => Shape::Map(Box::new(Shape::Any), rules),
            Some((values, Data::Map(_))) => {
                let values = self.inline_shape(values, &format!("{name}Value"));
                Shape::Map(Box::new(values), rules)
            }
            _ => {
                self.define_struct(node, name);
                Shape::Named(name.to_owned())
            }
        }
    }

    /// The shape of a referenced component. Objects, enums and unions become named types; other schemas are inlined.
    pub(super) fn referenced(&mut self, node: &Node) -> Shape {
        let Some((found, Some(target))) = self.documents.resolve(node, self.findings) else {
            return Shape::Any;
        };
        let Some(("schemas", name)) = target.component() else {
            self.findings.add(
                &node.place,
                "the reference is not to a schema component",
                "Move the schema to `schemas:` of a components file and correct the $ref.",
            );
            return Shape::Any;
        };
        let name = name.to_owned();
        if name != name.to_pascal_case() {
            self.findings.add(
                &found.place,
                format!("the schema name `{name}` is not in PascalCase"),
                format!("Rename the schema to `{}`.", name.to_pascal_case()),
            );
        }
        if RESERVED.contains(&name.as_str()) {
            let problem = format!("the name `{name}` is reserved for generated code");
            self.findings.add(&found.place, problem, "Rename the schema.");
        }
        if let Some(other) = self.homes.get(&name).filter(|other| **other != target) {
            let problem = format!("two schemas are called `{name}`, the other in {}", other.file);
            self.findings.add(&found.place, problem, "Rename one of them.");
        }
        if self.open.contains(&target) {
            return Shape::Named(name);
        }
        self.homes.insert(name.clone(), target.clone());
        if self.types.contains_key(&name) {
            return Shape::Named(name);
        }
        self.open.push(target);
        let shape = self.shape(found, &name);
        self.open.pop();
        if let Shape::String(rules) = &shape
            && rules.id.is_none()
        {
            self.texts.insert(name.clone(), rules.clone());
        }
        if !matches!(&shape, Shape::Named(own) if *own == name) {
            self.plain.insert(name);
        }
        shape
    }

    pub(super) fn define(&mut self, node: &Node, name: &str, kind: Kind) {
        let new = Type {
            place: node.place.clone(),
            doc: node.str("description").unwrap_or_default().to_owned(),
            kind,
            request: false,
            response: false,
        };
        if let Some(old) = self.types.get(name).filter(|old| old.place != new.place) {
            let problem = format!("two schemas define the type `{name}`, the other at {}", old.place);
            self.findings.add(
                &new.place,
                problem,
                "Rename one of the schemas, or move it to a separate component.",
            );
        }
        self.types.insert(name.to_owned(), new);
    }
}

fn number_rules(node: &Node) -> NumberRules {
    let limit = |key: &str| node.get(key).and_then(|n| n.to_json().as_i64());
    NumberRules {
        min: limit("minimum"),
        max: limit("maximum"),
        counted_to: size(node, "x-counted-to"),
        scanned_to: size(node, "x-scanned-to"),
    }
}

pub(super) fn size(node: &Node, key: &str) -> Option<u64> {
    node.get(key)?.to_json().as_u64()
}
