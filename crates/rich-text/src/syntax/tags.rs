//! The block tags `{% name attribute="value" %}`.

use super::attributes::{Attributes, Syntax};

/// A tag on a line of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Tag {
    pub name: String,
    pub closing: bool,
    pub attributes: Attributes,
    /// What stands there instead of attributes: the path of an `include`, the expression of an `if`.
    pub argument: String,
    /// As it was written, with space at the end.
    pub raw: String,
}

/// The tags that mean something. Others stay text.
const NAMES: &[&str] = &[
    "hint",
    "tabs",
    "tab",
    "stepper",
    "step",
    "columns",
    "column",
    "code",
    "if",
    "embed",
    "file",
    "content-ref",
    "include",
    "swagger",
    "openapi",
    "openapi-operation",
    "openapi-schemas",
    "openapi-webhook",
];

impl Tag {
    /// Reads a whole line without its prefix and its end.
    pub fn read(line: &str) -> Option<Self> {
        let tag = line.trim_end_matches([' ', '\t']);
        let inner = tag.strip_prefix("{%")?.strip_suffix("%}")?.trim_matches([' ', '\t']);
        let end = inner.find([' ', '\t']).unwrap_or(inner.len());
        let (name, rest) = inner.split_at(end);
        let known = |name: &str| NAMES.contains(&name);
        let closed = name.strip_prefix("end").filter(|name| known(name));
        let (name, closing) = closed.map_or((name, false), |name| (name, true));
        if !known(name) && !is_integration(name) {
            return None;
        }
        let rest = rest.trim_start_matches([' ', '\t']);
        let (attributes, argument) = match name {
            "if" => (Attributes::default(), rest),
            _ => Attributes::read(rest, Syntax::Tag)?,
        };
        Some(Self {
            name: name.to_owned(),
            closing,
            attributes,
            argument: argument.to_owned(),
            raw: line.to_owned(),
        })
    }
}

/// `@integration/block`
fn is_integration(name: &str) -> bool {
    let part = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    let parts = name.strip_prefix('@').and_then(|name| name.split_once('/'));
    parts.is_some_and(|(integration, block)| part(integration) && part(block))
}
