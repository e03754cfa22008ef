//! The texts of references.

use percent_encoding::percent_decode_str;
use serde_json::Value;
use url::Url;

/// The part of a document that a reference names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fragment {
    /// A JSON pointer; empty for the whole document.
    Pointer(String),
    /// A name that a schema declares.
    Anchor,
}

/// What a reference refers to. No address: the document with the reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    pub document: Option<Url>,
    pub fragment: Fragment,
}

/// Resolves a reference in a document with this address.
pub fn resolve(base: Option<&Url>, text: &str) -> Result<Reference, String> {
    let (address, fragment) = text.split_once('#').unwrap_or((text, ""));
    let document = match (address, base) {
        ("", _) => None,
        (address, Some(base)) => Some(base.join(address)),
        (address, None) => Some(Url::parse(address)),
    };
    let document = document.transpose().map_err(|_| match base {
        Some(_) => format!("The reference `{text}` is not an address."),
        None => format!("The reference `{text}` leads out of the document, which has no address of its own."),
    })?;
    let document = document.filter(|document| Some(document) != base);
    if let Some(document) = &document
        && !matches!(document.scheme(), "http" | "https")
    {
        return Err(format!(
            "The reference `{text}` does not lead to an http or https address."
        ));
    }
    let decoded = percent_decode_str(fragment).decode_utf8();
    let fragment = decoded.map_err(|_| format!("The reference `{text}` is not UTF-8."))?;
    let fragment = match fragment.is_empty() || fragment.starts_with('/') {
        true => Fragment::Pointer(fragment.into_owned()),
        false => Fragment::Anchor,
    };
    Ok(Reference { document, fragment })
}

/// Appends a segment to a JSON pointer.
pub fn push(pointer: &mut String, segment: &str) {
    pointer.push('/');
    for character in segment.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

/// Returns whether a value of a discriminator mapping is a reference instead of the name of a schema.
pub fn is_mapping_reference(text: &str) -> bool {
    text.contains(['#', '/']) || text.ends_with(".json") || text.ends_with(".yaml") || text.ends_with(".yml")
}

/// The name that a segment of a reference stands for.
pub fn unescape(segment: &str) -> String {
    let decoded = percent_decode_str(segment).decode_utf8_lossy();
    decoded.replace("~1", "/").replace("~0", "~")
}

/// The value that a segment of a reference leads to.
pub fn child<'v>(value: &'v Value, segment: &str) -> Option<&'v Value> {
    match value {
        Value::Object(members) => members.get(&unescape(segment)),
        Value::Array(items) => items.get(segment.parse::<usize>().ok()?),
        _ => None,
    }
}
