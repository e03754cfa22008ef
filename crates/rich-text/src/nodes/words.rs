//! Words: those of a line, and those that the contract has for the values of enumerations.

use openapi::models::{Inline, InlineImage, InlineLink, InlineNode, LinkNode, Text};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::emoji;

pub fn word(value: impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}

pub fn from_word<T: DeserializeOwned>(word: &str) -> Option<T> {
    serde_json::from_value(Value::String(word.to_owned())).ok()
}

/// The words of a line, for anchors and titles.
pub fn of_line(nodes: &[InlineNode]) -> String {
    let mut words = String::new();
    for node in nodes {
        match node {
            InlineNode::Text(text) => text_words(text, &mut words),
            InlineNode::Inline(inline) => inline_words(inline, &mut words),
        }
    }
    words
}

/// The words that an inline shows or stands for.
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
