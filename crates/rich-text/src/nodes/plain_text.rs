//! Plain text of inlines.

use openapi::models::{CaptionFragment, Inline, InlineImage, InlineLink, InlineNode, LinkNode, Text};

use super::emoji;

/// Returns the plain text of inlines, for anchors and titles.
pub fn of_inlines(nodes: &[InlineNode]) -> String {
    let mut words = String::new();
    for node in nodes {
        match node {
            InlineNode::Text(text) => text_words(text, &mut words),
            InlineNode::Inline(inline) => inline_words(inline, &mut words),
        }
    }
    words
}

/// Appends the plain text of an inline.
fn inline_words(inline: &Inline, words: &mut String) {
    match inline {
        Inline::InlineLink(link) => link_words(link, words),
        Inline::InlineEmoji(emoji) => words.push_str(&emoji::characters(&emoji.data.code).unwrap_or_default()),
        Inline::InlineIcon(icon) => words.extend([":", &icon.data.icon, ":"]),
        Inline::InlineExpression(expression) => words.push_str(&expression.data.expression),
        Inline::InlineMath(math) => words.push_str(&math.data.formula),
        Inline::InlineImage(image) => image_words(image, words),
        Inline::InlineMention(_) => {}
        Inline::InlineButton(button) => words.push_str(&button.data.label),
        Inline::InlineAnnotation(annotation) => {
            annotation
                .nodes
                .iter()
                .flatten()
                .for_each(|text| text_words(text, words));
        }
    }
}

fn link_words(link: &InlineLink, words: &mut String) {
    for node in link.nodes.iter().flatten() {
        match node {
            LinkNode::Text(text) => text_words(text, words),
            LinkNode::InlineImage(image) => image_words(image, words),
        }
    }
}

fn image_words(image: &InlineImage, words: &mut String) {
    words.push_str(image.data.alt.as_deref().unwrap_or_default());
}

fn text_words(text: &Text, words: &mut String) {
    words.extend(text.leaves.iter().map(|leaf| leaf.text.as_str()));
}

/// Returns whether a node is text without characters.
pub fn is_blank_inline(node: &InlineNode) -> bool {
    match node {
        InlineNode::Text(text) => text.leaves.iter().all(|leaf| leaf.text.is_empty()),
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
