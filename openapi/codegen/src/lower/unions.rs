//! `oneOf`: a nullable schema, a choice by discriminator, by the members of objects, or by JSON type.

use std::collections::BTreeSet;

use crate::{
    document,
    model::{DecidedBy, Kind, Shape, Struct, Union, Variant},
    node::Node,
};

use super::Lowering;

impl Lowering<'_> {
    pub(super) fn one_of(&mut self, node: &Node, choices: &Node, name: &str) -> Shape {
        let is_null = |choice: &&Node| choice.str("type") == Some("null");
        let nullable = choices.list().iter().any(|choice| is_null(&choice));
        let others: Vec<&Node> = choices.list().iter().filter(|choice| !is_null(choice)).collect();
        let shape = match others.as_slice() {
            [single] if nullable => self.shape(single, name),
            _ => self.define_union(node, &others, name),
        };
        if nullable {
            return Shape::Nullable(Box::new(shape));
        }
        shape
    }

    fn define_union(&mut self, node: &Node, choices: &[&Node], name: &str) -> Shape {
        // The standard discriminator requires its member in every choice; the extension allows a choice without the member.
        let discriminator = node.get("discriminator").or_else(|| node.get("x-discriminator"));
        let union = match discriminator {
            Some(discriminator) => self.by_member(node, discriminator, choices),
            None => self.by_shape(node, choices, name),
        };
        self.define(node, name, Kind::Union(union));
        Shape::Named(name.to_owned())
    }

    fn by_member(&mut self, node: &Node, discriminator: &Node, choices: &[&Node]) -> Union {
        self.only(
            discriminator,
            "a discriminator",
            &["propertyName", "mapping", "x-default-variant", "x-other-variant"],
        );
        let member = discriminator.str("propertyName").unwrap_or_default().to_owned();
        let mut variants = Vec::new();
        for choice in choices {
            let Some(reference) = choice.str("$ref") else {
                self.findings.add(
                    &choice.place,
                    "a choice of a oneOf with a discriminator is not a reference",
                    "Move the schema to `schemas:` and use a $ref.",
                );
                continue;
            };
            let target = document::target(&choice.place, reference);
            let same = |other: Option<&str>| other.and_then(|r| document::target(&discriminator.place, r)) == target;
            let mapping = discriminator.get("mapping");
            let tags: Vec<String> = mapping
                .into_iter()
                .flat_map(Node::map)
                .filter(|(_, entry)| same(entry.node.as_str()))
                .map(|(tag, _)| tag.to_owned())
                .collect();
            let default = same(discriminator.str("x-default-variant"));
            let has_other_tags = same(discriminator.str("x-other-variant"));
            if tags.is_empty() && !default && !has_other_tags {
                self.findings.add(
                    &choice.place,
                    format!("no value of `{member}` is mapped to this choice"),
                    "Add the choice to the mapping of the discriminator.",
                );
            }
            variants.push(Variant {
                shape: self.shape(choice, ""),
                tags,
                has_other_tags,
            });
        }
        if member.is_empty() {
            self.findings.add(
                &node.place,
                "the discriminator has no propertyName",
                "Set propertyName to the name of the discriminating member.",
            );
        }
        Union {
            decided_by: DecidedBy::Member(member),
            variants,
        }
    }

    fn by_shape(&mut self, node: &Node, choices: &[&Node], name: &str) -> Union {
        let shapes: Vec<Shape> = choices
            .iter()
            .enumerate()
            .map(|(i, choice)| self.shape(choice, &format!("{name}Choice{i}")))
            .collect();
        let objects: Option<Vec<&Struct>> = shapes.iter().map(|shape| self.object_of(shape)).collect();
        match objects {
            Some(objects) if objects.len() > 1 => {
                let keys = keys(&objects);
                self.by_presence(node, shapes, keys)
            }
            _ => self.by_json_type(node, shapes),
        }
    }

    fn object_of(&self, shape: &Shape) -> Option<&Struct> {
        let Shape::Named(name) = shape else {
            return None;
        };
        match &self.types.get(name)?.kind {
            Kind::Struct(object) => Some(object),
            _ => None,
        }
    }

    fn by_presence(&mut self, node: &Node, shapes: Vec<Shape>, keys: Vec<Option<String>>) -> Union {
        if keys.iter().filter(|key| key.is_none()).count() > 1 {
            self.findings.add(
                &node.place,
                "two choices of this oneOf have no required member of their own",
                "Require a member in each choice that no other choice has, or add a discriminator.",
            );
        }
        let variants = shapes.into_iter().zip(keys).map(|(shape, key)| Variant {
            shape,
            tags: key.into_iter().collect(),
            has_other_tags: false,
        });
        Union {
            decided_by: DecidedBy::Presence,
            variants: variants.collect(),
        }
    }

    fn by_json_type(&mut self, node: &Node, shapes: Vec<Shape>) -> Union {
        let mut seen = BTreeSet::new();
        let mut variants = Vec::new();
        for shape in shapes {
            if !seen.insert(self.json_type(&shape)) {
                self.findings.add(
                    &node.place,
                    "two choices of this oneOf have the same JSON type",
                    "Add a discriminator, or make the types distinct.",
                );
            }
            variants.push(Variant {
                shape,
                tags: vec![],
                has_other_tags: false,
            });
        }
        Union {
            decided_by: DecidedBy::JsonType,
            variants,
        }
    }

    fn json_type(&self, shape: &Shape) -> &'static str {
        match shape {
            Shape::String(_) => "string",
            Shape::Integer(_) | Shape::Number(_) => "number",
            Shape::Boolean | Shape::Constant(_) => "boolean",
            Shape::Array(..) => "array",
            Shape::Map(..) => "object",
            Shape::Any => "any",
            Shape::Nullable(inner) => self.json_type(inner),
            Shape::Named(name) => match self.types.get(name).map(|t| &t.kind) {
                Some(Kind::Enum(_)) => "string",
                _ => "object",
            },
        }
    }
}

/// The required member of each object that no other object has.
fn keys(objects: &[&Struct]) -> Vec<Option<String>> {
    let key = |(i, object): (usize, &&Struct)| {
        let is_own = |name: &str| {
            let mut others = objects.iter().enumerate().filter(|(other, _)| *other != i);
            others.all(|(_, other)| other.fields.iter().all(|field| field.name != name))
        };
        let mut fields = object.fields.iter();
        let key = fields.find(|field| field.required && is_own(&field.name));
        key.map(|field| field.name.clone())
    };
    objects.iter().enumerate().map(key).collect()
}
