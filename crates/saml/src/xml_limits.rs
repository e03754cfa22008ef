//! Limits that are checked in the bytes of a document, before it is parsed: the parser compares each attribute of an element with the
//! others, and gives each element the namespaces of its ancestors.

use std::collections::HashSet;

use crate::Refusal;

/// Namespace prefixes of a document. Responses and metadata have about ten.
const MAX_PREFIXES: usize = 50;

/// Attributes of an element.
const MAX_ATTRIBUTES: usize = 200;

/// Markup that is no tag: comments, character data and processing instructions, each with its start and end.
const OTHERS: [(&str, &str); 3] = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];

pub fn check(text: &str) -> Result<(), Refusal> {
    let prefixes = text.split("xmlns:").skip(1);
    let prefixes: HashSet<&str> = prefixes
        .filter_map(|rest| rest.split(|c: char| c == '=' || c.is_whitespace()).next())
        .collect();
    if prefixes.len() > MAX_PREFIXES {
        return Err(Refusal::Xml(format!("more than {MAX_PREFIXES} namespace prefixes")));
    }
    if tags(text).any(|(_, attributes)| attributes > MAX_ATTRIBUTES) {
        return Err(Refusal::Xml(format!(
            "more than {MAX_ATTRIBUTES} attributes of an element"
        )));
    }
    Ok(())
}

/// The start tag of the first element, as an element without content.
pub fn first_element(text: &str) -> Option<String> {
    let (tag, _) = tags(text).next()?;
    let open = tag.strip_suffix('>')?;
    Some(format!("{}/>", open.strip_suffix('/').unwrap_or(open)))
}

/// The tags of a text, each with the number of its attributes.
fn tags(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            rest = rest.get(rest.find('<')?..)?;
            let Some((_, end)) = OTHERS.iter().find(|(begin, _)| rest.starts_with(begin)) else {
                break;
            };
            rest = rest.split_once(end).map_or("", |(_, after)| after);
        }
        let (attributes, length) = attributes(rest);
        let (tag, after) = rest.split_at_checked(length)?;
        rest = after;
        Some((tag, attributes))
    })
}

/// The number of attributes of the tag at the start of a text, and the bytes of the tag.
fn attributes(tag: &str) -> (usize, usize) {
    let (mut quote, mut found) = (None, 0_usize);
    for (at, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'=') => found = found.saturating_add(1),
            (None, b'>') => return (found, at.saturating_add(1)),
            (None, _) => {}
        }
    }
    (found, tag.len())
}
