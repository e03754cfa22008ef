//! Plain text of inlines.

use openapi::models::{CaptionFragment, Inline, InlineImage, InlineLink, InlineNode, LinkNode, Text};

use super::emoji;

/// Returns the plain text of inlines, for anchors and titles.
pub fn of_inlines(nodes: &[InlineNode]) -> String {
    let mut text = String::new();
    for node in nodes {
        match node {
            InlineNode::Text(node) => append_text(node, &mut text),
            InlineNode::Inline(inline) => append_inline(inline, &mut text),
        }
    }
    text
}

/// Appends the plain text of an inline.
fn append_inline(inline: &Inline, text: &mut String) {
    match inline {
        Inline::InlineLink(link) => append_link(link, text),
        Inline::InlineEmoji(emoji) => text.push_str(&emoji::emoji_characters(&emoji.data.code).unwrap_or_default()),
        Inline::InlineIcon(icon) => text.extend([":", &icon.data.icon, ":"]),
        Inline::InlineExpression(expression) => text.push_str(&expression.data.expression),
        Inline::InlineMath(math) => text.push_str(&math.data.formula),
        Inline::InlineImage(image) => append_image(image, text),
        Inline::InlineMention(mention) => text.push_str(mention.data.text.as_deref().unwrap_or_default()),
        Inline::InlineButton(button) => text.push_str(&button.data.label),
        Inline::InlineAnnotation(annotation) => {
            annotation
                .nodes
                .iter()
                .flatten()
                .for_each(|node| append_text(node, text));
        }
    }
}

fn append_link(link: &InlineLink, text: &mut String) {
    for node in link.nodes.iter().flatten() {
        match node {
            LinkNode::Text(node) => append_text(node, text),
            LinkNode::InlineImage(image) => append_image(image, text),
        }
    }
}

fn append_image(image: &InlineImage, text: &mut String) {
    text.push_str(image.data.alt.as_deref().unwrap_or_default());
}

fn append_text(node: &Text, text: &mut String) {
    text.extend(node.leaves.iter().map(|leaf| leaf.text.as_str()));
}

/// Returns whether a node is text without characters.
pub fn is_blank_inline(node: &InlineNode) -> bool {
    match node {
        InlineNode::Text(text) => text
            .leaves
            .iter()
            .all(|leaf| leaf.text.is_empty() && leaf.source.is_none()),
        InlineNode::Inline(_) => false,
    }
}

/// Returns whether a caption has at most one paragraph, which is blank.
pub fn is_blank_caption(caption: &CaptionFragment) -> bool {
    match caption.nodes.as_slice() {
        [] => true,
        [paragraph] => paragraph.nodes.iter().flatten().all(is_blank_inline),
        _ => false,
    }
}

/// Returns the source of a paragraph that is nothing but unknown syntax.
pub fn only_source(nodes: &[InlineNode]) -> Option<&str> {
    let mut leaves = nodes.iter().filter(|node| !is_blank_inline(node));
    let (Some(InlineNode::Text(text)), None) = (leaves.next(), leaves.next()) else {
        return None;
    };
    let mut leaves = text
        .leaves
        .iter()
        .filter(|leaf| !leaf.text.is_empty() || leaf.source.is_some());
    match (leaves.next(), leaves.next()) {
        (Some(leaf), None) => leaf.source.as_deref(),
        _ => None,
    }
}

/// Returns the source at the beginning of a line, if it begins with unknown syntax.
pub fn first_source(nodes: &[InlineNode]) -> Option<&str> {
    let InlineNode::Text(text) = nodes.iter().find(|node| !is_blank_inline(node))? else {
        return None;
    };
    let first = text
        .leaves
        .iter()
        .find(|leaf| !leaf.text.is_empty() || leaf.source.is_some())?;
    first.source.as_deref()
}
