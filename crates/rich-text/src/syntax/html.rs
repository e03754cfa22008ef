//! HTML as a flat row of tags and texts, and which closing tag belongs to which opening one.

use std::collections::HashMap;

use super::attributes::{Attributes, Syntax};

#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    Open(Element),
    Close {
        name: String,
        raw: String,
    },
    /// Everything else, comments too, as it was written.
    Text(String),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    pub name: String,
    pub attributes: Attributes,
    pub raw: String,
}

impl Token {
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

/// Elements that have no content.
pub fn is_void(name: &str) -> bool {
    matches!(name, "br" | "img" | "hr" | "source" | "input")
}

/// All tokens of a piece of HTML. Every character is in exactly one of them.
pub fn tokens(html: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = html;
    let mut text = String::new();
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        text.push_str(before);
        match read_tag(tag) {
            Some((token, after)) => {
                if !text.is_empty() {
                    found.push(Token::Text(std::mem::take(&mut text)));
                }
                found.push(token);
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
        found.push(Token::Text(text));
    }
    found
}

/// A tag that begins here, and what follows it.
fn read_tag(html: &str) -> Option<(Token, &str)> {
    let inner = html.strip_prefix('<')?;
    if let Some(inner) = inner.strip_prefix('/') {
        let (name, rest) = read_name(inner)?;
        let rest = rest.trim_start().strip_prefix('>')?;
        let raw = html.get(..html.len() - rest.len())?.to_owned();
        return Some((Token::Close { name, raw }, rest));
    }
    let (name, rest) = read_name(inner)?;
    let (attributes, rest) = Attributes::read(rest, Syntax::Html)?;
    let rest = rest.strip_prefix('/').unwrap_or(rest).strip_prefix('>')?;
    let raw = html.get(..html.len() - rest.len())?.to_owned();
    let attributes = attributes.lower();
    Some((Token::Open(Element { name, attributes, raw }), rest))
}

fn read_name(text: &str) -> Option<(String, &str)> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let (name, rest) = text.split_at(end.unwrap_or(text.len()));
    let first = name.chars().next()?;
    first.is_ascii_alphabetic().then(|| (name.to_ascii_lowercase(), rest))
}

/// What the search for pairs sees of a row of things.
pub enum Edge<'a> {
    Open(&'a str),
    Close(&'a str),
    /// Something that encloses others and is balanced by itself; pairs do not cross its borders.
    Enter,
    Leave,
    Neither,
}

/// For each opening thing the place of its end, and the other way round. In linear time, whatever is left unclosed.
pub fn partners<'a>(edges: impl Iterator<Item = Edge<'a>>) -> Vec<Option<usize>> {
    let mut partners = Vec::new();
    let mut open: Vec<(Option<&str>, usize)> = Vec::new();
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut floors = Vec::new();
    for (at, edge) in edges.enumerate() {
        partners.push(None);
        let closes = match edge {
            Edge::Neither => continue,
            Edge::Open(name) => {
                by_name.entry(name).or_default().push(open.len());
                open.push((Some(name), at));
                continue;
            }
            Edge::Enter => {
                floors.push(open.len());
                open.push((None, at));
                continue;
            }
            Edge::Close(name) => {
                let floor = floors.last().map_or(0, |floor| floor + 1);
                by_name
                    .get(name)
                    .and_then(|places| places.last().copied())
                    .filter(|place| *place >= floor)
            }
            Edge::Leave => floors.pop(),
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
                pair(&mut partners, from, at);
            }
        }
    }
    partners
}

fn pair(partners: &mut [Option<usize>], from: usize, to: usize) {
    if let Some(partner) = partners.get_mut(from) {
        *partner = Some(to);
    }
    if let Some(partner) = partners.get_mut(to) {
        *partner = Some(from);
    }
}
