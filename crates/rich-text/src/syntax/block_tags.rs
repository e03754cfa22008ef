//! Block tags: `{% name attribute="value" %}`.

use std::ops::Range;

use super::{
    attributes::{AttributeSyntax, Attributes},
    entities,
};

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

/// The known tags. Any other tag keeps its source.
const NAMES: &[&str] = &[
    "hint",
    "tabs",
    "tab",
    "stepper",
    "step",
    "columns",
    "column",
    "updates",
    "update",
    "prompt",
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
        let closed = name.strip_prefix("end").filter(|name| is_name(name));
        let (name, closing) = closed.map_or((name, false), |name| (name, true));
        if !is_name(name) {
            return None;
        }
        let rest = rest.trim_start_matches([' ', '\t']);
        let (attributes, argument) = match name {
            "if" => (Attributes::default(), rest),
            _ => match Attributes::parse(rest, AttributeSyntax::BlockTag) {
                Some((attributes, argument)) => (attributes, argument),
                // A tag whose attributes are not understood is an unknown one.
                None => (Attributes::default(), rest),
            },
        };
        if argument.contains("%}") {
            return None;
        }
        Some(Self {
            name: name.to_owned(),
            closing,
            attributes,
            argument: argument.to_owned(),
            raw: line.to_owned(),
        })
    }

    pub fn is_known(&self) -> bool {
        is_known(&self.name)
    }

    /// Returns the target of a tag that includes a text.
    pub fn included(&self) -> Option<String> {
        let argument = self.argument.trim();
        let quoted = |quote: char| argument.strip_prefix(quote)?.strip_suffix(quote);
        let target = quoted('"').or_else(|| quoted('\''))?;
        (self.name == "include" && !self.closing).then(|| entities::decode(target).into_owned())
    }
}

fn is_known(name: &str) -> bool {
    NAMES.contains(&name) || is_integration(name)
}

/// Splits a line that begins with an opening tag: the tag, and the text after it. The tag must be a known one, or end at
/// the end of the line.
pub fn split_opening(line: &str) -> Option<(BlockTag, &str)> {
    let tag = find_inline(line, 0).filter(|tag| tag.start == 0)?;
    let (opening, rest) = line.split_at(tag.end);
    let opening = BlockTag::parse(opening).filter(|opening| !opening.closing)?;
    let closing = split_closing(line).filter(|(_, closing)| closing.name == opening.name);
    let splits = NAMES.contains(&opening.name.as_str()) || closing.is_some();
    (splits && !rest.trim().is_empty()).then(|| (opening, rest.trim_start_matches([' ', '\t'])))
}

/// Splits a line that ends with a closing tag: the text before the tag, and the tag.
pub fn split_closing(line: &str) -> Option<(&str, BlockTag)> {
    let line = line.trim_end_matches([' ', '\t']);
    let at = line.ends_with("%}").then(|| line.rfind("{%"))??;
    let (text, tag) = line.split_at(at);
    let tag = BlockTag::parse(tag).filter(|tag| tag.closing && (tag.is_known() || text.contains("{%")))?;
    (!text.trim().is_empty() && !text.ends_with(['\\', '`'])).then_some((text, tag))
}

/// Returns the range of the first tag in a line from this offset on. A backslash before the tag makes it text.
pub fn find_inline(line: &str, from: usize) -> Option<Range<usize>> {
    let mut at = from;
    loop {
        let start = at + line.get(at..)?.find("{%")?;
        let inner = line.get(start + 2..)?;
        let inner = inner.get(..inner.find("{%").unwrap_or(inner.len()))?;
        let Some(length) = inner.find("%}") else {
            at = start + 2;
            continue;
        };
        let escapes = line.bytes().take(start).rev().take_while(|byte| *byte == b'\\').count();
        let is_target = line.get(..start).is_some_and(|before| before.ends_with("]("));
        let inside = inner.get(..length)?;
        if escapes % 2 == 0 && !is_target && is_inside_of_tag(inside) {
            return Some(start..start + 2 + length + 2);
        }
        at = start + 2;
    }
}

fn is_inside_of_tag(inside: &str) -> bool {
    let name = inside.trim_start_matches([' ', '\t', '-']);
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '@');
    begins && !inside.contains(['`', '\n'])
}

fn is_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '@');
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '@') && name.chars().all(allowed)
}

/// `@integration/block`
fn is_integration(name: &str) -> bool {
    let part = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    let parts = name.strip_prefix('@').and_then(|name| name.split_once('/'));
    parts.is_some_and(|(integration, block)| part(integration) && part(block))
}
