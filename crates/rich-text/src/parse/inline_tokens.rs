//! Inline tokens: a flat list of Markdown inlines and HTML tags.

use comrak::{
    Node,
    arena_tree::NodeEdge,
    nodes::{NodeLink, NodeValue},
};

use super::{MarkdownParser, is_display_math};
use crate::{
    nodes::{emoji::emoji_code, marks::MarkStyle},
    syntax::{
        entities,
        html::{self, HtmlToken, PairEdge},
    },
};

#[derive(Clone, Debug, PartialEq)]
pub enum InlineToken {
    Text(String),
    Break,
    Code(String),
    Formula(String),
    Emoji { code: String, name: String },
    Footnote(String),
    Image(ImageToken),
    Html(HtmlToken),
    Open(MarkdownSpan),
    Close,
}

/// A span of inlines in Markdown.
#[derive(Clone, Debug, PartialEq)]
pub enum MarkdownSpan {
    Style(MarkStyle),
    Link { target: String, title: String },
}

#[derive(Clone, Debug, PartialEq)]
pub struct ImageToken {
    pub target: String,
    pub title: String,
    pub alt: String,
}

impl<'a> MarkdownParser<'a, '_> {
    /// Returns the tokens of a paragraph, heading or table cell. Iterative, because emphasis can nest as deep as the
    /// line is long.
    pub(super) fn items(&self, node: Node<'a>) -> Vec<InlineToken> {
        let mut items = Vec::new();
        let mut edges = node.traverse();
        edges.next();
        while let Some(edge) = edges.next() {
            match edge {
                NodeEdge::End(end) => {
                    if matches!(
                        end.data().value,
                        NodeValue::Emph | NodeValue::Strong | NodeValue::Strikethrough | NodeValue::Link(_)
                    ) {
                        items.push(InlineToken::Close);
                    }
                }
                NodeEdge::Start(start) => match &start.data().value {
                    NodeValue::Image(link) => {
                        items.push(InlineToken::Image(self.picture(start, link)));
                        // The token already has the alternative text.
                        for edge in edges.by_ref() {
                            if matches!(edge, NodeEdge::End(end) if end.same_node(start)) {
                                break;
                            }
                        }
                    }
                    value => items.extend(self.item(value)),
                },
            }
        }
        items
    }

    fn item(&self, value: &NodeValue) -> Option<InlineToken> {
        Some(match value {
            NodeValue::Text(text) => InlineToken::Text(text.to_string()),
            NodeValue::SoftBreak => InlineToken::Text(" ".to_owned()),
            NodeValue::LineBreak => InlineToken::Break,
            NodeValue::Code(code) => InlineToken::Code(self.source.restore(&code.literal).into_owned()),
            NodeValue::HtmlInline(html) => {
                let html = self.source.restore(html);
                let mut tokens = html::tokenize(&html).into_iter();
                match (tokens.next(), tokens.next()) {
                    (Some(token), None) => InlineToken::Html(token),
                    _ => InlineToken::Html(HtmlToken::Text(html.into_owned())),
                }
            }
            NodeValue::Math(math) if is_display_math(math) => {
                InlineToken::Formula(self.source.restore(&math.literal).into_owned())
            }
            NodeValue::Math(math) => InlineToken::Text(format!("${}$", self.source.restore(&math.literal))),
            NodeValue::ShortCode(emoji) => InlineToken::Emoji {
                code: emoji_code(&emoji.emoji),
                name: emoji.code.clone(),
            },
            NodeValue::FootnoteReference(note) => InlineToken::Footnote(note.name.clone()),
            NodeValue::Emph => InlineToken::Open(MarkdownSpan::Style(MarkStyle::Italic)),
            NodeValue::Strong => InlineToken::Open(MarkdownSpan::Style(MarkStyle::Bold)),
            NodeValue::Strikethrough => InlineToken::Open(MarkdownSpan::Style(MarkStyle::Strikethrough)),
            NodeValue::Link(link) => InlineToken::Open(MarkdownSpan::Link {
                target: link.url.clone(),
                title: link.title.clone(),
            }),
            _ => return None,
        })
    }

    pub(super) fn picture(&self, node: Node<'a>, link: &NodeLink) -> ImageToken {
        let mut alt = String::new();
        for inner in node.descendants().skip(1) {
            match &inner.data().value {
                NodeValue::Text(text) => alt.push_str(text),
                NodeValue::SoftBreak | NodeValue::LineBreak => alt.push(' '),
                NodeValue::Code(code) => alt.push_str(&code.literal),
                NodeValue::HtmlInline(html) => alt.push_str(html),
                NodeValue::Math(math) => {
                    let sign = if math.display_math { "$$" } else { "$" };
                    alt.extend([sign, &math.literal, sign]);
                }
                NodeValue::ShortCode(emoji) => alt.push_str(&emoji.emoji),
                NodeValue::FootnoteReference(note) => alt.extend(["[^", &note.name, "]"]),
                // Alternative text has no links: their targets become part of the text.
                NodeValue::Link(link) | NodeValue::Image(link) => alt.extend(["(", &link.url, ") "]),
                _ => {}
            }
        }
        ImageToken {
            target: link.url.clone(),
            title: link.title.clone(),
            alt: self.source.restore(&alt).into_owned(),
        }
    }
}

/// Matches each opening token with its closing one.
pub fn match_pairs(items: &[InlineToken]) -> Vec<Option<usize>> {
    html::match_pairs(items.iter().map(|item| match item {
        InlineToken::Html(HtmlToken::Open(element)) if !html::is_void(&element.name) => PairEdge::Open(&element.name),
        InlineToken::Html(HtmlToken::Close { name, .. }) => PairEdge::Close(name),
        InlineToken::Open(_) => PairEdge::Enter,
        InlineToken::Close => PairEdge::Leave,
        _ => PairEdge::Neither,
    }))
}

/// Converts HTML tokens: line ends in text become spaces, and shortcodes become emoji.
pub fn from_html(tokens: &[HtmlToken]) -> Vec<InlineToken> {
    let mut items = Vec::new();
    for token in tokens {
        match token {
            HtmlToken::Text(text) => split_shortcodes(text, &mut items),
            token => items.push(InlineToken::Html(token.clone())),
        }
    }
    trim(&mut items);
    items
}

fn split_shortcodes(text: &str, items: &mut Vec<InlineToken>) {
    let mut text = text;
    let mut plain = String::new();
    while let Some((before, after)) = text.split_once(':') {
        plain.push_str(before);
        let end = after.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '-')));
        let name = end.filter(|end| after.get(*end..).is_some_and(|rest| rest.starts_with(':')));
        let name = name.and_then(|end| after.get(..end)).unwrap_or_default();
        match emojis::get_by_shortcode(name) {
            Some(emoji) => {
                push_text(&plain, items);
                plain.clear();
                items.push(InlineToken::Emoji {
                    code: emoji_code(emoji.as_str()),
                    name: name.to_owned(),
                });
                text = after.get(name.len() + 1..).unwrap_or_default();
            }
            None => {
                plain.push(':');
                text = after;
            }
        }
    }
    plain.push_str(text);
    push_text(&plain, items);
}

fn push_text(raw: &str, items: &mut Vec<InlineToken>) {
    if raw.is_empty() {
        return;
    }
    // Line ends and indentation are only the layout of the HTML.
    let mut joined = String::with_capacity(raw.len());
    for (at, line) in raw.split('\n').enumerate() {
        match at {
            0 => joined.push_str(line),
            _ => {
                joined.truncate(joined.trim_end_matches([' ', '\t', '\r']).len());
                joined.push(' ');
                joined.push_str(line.trim_start_matches([' ', '\t']));
            }
        }
    }
    items.push(InlineToken::Html(HtmlToken::Text(joined)));
}

/// Trims spaces at both ends, unless written as an entity, and decodes entities.
fn trim(items: &mut Vec<InlineToken>) {
    const SPACE: [char; 4] = [' ', '\t', '\r', '\n'];
    if let Some(InlineToken::Html(HtmlToken::Text(text))) = items.first_mut() {
        *text = text.trim_start_matches(SPACE).to_owned();
    }
    if let Some(InlineToken::Html(HtmlToken::Text(text))) = items.last_mut() {
        text.truncate(text.trim_end_matches(SPACE).len());
    }
    items.retain(|item| !matches!(item, InlineToken::Html(HtmlToken::Text(text)) if text.is_empty()));
    for item in items {
        if let InlineToken::Html(HtmlToken::Text(text)) = item {
            *item = InlineToken::Text(entities::decode(text).into_owned());
        }
    }
}
