//! HTML tokenizer, and matching of opening and closing tags.

use std::collections::HashMap;

use super::attributes::{AttributeSyntax, Attributes};

#[derive(Clone, Debug, PartialEq)]
pub enum HtmlToken {
    Open(HtmlElement),
    Close {
        name: String,
        raw: String,
    },
    /// Everything else, including comments.
    Text(String),
}

#[derive(Clone, Debug, PartialEq)]
pub struct HtmlElement {
    pub name: String,
    pub attributes: Attributes,
    pub raw: String,
}

impl HtmlToken {
    pub fn opens(&self, name: &str) -> bool {
        matches!(self, Self::Open(element) if element.name == name)
    }

    pub fn is_tag(&self) -> bool {
        !matches!(self, Self::Text(_))
    }

    pub fn is_blank(&self) -> bool {
        matches!(self, Self::Text(text) if text.trim().is_empty())
    }
}

/// Returns whether an element has no content.
pub fn is_void(name: &str) -> bool {
    matches!(name, "br" | "img" | "hr" | "source" | "input")
}

/// Splits HTML into tokens. Every character is part of exactly one token.
pub fn tokenize(html: &str) -> Vec<HtmlToken> {
    let mut tokens = Vec::new();
    let mut rest = html;
    let mut text = String::new();
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        text.push_str(before);
        match parse_tag(tag) {
            Some((token, after)) => {
                if !text.is_empty() {
                    tokens.push(HtmlToken::Text(std::mem::take(&mut text)));
                }
                tokens.push(token);
                rest = after;
            }
            None => {
                text.push('<');
                rest = tag.get(1..).unwrap_or_default();
            }
        }
    }
    text.push_str(rest);
    if !text.is_empty() {
        tokens.push(HtmlToken::Text(text));
    }
    tokens
}

/// Parses a tag and returns the rest.
fn parse_tag(html: &str) -> Option<(HtmlToken, &str)> {
    let inner = html.strip_prefix('<')?;
    if let Some(inner) = inner.strip_prefix('/') {
        let (name, rest) = parse_name(inner)?;
        let rest = rest.trim_start().strip_prefix('>')?;
        let raw = html.get(..html.len() - rest.len())?.to_owned();
        return Some((HtmlToken::Close { name, raw }, rest));
    }
    let (name, rest) = parse_name(inner)?;
    let (attributes, rest) = Attributes::parse(rest, AttributeSyntax::Html)?;
    let rest = rest.strip_prefix('/').unwrap_or(rest).strip_prefix('>')?;
    let raw = html.get(..html.len() - rest.len())?.to_owned();
    let attributes = attributes.with_lower_case_names();
    Some((HtmlToken::Open(HtmlElement { name, attributes, raw }), rest))
}

fn parse_name(text: &str) -> Option<(String, &str)> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let (name, rest) = text.split_at(end.unwrap_or(text.len()));
    let first = name.chars().next()?;
    first.is_ascii_alphabetic().then(|| (name.to_ascii_lowercase(), rest))
}

/// An item of a list of tokens, as far as matching needs it.
pub enum PairEdge<'a> {
    Open(&'a str),
    Close(&'a str),
    /// The boundaries of a balanced span, which pairs of tags do not cross.
    Enter,
    Leave,
    Neither,
}

/// Returns the index of the matching item for each opening and closing one, in linear time even with unclosed tags.
pub fn match_pairs<'a>(edges: impl Iterator<Item = PairEdge<'a>>) -> Vec<Option<usize>> {
    let mut pairs = Vec::new();
    let mut open: Vec<(Option<&str>, usize)> = Vec::new();
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut floors = Vec::new();
    for (at, edge) in edges.enumerate() {
        pairs.push(None);
        let closes = match edge {
            PairEdge::Neither => continue,
            PairEdge::Open(name) => {
                by_name.entry(name).or_default().push(open.len());
                open.push((Some(name), at));
                continue;
            }
            PairEdge::Enter => {
                floors.push(open.len());
                open.push((None, at));
                continue;
            }
            PairEdge::Close(name) => {
                let floor = floors.last().map_or(0, |floor| floor + 1);
                by_name
                    .get(name)
                    .and_then(|places| places.last().copied())
                    .filter(|place| *place >= floor)
            }
            PairEdge::Leave => floors.pop(),
        };
        let Some(place) = closes else {
            continue;
        };
        while open.len() > place {
            let Some((name, from)) = open.pop() else {
                break;
            };
            if let Some(places) = name.and_then(|name| by_name.get_mut(name)) {
                places.pop();
            }
            if open.len() == place {
                pair(&mut pairs, from, at);
            }
        }
    }
    pairs
}

fn pair(pairs: &mut [Option<usize>], from: usize, to: usize) {
    if let Some(index) = pairs.get_mut(from) {
        *index = Some(to);
    }
    if let Some(index) = pairs.get_mut(to) {
        *index = Some(from);
    }
}
