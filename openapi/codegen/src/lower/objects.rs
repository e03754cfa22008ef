//! Objects with known members, including `allOf`.

use heck::ToPascalCase;
use serde_json::Value;

use crate::{
    model::{Additional, Field, Kind, Shape, Struct},
    node::{Data, Node},
    publish::AT_MOST_ONE,
};

use super::Lowering;

/// The members of an object while its parts are merged.
#[derive(Default)]
struct Members {
    fields: Vec<Field>,
    required: Vec<(String, Node)>,
    additional: Option<Additional>,
}

impl Lowering<'_> {
    pub(super) fn define_struct(&mut self, node: &Node, name: &str) {
        let mut members = Members::default();
        self.collect(node, name, &mut members);
        for (wanted, at) in std::mem::take(&mut members.required) {
            match members.fields.iter_mut().find(|field| field.name == wanted) {
                Some(field) => field.required = true,
                None => self.findings.add(
                    &at.place,
                    format!("required member `{wanted}` is not among the properties of `{name}`"),
                    "Add the property, or correct the name in `required`.",
                ),
            }
        }
        let always_answered: Vec<String> = node.texts("x-always-answered").into_iter().map(str::to_owned).collect();
        for name in &always_answered {
            let is_list = |field: &&Field| matches!(field.shape, Shape::Array(..)) && !field.required;
            if !members.fields.iter().filter(is_list).any(|field| field.name == *name) {
                self.findings.add(
                    &node.place,
                    format!("`{name}`, which is always answered, is not an optional list of the object"),
                    "Correct the name in `x-always-answered`, or require the member.",
                );
            }
        }
        let at_most_one: Vec<String> = node.texts(AT_MOST_ONE).into_iter().map(str::to_owned).collect();
        let is_optional = |name: &String| {
            let mut fields = members.fields.iter();
            fields.any(|field| field.name == *name && !field.required && field.default.is_none())
        };
        if at_most_one.len() == 1 || !at_most_one.iter().all(is_optional) {
            self.findings.add(
                &node.place,
                format!("`{AT_MOST_ONE}` does not name several optional members without a default"),
                "Name members of the object that requests may leave out.",
            );
        }
        let kind = Kind::Struct(Struct {
            fields: members.fields,
            additional: members.additional.unwrap_or(Additional::Unstated),
            always_answered,
            at_most_one,
        });
        self.define(node, name, kind);
    }

    fn collect(&mut self, node: &Node, name: &str, members: &mut Members) {
        for part in node.get("allOf").map(Node::list).unwrap_or_default() {
            self.check_keywords(part);
            if let Some((found, _)) = self.documents.resolve(part, self.findings) {
                self.collect(found, name, members);
            }
        }
        for (member, entry) in node.get("properties").into_iter().flat_map(Node::map) {
            let field = self.field(member, &entry.node, name);
            members.fields.retain(|other| other.name != field.name);
            members.fields.push(field);
        }
        for wanted in node.get("required").map(Node::list).unwrap_or_default() {
            let text = wanted.as_str().unwrap_or_default().to_owned();
            members.required.push((text, wanted.clone()));
        }
        // With `allOf`, only `unevaluatedProperties` includes the members of the parts.
        let further = node
            .get("additionalProperties")
            .or_else(|| node.get("unevaluatedProperties"));
        match further.map(|n| (n, &n.data)) {
            None => {}
            Some((_, Data::Scalar(Value::Bool(true)))) => members.additional = Some(Additional::Allowed),
            Some((_, Data::Scalar(Value::Bool(false)))) => members.additional = Some(Additional::Refused),
            Some((other, _)) => self.findings.add(
                &other.place,
                "an object with properties cannot have a schema for additional members",
                "Use `additionalProperties: true` or `additionalProperties: false`, or move the map to a separate member.",
            ),
        }
    }

    fn field(&mut self, member: &str, node: &Node, parent: &str) -> Field {
        let name = format!("{parent}{}", member.to_pascal_case());
        let shape = self.inline_shape(node, &name);
        let referenced = self
            .documents
            .resolve(node, self.findings)
            .map(|(found, _)| found.clone());
        let annotated = |key: &str| node.get(key).or_else(|| referenced.as_ref()?.get(key));
        Field {
            place: node.place.clone(),
            name: member.to_owned(),
            doc: annotated("description")
                .and_then(Node::as_str)
                .unwrap_or_default()
                .to_owned(),
            shape,
            required: false,
            default: node.get("default").map(Node::to_json),
            deprecated: node.bool("deprecated"),
            stored: node.str("x-stored").map(str::to_owned),
        }
    }
}
