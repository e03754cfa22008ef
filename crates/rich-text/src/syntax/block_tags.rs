//! Block tags: `{% name attribute="value" %}`.

use super::attributes::{AttributeSyntax, Attributes};

/// A tag on a line of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockTag {
    pub name: String,
    pub closing: bool,
    pub attributes: Attributes,
    /// The text after the name of a tag without attributes: the path of an `include`, the expression of an `if`.
    pub argument: String,
    /// Source of the tag, with trailing space.
    pub raw: String,
}

/// The known tags. Any other tag is text.
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

impl BlockTag {
    /// Parses a whole line without its prefix and line end.
    pub fn parse(line: &str) -> Option<Self> {
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
            _ => Attributes::parse(rest, AttributeSyntax::BlockTag)?,
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
