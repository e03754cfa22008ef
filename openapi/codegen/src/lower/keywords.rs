//! The supported keywords of each kind of schema. Any other keyword stops the build.

use crate::{
    formats,
    node::{Data, Node},
    publish::AT_MOST_ONE,
};

use super::Lowering;

const ANNOTATIONS: &[&str] = &[
    "title",
    "description",
    "example",
    "examples",
    "deprecated",
    "default",
    "x-stored",
];
const STRING: &[&str] = &[
    "type",
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "enum",
    "const",
    "x-id",
    "x-newer-values",
    formats::VISIBLE,
];
const NUMBER: &[&str] = &["type", "format", "minimum", "maximum", "x-counted-to", "x-scanned-to"];
const BOOLEAN: &[&str] = &["type", "const"];
const ARRAY: &[&str] = &["type", "items", "minItems", "maxItems", "uniqueItems"];
const OBJECT: &[&str] = &[
    "type",
    "properties",
    "required",
    "additionalProperties",
    "minProperties",
    "maxProperties",
    "x-always-answered",
    AT_MOST_ONE,
];
/// `icon` is an annotation without validation: any short string may be the name of an icon.
const FORMATS: &[&str] = &["date-time", "uri", "email", "icon"];
const NUMBER_FORMATS: &[&str] = &["int32", "int64", "double"];

impl Lowering<'_> {
    /// Refuses members of a mapping that are not listed.
    pub(super) fn only(&mut self, node: &Node, what: &str, known: &[&str]) {
        if !matches!(node.data, Data::Map(_)) {
            self.findings.add(
                &node.place,
                format!("{what} is not a mapping"),
                "Write a mapping with one member per line.",
            );
        }
        for (key, entry) in node.map() {
            if !known.contains(&key) {
                self.findings.add(
                    &entry.place,
                    format!("unknown keyword `{key}` in {what}"),
                    format!(
                        "Remove the keyword, or add support to the generator. Supported keywords: {}.",
                        known.join(", ")
                    ),
                );
            }
        }
    }

    pub(super) fn check_keywords(&mut self, node: &Node) {
        let (what, own): (&str, &[&str]) = if node.get("$ref").is_some() {
            ("a reference", &["$ref"])
        } else if node.get("oneOf").is_some() {
            ("a oneOf", &["oneOf", "discriminator", "x-discriminator"])
        } else if node.get("allOf").is_some() {
            ("an allOf", &["allOf", "unevaluatedProperties"])
        } else {
            match self.type_of(node).as_deref() {
                Some("string") => ("a string", STRING),
                Some("integer" | "number") => ("a number", NUMBER),
                Some("boolean") => ("a boolean", BOOLEAN),
                Some("array") => ("an array", ARRAY),
                Some("object") => ("an object", OBJECT),
                Some("null") => ("null", &["type"]),
                Some(other) => {
                    self.findings.add(
                        &node.place,
                        format!("unknown type `{other}`"),
                        "Use string, integer, number, boolean, array, object or null.",
                    );
                    return;
                }
                None => ("a schema without a type", &[]),
            }
        };
        let known: Vec<&str> = own.iter().chain(ANNOTATIONS).copied().collect();
        self.only(node, what, &known);
        self.check_format(node);
        self.check_pattern(node);
    }

    fn check_format(&mut self, node: &Node) {
        let Some(format) = node.str("format") else {
            return;
        };
        let known = match self.type_of(node).as_deref() {
            Some("string") => FORMATS,
            _ => NUMBER_FORMATS,
        };
        if !known.contains(&format) {
            self.findings.add(
                &node.place,
                format!("unknown format `{format}`"),
                format!("Use one of {}, or a pattern.", known.join(", ")),
            );
        }
    }

    fn check_pattern(&mut self, node: &Node) {
        let Some(entry) = node.entry("pattern") else {
            return;
        };
        let compiled = entry.node.as_str().map(regex::Regex::new);
        if !matches!(compiled, Some(Ok(_))) {
            self.findings.add(
                &entry.place,
                "the pattern does not compile",
                "Write a regular expression without look-around and back-references, in quotes.",
            );
        }
    }

    /// The type apart from `null`.
    pub(super) fn type_of(&self, node: &Node) -> Option<String> {
        if let Some(single) = node.str("type") {
            return Some(single.to_owned());
        }
        let mut types = node.texts("type").into_iter().filter(|t| *t != "null");
        types.next().map(str::to_owned)
    }
}
