//! Path and query parameters.

use heck::ToPascalCase;

use crate::{
    model::{Field, Kind, Shape},
    node::{Data, Node},
};

use super::Lowering;

/// The parameters of one operation, by where they stand.
#[derive(Default)]
pub(super) struct Parameters {
    pub path: Vec<Field>,
    pub query: Vec<Field>,
}

impl Lowering<'_> {
    pub(super) fn read_parameters(&mut self, id: &str, path: &str, item: &Node, operation: &Node) -> Parameters {
        let mut found = Parameters::default();
        let lists = [item.get("parameters"), operation.get("parameters")];
        for written in lists.into_iter().flatten().flat_map(Node::list) {
            let Some((node, _)) = self.documents.resolve(written, self.findings) else {
                continue;
            };
            let known = [
                "name",
                "in",
                "required",
                "description",
                "schema",
                "example",
                "deprecated",
            ];
            self.only(node, "a parameter", &known);
            let Some(field) = self.parameter(id, node) else {
                continue;
            };
            match node.str("in") {
                Some("query") => found.query.push(field),
                Some("path") => {
                    if !path.contains(&format!("{{{}}}", field.name)) {
                        self.findings.add(
                            &written.place,
                            format!("{id}: path parameter `{}` is not in the path {path}", field.name),
                            "Correct its name, or add it to the path.",
                        );
                    }
                    found.path.push(field);
                }
                other => self.findings.add(
                    &node.place,
                    format!("{id}: a parameter in {other:?} is not supported"),
                    "Use `in: path` or `in: query`.",
                ),
            }
        }
        for name in names_in(path) {
            if !found.path.iter().any(|field| field.name == name) {
                self.findings.add(
                    &operation.place,
                    format!("{id}: `{{{name}}}` of the path {path} is not declared"),
                    "Declare it with `in: path` and `required: true`.",
                );
            }
        }
        // In the order of the path, as handlers take them.
        found
            .path
            .sort_by_key(|field| path.find(&format!("{{{}}}", field.name)));
        found
    }

    fn parameter(&mut self, id: &str, node: &Node) -> Option<Field> {
        let name = node.str("name")?.to_owned();
        let Some(schema) = node.get("schema") else {
            self.findings.add(
                &node.place,
                format!("{id}: parameter `{name}` has no schema"),
                "Add its schema.",
            );
            return None;
        };
        let hint = format!("{}{}", id.to_pascal_case(), name.to_pascal_case());
        let shape = self.shape(schema, &hint);
        let is_scalar = |shape: &Shape| match shape {
            Shape::String(_) | Shape::Integer(_) | Shape::Boolean => true,
            Shape::Named(name) => matches!(self.types.get(name).map(|t| &t.kind), Some(Kind::Enum(_))),
            _ => false,
        };
        let understood = match &shape {
            Shape::Array(item, _) => is_scalar(item),
            other => is_scalar(other),
        };
        if !understood {
            self.findings.add(
                &node.place,
                format!("{id}: the schema of parameter `{name}` is not supported"),
                "Use a string, an integer, a boolean, an enum, or an array of these.",
            );
        }
        let required = node.bool("required");
        if node.str("in") == Some("path") && !required {
            self.findings.add(
                &node.place,
                format!("{id}: path parameter `{name}` is not required"),
                "Add `required: true`.",
            );
        }
        let default = self
            .documents
            .resolve(schema, self.findings)
            .and_then(|(schema, _)| schema.get("default"));
        Some(Field {
            place: node.place.clone(),
            name,
            doc: node.str("description").unwrap_or_default().to_owned(),
            shape,
            required,
            default: default.filter(|d| matches!(d.data, Data::Scalar(_))).map(Node::to_json),
            deprecated: node.bool("deprecated"),
            stored: None,
        })
    }
}

/// The names in braces of a path.
pub(super) fn names_in(path: &str) -> Vec<String> {
    let parts = path.split('{').skip(1);
    parts
        .filter_map(|part| Some(part.split_once('}')?.0.to_owned()))
        .collect()
}
