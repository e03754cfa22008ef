//! XML within limits, and the parts of it that SAML uses.

use std::collections::HashSet;

use base64::{Engine, engine::general_purpose::STANDARD};
use roxmltree::{Document, Node, NodeType, ParsingOptions};

use crate::{Refusal, xml_limits};

pub const ASSERTION: &str = "urn:oasis:names:tc:SAML:2.0:assertion";
pub const PROTOCOL: &str = "urn:oasis:names:tc:SAML:2.0:protocol";
pub const METADATA: &str = "urn:oasis:names:tc:SAML:2.0:metadata";
pub const SIGNATURE: &str = "http://www.w3.org/2000/09/xmldsig#";

/// Nodes of a document. Responses have some hundreds.
pub const MAX_NODES: u32 = 10_000;

/// Depth of elements. Signing walks the tree recursively.
const MAX_DEPTH: usize = 32;

/// Parses a document without a document type, and so without entities; processing instructions are refused as well, because
/// they would be signed and mean nothing.
pub fn parse(text: &str) -> Result<Document<'_>, Refusal> {
    xml_limits::check(text)?;
    let options = ParsingOptions {
        allow_dtd: false,
        nodes_limit: MAX_NODES,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(text, options).map_err(|e| Refusal::Xml(e.to_string()))?;
    for node in document.descendants() {
        if node.node_type() == NodeType::PI {
            return Err(Refusal::Xml("processing instructions are refused".to_owned()));
        }
        if node.ancestors().take(MAX_DEPTH + 2).count() > MAX_DEPTH + 1 {
            return Err(Refusal::Xml(format!("elements are deeper than {MAX_DEPTH}")));
        }
    }
    Ok(document)
}

/// Refuses a document in which two elements share an id, under any of the names that make an attribute an id.
pub fn check_ids(document: &Document<'_>) -> Result<(), Refusal> {
    let mut ids = HashSet::new();
    for node in document.descendants() {
        let named = node.attributes().filter(|a| a.name().eq_ignore_ascii_case("id"));
        for id in named {
            if !ids.insert(id.value()) {
                return Err(Refusal::DuplicateId);
            }
        }
    }
    Ok(())
}

pub fn is(node: Node<'_, '_>, namespace: &str, name: &str) -> bool {
    node.is_element() && node.tag_name().namespace() == Some(namespace) && node.tag_name().name() == name
}

/// The child elements of a name.
pub fn children<'a, 'i>(
    node: Node<'a, 'i>,
    namespace: &'static str,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(move |child| is(*child, namespace, name))
}

/// The only child element of a name. `None`: there is none, or more than one.
pub fn only_child<'a, 'i>(node: Node<'a, 'i>, namespace: &'static str, name: &'static str) -> Option<Node<'a, 'i>> {
    let mut found = children(node, namespace, name);
    let child = found.next()?;
    found.next().is_none().then_some(child)
}

/// The whole text of an element that has nothing but text. A comment within it ends nothing: the text goes on behind it.
pub fn text(node: Node<'_, '_>) -> Option<String> {
    let mut text = String::new();
    for child in node.children() {
        match child.node_type() {
            NodeType::Text => text.push_str(child.text()?),
            NodeType::Comment => {}
            _ => return None,
        }
    }
    let trimmed = text.trim();
    (!trimmed.is_empty()).then(|| trimmed.to_owned())
}

/// The bytes that the text of an element is the base64 of.
pub fn base64(node: Node<'_, '_>) -> Result<Vec<u8>, &'static str> {
    let dense: String = text(node)
        .ok_or("a value is missing")?
        .split_ascii_whitespace()
        .collect();
    STANDARD.decode(dense).map_err(|_| "a value is not base64")
}

/// The algorithm that an element names.
pub fn algorithm<'a>(node: Node<'a, '_>) -> Result<&'a str, &'static str> {
    node.attribute("Algorithm").ok_or("an algorithm is missing")
}

/// Escapes a text for an attribute or an element, of XML as well as of HTML.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}
