//! Path, query and header parameters.

use heck::ToPascalCase;

use crate::{
    model::{Area, Field, Kind, Shape},
    node::{Data, Node},
    publish,
};

use super::Lowering;

/// The parameters of an operation, by location.
#[derive(Default)]
pub(super) struct Parameters {
    pub path: Vec<Field>,
    pub query: Vec<Field>,
    pub header: Vec<Field>,
    /// The last path parameter matches the rest of the path.
    pub wildcard: bool,
}

/// The keyword for the path parameter that matches the rest of the path.
const WILDCARD: &str = "x-wildcard";

/// Headers that other parts of an OpenAPI document define. OpenAPI ignores parameters with these names.
const SAID_ELSEWHERE: [&str; 3] = ["accept", "content-type", "authorization"];

impl Lowering<'_> {
    /// Checks that the objects whose ids a parameter takes have such a member.
    fn check_objects(&mut self, parameter: &Node) {
        for object in parameter.texts(publish::ID_OF) {
            let (name, member) = object.split_once('.').unwrap_or((object, "id"));
            if !self.schemas.has(name, member) {
                self.findings.add(
                    &parameter.place,
                    format!(
                        "`{}` names `{object}`, and no schema `{name}` has the member `{member}`",
                        publish::ID_OF
                    ),
                    "Correct the schema: `Object` for the member `id`, or `Object.member`.",
                );
            }
        }
    }

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
                WILDCARD,
                publish::ID_OF,
            ];
            self.only(node, "a parameter", &known);
            self.check_objects(node);
            let Some(field) = self.parameter(id, node) else {
                continue;
            };
            if self.is_wildcard(id, path, node, &field) {
                found.wildcard = true;
            }
            match node.str("in") {
                Some("query") => found.query.push(field),
                Some("header") => {
                    self.check_header(id, node, &field);
                    found.header.push(field);
                }
                Some("path") => {
                    if !path.contains(&format!("{{{}}}", field.name)) {
                        self.findings.add(
                            &written.place,
                            format!("{id}: path parameter `{}` is not in the path {path}", field.name),
                            "Correct the name, or add the parameter to the path.",
                        );
                    }
                    found.path.push(field);
                }
                other => self.findings.add(
                    &node.place,
                    format!("{id}: a parameter in {other:?} is not supported"),
                    "Use `in: path`, `in: query` or `in: header`.",
                ),
            }
        }
        for name in names_in(path) {
            if !found.path.iter().any(|field| field.name == name) {
                self.findings.add(
                    &operation.place,
                    format!("{id}: `{{{name}}}` of the path {path} is not declared"),
                    "Declare the parameter with `in: path` and `required: true`.",
                );
            }
        }
        // In the order of the path, which is the order of the arguments of handlers.
        found
            .path
            .sort_by_key(|field| path.find(&format!("{{{}}}", field.name)));
        found
    }

    /// Returns whether a parameter matches the rest of the path, including slashes.
    fn is_wildcard(&mut self, id: &str, path: &str, node: &Node, field: &Field) -> bool {
        let Some(written) = node.entry(WILDCARD) else {
            return false;
        };
        let last = node.str("in") == Some("path") && path.ends_with(&format!("/{{{}}}", field.name));
        if !node.bool(WILDCARD) || !last || !matches!(field.shape, Shape::String(_)) {
            self.findings.add(
                &written.place,
                format!("{id}: `{}` cannot match the rest of the path {path}", field.name),
                "Use `x-wildcard: true` only for a string that is the last segment of a path.",
            );
        }
        true
    }

    /// Checks that no other path is below a wildcard.
    pub(super) fn check_wildcards(&mut self, areas: &[Area]) {
        let operations = || areas.iter().flat_map(|area| &area.operations);
        for wildcard in operations().filter(|operation| operation.wildcard) {
            let own = without_names(&wildcard.path);
            let above = own.strip_suffix("{}").unwrap_or(&own);
            for other in operations().filter(|other| !other.wildcard || other.path != wildcard.path) {
                if without_names(&other.path).starts_with(above) {
                    self.findings.add(
                        &other.place,
                        format!("{}: {} also matches the path {}", other.id, wildcard.id, other.path),
                        "Change one of the paths; `x-wildcard` applies to all methods of a path.",
                    );
                }
            }
        }
    }

    fn check_header(&mut self, id: &str, node: &Node, field: &Field) {
        let name = &field.name;
        if SAID_ELSEWHERE.iter().any(|other| name.eq_ignore_ascii_case(other)) {
            self.findings.add(
                &node.place,
                format!("{id}: `{name}` cannot be a header parameter"),
                "Remove the parameter: `content` and `security` define these headers.",
            );
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(is_name) {
            self.findings.add(
                &node.place,
                format!("{id}: `{name}` is not a valid header name"),
                "Use letters, digits and hyphens.",
            );
        }
        if !matches!(field.shape, Shape::String(_)) {
            self.findings.add(
                &node.place,
                format!("{id}: the header parameter `{name}` is not a string"),
                "Use a string with maxLength, optionally with a pattern.",
            );
        }
    }

    fn parameter(&mut self, id: &str, node: &Node) -> Option<Field> {
        let name = node.str("name")?.to_owned();
        let Some(schema) = node.get("schema") else {
            self.findings.add(
                &node.place,
                format!("{id}: parameter `{name}` has no schema"),
                "Add the schema.",
            );
            return None;
        };
        let hint = format!("{}{}", id.to_pascal_case(), name.to_pascal_case());
        let shape = self.inline_shape(schema, &hint);
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
            default: default.filter(|d| !matches!(d.data, Data::Map(_))).map(Node::to_json),
            deprecated: node.bool("deprecated"),
            stored: None,
        })
    }
}

/// A path with all parameter names replaced by the same name.
fn without_names(path: &str) -> String {
    let parts = path.split('/');
    let parts: Vec<&str> = parts
        .map(|part| if part.starts_with('{') { "{}" } else { part })
        .collect();
    parts.join("/")
}

/// The names in braces of a path.
pub(super) fn names_in(path: &str) -> Vec<String> {
    let parts = path.split('{').skip(1);
    parts
        .filter_map(|part| Some(part.split_once('}')?.0.to_owned()))
        .collect()
}
