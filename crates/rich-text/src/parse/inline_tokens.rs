//! Inline tokens: a flat list of Markdown inlines and HTML tags.

use std::borrow::Cow;

use comrak::{
    Node,
    arena_tree::NodeEdge,
    nodes::{NodeLink, NodeValue},
};

use super::{MarkdownParser, is_display_math};
use crate::{
    nodes::{emoji::emoji_code, marks::MarkStyle},
    syntax::{
        block_tags, entities,
        html::{self, HtmlToken, PairEdge},
        prepare::Placeholder,
    },
};

#[derive(Clone, Debug, PartialEq)]
pub enum InlineToken {
    Text(String),
    /// Unknown syntax, which keeps its source.
    Source(String),
    /// A line end, which readers see as a space.
    SoftBreak,
    Break,
    /// A run of one delimiter of emphasis, until `emphasis` resolves it.
    Delimiters {
        sign: char,
        length: usize,
    },
    Code(String),
    Formula(String),
    Emoji {
        code: String,
        name: String,
    },
    Footnote(String),
    /// Boxed, because lists of tokens are mostly text.
    Image(Box<ImageToken>),
    Html(HtmlToken),
    Open(MarkdownSpan),
    Close,
}

impl InlineToken {
    pub fn is_delimiter(&self) -> bool {
        matches!(self, Self::Delimiters { .. })
    }
}

/// The delimiters of emphasis.
const DELIMITERS: [char; 3] = ['*', '_', '~'];

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
    /// Returns the tokens of a paragraph, heading or table cell, with delimiter runs. Iterative, because emphasis can nest as
    /// deep as the line is long.
    pub(super) fn tokens(&self, node: Node<'a>) -> Vec<InlineToken> {
        let mut items = Vec::new();
        let has_runs = !self.has_encoded_delimiters(node);
        // The delimiters of the open emphasis.
        let mut signs = Vec::new();
        let mut edges = node.traverse();
        edges.next();
        while let Some(edge) = edges.next() {
            match edge {
                NodeEdge::End(end) => match &end.data().value {
                    NodeValue::Emph | NodeValue::Strong | NodeValue::Strikethrough if has_runs => {
                        if let Some((sign, length)) = signs.pop() {
                            push_delimiters(sign, length, &mut items);
                        }
                    }
                    NodeValue::Emph | NodeValue::Strong | NodeValue::Strikethrough | NodeValue::Link(_) => {
                        items.push(InlineToken::Close);
                    }
                    _ => {}
                },
                NodeEdge::Start(start) => match &start.data().value {
                    NodeValue::Image(link) => {
                        items.push(InlineToken::Image(Box::new(self.picture(start, link))));
                        // The token already has the alternative text.
                        for edge in edges.by_ref() {
                            if matches!(edge, NodeEdge::End(end) if end.same_node(start)) {
                                break;
                            }
                        }
                    }
                    NodeValue::ShortCode(emoji) if is_within_word(start) => {
                        items.push(InlineToken::Text(format!(":{}:", emoji.code)));
                    }
                    NodeValue::Emph | NodeValue::Strong | NodeValue::Strikethrough if has_runs => {
                        let (sign, length) = self.delimiters(start);
                        push_delimiters(sign, length, &mut items);
                        signs.push((sign, length));
                    }
                    NodeValue::Text(text) if has_runs && !is_literal(start) => self.push_text(text, &mut items),
                    NodeValue::Math(math) if has_runs && !is_display_math(math) && opens_emphasis(&math.literal) => {
                        self.push_text(&format!("${}$", math.literal), &mut items);
                    }
                    value => items.extend(self.item(value)),
                },
            }
        }
        items
    }

    /// Returns whether a character reference in a block is a delimiter: the syntax tree does not tell it from one that is
    /// written as such.
    fn has_encoded_delimiters(&self, node: Node<'a>) -> bool {
        let position = node.data().sourcepos;
        let range = self.source.offset(position.start).zip(self.source.offset(position.end));
        let written = range.and_then(|(start, end)| self.source.text.get(start..=end));
        let count = |text: &str| text.matches(DELIMITERS).count();
        written.is_some_and(|text| text.contains('&') && count(&entities::decode_attribute(text)) > count(text))
    }

    /// Returns the character and the length of the delimiters of emphasis.
    fn delimiters(&self, node: Node<'a>) -> (char, usize) {
        let data = node.data();
        let start = self.source.offset(data.sourcepos.start);
        let written = start
            .and_then(|start| self.source.text.get(start..))
            .unwrap_or_default();
        let is_underscore = written.starts_with('_');
        match &data.value {
            NodeValue::Strikethrough if written.starts_with('~') && !written.starts_with("~~") => ('~', 1),
            NodeValue::Strikethrough => ('~', 2),
            NodeValue::Strong => (if is_underscore { '_' } else { '*' }, 2),
            _ => (if is_underscore { '_' } else { '*' }, 1),
        }
    }

    /// Adds text, and the delimiter runs in it.
    fn push_text(&self, text: &str, items: &mut Vec<InlineToken>) {
        let Cow::Borrowed(mut rest) = self.source.restore(text) else {
            items.push(InlineToken::Text(self.source.restore(text).into_owned()));
            return;
        };
        while !rest.is_empty() {
            let (before, run) = rest.split_at(rest.find(DELIMITERS).unwrap_or(rest.len()));
            if !before.is_empty() {
                items.push(InlineToken::Text(before.to_owned()));
            }
            let Some(sign) = run.chars().next() else {
                return;
            };
            rest = run.trim_start_matches(sign);
            push_delimiters(sign, run.len() - rest.len(), items);
        }
    }

    fn item(&self, value: &NodeValue) -> Option<InlineToken> {
        Some(match value {
            NodeValue::Text(text) => InlineToken::Text(self.source.restore(text).into_owned()),
            NodeValue::SoftBreak => InlineToken::SoftBreak,
            NodeValue::LineBreak => InlineToken::Break,
            NodeValue::Code(code) => InlineToken::Code(self.source.restore(&code.literal).into_owned()),
            NodeValue::HtmlInline(html) => {
                if let Some(Placeholder::InlineTag(raw)) = self.source.placeholder(html) {
                    return Some(InlineToken::Source(raw.to_string())).filter(|_| !raw.is_empty());
                }
                let html = self.source.restore(html);
                let mut tokens = html::tokenize(&html).into_iter();
                match (tokens.next(), tokens.next()) {
                    (Some(token), None) => InlineToken::Html(token),
                    _ => InlineToken::Source(html.into_owned()),
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
                target: self.source.restore_decoded(&link.url).into_owned(),
                title: self.source.restore_decoded(&link.title).into_owned(),
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
                NodeValue::Link(link) if is_bare(inner, link) => {}
                NodeValue::Link(link) | NodeValue::Image(link) => alt.extend(["(", &link.url, ") "]),
                _ => {}
            }
        }
        ImageToken {
            target: self.source.restore_decoded(&link.url).into_owned(),
            title: self.source.restore_decoded(&link.title).into_owned(),
            alt: self.source.restore(&alt).into_owned(),
        }
    }
}

/// Adds delimiters, which form one run with those right before them.
fn push_delimiters(sign: char, length: usize, items: &mut Vec<InlineToken>) {
    match items.last_mut() {
        Some(InlineToken::Delimiters {
            sign: same,
            length: all,
        }) if *same == sign => *all += length,
        _ => items.push(InlineToken::Delimiters { sign, length }),
    }
}

/// Returns whether the text between two dollar signs ends with delimiters of which the second sign is emphasized.
fn opens_emphasis(text: &str) -> bool {
    let before = text.trim_end_matches(DELIMITERS);
    before.len() < text.len() && before.ends_with(char::is_whitespace)
}

/// Returns whether delimiters in a text are characters: they are escaped, or part of an address.
fn is_literal(text: Node<'_>) -> bool {
    text.parent().is_some_and(|parent| match &parent.data().value {
        NodeValue::Escaped => true,
        NodeValue::Link(link) => is_bare(parent, link),
        _ => false,
    })
}

/// Returns whether the words of a link are its address.
fn is_bare(node: Node<'_>, link: &NodeLink) -> bool {
    let mut children = node.children();
    match (children.next(), children.next()) {
        (Some(only), None) => match &only.data().value {
            NodeValue::Text(text) => link.url.ends_with(text.as_ref()),
            _ => false,
        },
        _ => false,
    }
}

/// Returns whether the text right before or after a shortcode continues a word: `host:key:port`.
fn is_within_word(node: Node<'_>) -> bool {
    let text = |node: Option<Node<'_>>, edge: fn(&str) -> Option<char>| {
        node.and_then(|node| match &node.data().value {
            NodeValue::Text(text) => edge(text),
            _ => None,
        })
    };
    let before = text(node.previous_sibling(), |text| text.chars().next_back());
    let after = text(node.next_sibling(), |text| text.chars().next());
    [before, after].into_iter().flatten().any(char::is_alphanumeric)
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
            HtmlToken::Text(text) => split_tags(text, &mut items),
            token => items.push(InlineToken::Html(token.clone())),
        }
    }
    trim(&mut items);
    items
}

/// Splits text at tags, which keep their source.
fn split_tags(text: &str, items: &mut Vec<InlineToken>) {
    let mut done = 0;
    while let Some(tag) = block_tags::find_inline(text, done) {
        split_shortcodes(text.get(done..tag.start).unwrap_or_default(), items);
        items.push(InlineToken::Source(
            text.get(tag.clone()).unwrap_or_default().to_owned(),
        ));
        done = tag.end;
    }
    split_shortcodes(text.get(done..).unwrap_or_default(), items);
}

fn split_shortcodes(text: &str, items: &mut Vec<InlineToken>) {
    let mut text = text;
    let mut plain = String::new();
    while let Some((before, after)) = text.split_once(':') {
        plain.push_str(before);
        let end = after.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '-')));
        let name = end.filter(|end| after.get(*end..).is_some_and(|rest| rest.starts_with(':')));
        let name = name.and_then(|end| after.get(..end)).unwrap_or_default();
        let rest = after.get(name.len() + 1..).unwrap_or_default();
        let edges = [plain.chars().next_back(), rest.chars().next()];
        let is_within_word = edges.into_iter().flatten().any(char::is_alphanumeric);
        match emojis::get_by_shortcode(name).filter(|_| !is_within_word) {
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
