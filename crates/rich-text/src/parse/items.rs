//! A line of text as a flat row: what the parser found and tags of HTML alike.

use comrak::{
    Node,
    arena_tree::NodeEdge,
    nodes::{NodeLink, NodeValue},
};

use super::{Reader, is_formula};
use crate::{
    nodes::{emoji::code_of, marks::Style},
    syntax::{
        entities,
        html::{self, Edge, Token},
    },
};

#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    Text(String),
    Break,
    Code(String),
    Formula(String),
    Emoji { code: String, name: String },
    Note(String),
    Image(Picture),
    Html(Token),
    Begin(Span),
    End,
}

/// What encloses other items.
#[derive(Clone, Debug, PartialEq)]
pub enum Span {
    Style(Style),
    Link { target: String, title: String },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    pub target: String,
    pub title: String,
    pub alt: String,
}

impl<'a> Reader<'a, '_> {
    /// The items of a paragraph, a heading or a cell. Without recursion: emphasis nests as deep as a line is long.
    pub(super) fn items(&self, node: Node<'a>) -> Vec<Item> {
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
                        items.push(Item::End);
                    }
                }
                NodeEdge::Start(start) => match &start.data().value {
                    NodeValue::Image(link) => {
                        items.push(Item::Image(self.picture(start, link)));
                        // Its description has been read.
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

    fn item(&self, value: &NodeValue) -> Option<Item> {
        Some(match value {
            NodeValue::Text(text) => Item::Text(text.to_string()),
            NodeValue::SoftBreak => Item::Text(" ".to_owned()),
            NodeValue::LineBreak => Item::Break,
            NodeValue::Code(code) => Item::Code(self.source.restore(&code.literal).into_owned()),
            NodeValue::HtmlInline(html) => {
                let html = self.source.restore(html);
                let mut tokens = html::tokens(&html).into_iter();
                match (tokens.next(), tokens.next()) {
                    (Some(token), None) => Item::Html(token),
                    _ => Item::Html(Token::Text(html.into_owned())),
                }
            }
            NodeValue::Math(math) if is_formula(math) => Item::Formula(self.source.restore(&math.literal).into_owned()),
            NodeValue::Math(math) => Item::Text(format!("${}$", self.source.restore(&math.literal))),
            NodeValue::ShortCode(emoji) => Item::Emoji {
                code: code_of(&emoji.emoji),
                name: emoji.code.clone(),
            },
            NodeValue::FootnoteReference(note) => Item::Note(note.name.clone()),
            NodeValue::Emph => Item::Begin(Span::Style(Style::Italic)),
            NodeValue::Strong => Item::Begin(Span::Style(Style::Bold)),
            NodeValue::Strikethrough => Item::Begin(Span::Style(Style::Strikethrough)),
            NodeValue::Link(link) => Item::Begin(Span::Link {
                target: link.url.clone(),
                title: link.title.clone(),
            }),
            _ => return None,
        })
    }

    pub(super) fn picture(&self, node: Node<'a>, link: &NodeLink) -> Picture {
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
                // A description has no links: their targets are words of it.
                NodeValue::Link(link) | NodeValue::Image(link) => alt.extend(["(", &link.url, ") "]),
                _ => {}
            }
        }
        Picture {
            target: link.url.clone(),
            title: link.title.clone(),
            alt: self.source.restore(&alt).into_owned(),
        }
    }
}

/// For each item that begins something the place of its end.
pub fn partners(items: &[Item]) -> Vec<Option<usize>> {
    html::partners(items.iter().map(|item| match item {
        Item::Html(Token::Open(element)) if !html::is_void(&element.name) => Edge::Open(&element.name),
        Item::Html(Token::Close { name, .. }) => Edge::Close(name),
        Item::Begin(_) => Edge::Enter,
        Item::End => Edge::Leave,
        _ => Edge::Neither,
    }))
}

/// Items of HTML: texts with their line ends as spaces, and emoji in them.
pub fn of_tokens(tokens: &[Token]) -> Vec<Item> {
    let mut items = Vec::new();
    for token in tokens {
        match token {
            Token::Text(text) => of_text(text, &mut items),
            token => items.push(Item::Html(token.clone())),
        }
    }
    trim(&mut items);
    items
}

fn of_text(text: &str, items: &mut Vec<Item>) {
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
                items.push(Item::Emoji {
                    code: code_of(emoji.as_str()),
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

fn push_text(raw: &str, items: &mut Vec<Item>) {
    if raw.is_empty() {
        return;
    }
    // Line ends and the indentation after them are only how the HTML is laid out.
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
    items.push(Item::Html(Token::Text(joined)));
}

/// Without the space around, which was not written as an entity.
fn trim(items: &mut Vec<Item>) {
    const SPACE: [char; 4] = [' ', '\t', '\r', '\n'];
    if let Some(Item::Html(Token::Text(text))) = items.first_mut() {
        *text = text.trim_start_matches(SPACE).to_owned();
    }
    if let Some(Item::Html(Token::Text(text))) = items.last_mut() {
        text.truncate(text.trim_end_matches(SPACE).len());
    }
    items.retain(|item| !matches!(item, Item::Html(Token::Text(text)) if text.is_empty()));
    for item in items {
        if let Item::Html(Token::Text(text)) = item {
            *item = Item::Text(entities::decode(text).into_owned());
        }
    }
}
