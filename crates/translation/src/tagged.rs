//! Inline nodes as text with tags, and back.
//!
//! `<g id="1">…</g>` stands for a link or for marks, whose words are translated, and `<x id="2"/>` for a node that stays as
//! it is. The nodes have the form of the contract.

use serde_json::{Value, json};

/// Inline content as tagged text, with what its tags stand for.
#[derive(Clone, Debug)]
pub struct Tagged {
    pub text: String,
    placeholders: Vec<Placeholder>,
}

#[derive(Clone, Debug)]
struct Placeholder {
    /// The group that the placeholder is in.
    parent: Option<usize>,
    content: Content,
    /// Whether the group has words.
    has_words: bool,
}

#[derive(Clone, Debug)]
enum Content {
    /// Words with these marks.
    Marks(Value),
    /// A link or an annotation, without its children.
    Inline(Value),
    Leaf(Value),
    Node(Value),
}

impl Content {
    fn is_group(&self) -> bool {
        matches!(self, Self::Marks(_) | Self::Inline(_))
    }
}

/// The error for a translation whose tags are not those of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagsDiffer;

/// Escapes text that stands beside tags.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

impl Tagged {
    pub fn of(nodes: &[Value]) -> Self {
        let mut encoder = Encoder::default();
        nodes.iter().for_each(|node| encoder.node(node));
        Self {
            text: encoder.text,
            placeholders: encoder.placeholders,
        }
    }

    /// Returns the nodes with the words of a translation, which has each tag once, in any order within its group.
    pub fn decode(&self, translation: &str) -> Result<Vec<Value>, TagsDiffer> {
        let mut decoder = Decoder {
            tagged: self,
            seen: vec![false; self.placeholders.len()],
            open: Vec::new(),
            pieces: vec![Vec::new()],
        };
        let mut rest = translation;
        while let Some(at) = rest.find('<') {
            let (text, tag) = rest.split_at(at);
            decoder.text(text)?;
            let end = tag.find('>').ok_or(TagsDiffer)?;
            let (tag, after) = tag.split_at(end + 1);
            decoder.tag(Tag::parse(tag)?)?;
            rest = after;
        }
        decoder.text(rest)?;
        decoder.finish()
    }
}

#[derive(Default)]
struct Encoder {
    text: String,
    placeholders: Vec<Placeholder>,
    open: Option<usize>,
}

impl Encoder {
    fn node(&mut self, node: &Value) {
        if member(node, "object") == "text" {
            list(node, "leaves").iter().for_each(|leaf| self.leaf(leaf));
            return;
        }
        match member(node, "type") {
            "link" | "annotation" => {
                let mut bare = node.clone();
                let children = bare.as_object_mut().and_then(|bare| bare.remove("nodes"));
                let children = children.unwrap_or_default();
                let outer = self.begin(Content::Inline(bare));
                children
                    .as_array()
                    .into_iter()
                    .flatten()
                    .for_each(|child| self.node(child));
                self.end(outer);
            }
            _ => self.void(Content::Node(node.clone())),
        }
    }

    fn leaf(&mut self, leaf: &Value) {
        let text = member(leaf, "text");
        let marks = leaf.get("marks").cloned().unwrap_or_else(|| json!([]));
        if leaf.get("source").is_some() || is_verbatim(&marks) {
            self.void(Content::Leaf(leaf.clone()));
        } else if marks.as_array().is_none_or(Vec::is_empty) {
            self.words(text, &marks);
        } else if text.trim().is_empty() {
            if !text.is_empty() {
                self.void(Content::Leaf(leaf.clone()));
            }
        } else {
            let outer = self.begin(Content::Marks(marks.clone()));
            self.words(text, &marks);
            self.end(outer);
        }
    }

    /// Line breaks are placeholders, because engines do not keep them.
    fn words(&mut self, text: &str, marks: &Value) {
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 {
                self.void(Content::Leaf(leaf("\n", marks)));
            }
            self.text.push_str(&escape(line));
            if !line.trim().is_empty() {
                self.set_words();
            }
        }
    }

    fn set_words(&mut self) {
        let mut group = self.open;
        while let Some(placeholder) = group.and_then(|id| self.placeholders.get_mut(id)) {
            placeholder.has_words = true;
            group = placeholder.parent;
        }
    }

    fn add(&mut self, content: Content) -> usize {
        self.placeholders.push(Placeholder {
            parent: self.open,
            content,
            has_words: false,
        });
        self.placeholders.len()
    }

    /// Returns the group around the new one.
    fn begin(&mut self, content: Content) -> Option<usize> {
        let number = self.add(content);
        self.text.push_str(&format!("<g id=\"{number}\">"));
        self.open.replace(number - 1)
    }

    fn end(&mut self, outer: Option<usize>) {
        self.text.push_str("</g>");
        self.open = outer;
    }

    fn void(&mut self, content: Content) {
        let number = self.add(content);
        self.text.push_str(&format!("<x id=\"{number}\"/>"));
    }
}

/// Code and keys are never translated.
fn is_verbatim(marks: &Value) -> bool {
    let marks = marks.as_array().into_iter().flatten();
    marks
        .map(|mark| member(mark, "type"))
        .any(|name| matches!(name, "code" | "keyboard"))
}

fn leaf(text: &str, marks: &Value) -> Value {
    json!({ "object": "leaf", "text": text, "marks": marks })
}

fn member<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

enum Tag {
    Open(usize),
    Close,
    Void(usize),
    /// The end of a void tag that an engine wrote as two tags.
    CloseVoid,
}

impl Tag {
    fn parse(tag: &str) -> Result<Self, TagsDiffer> {
        let inner = tag.trim_start_matches('<').trim_end_matches('>').trim();
        match inner.strip_prefix('/').map(str::trim) {
            Some("g") => return Ok(Self::Close),
            Some("x") => return Ok(Self::CloseVoid),
            Some(_) => return Err(TagsDiffer),
            None => {}
        }
        let inner = inner.trim_end_matches('/').trim();
        let (name, attribute) = inner.split_once(char::is_whitespace).ok_or(TagsDiffer)?;
        let (key, value) = attribute.split_once('=').ok_or(TagsDiffer)?;
        let number: usize = value.trim().trim_matches(['"', '\'']).parse().map_err(|_| TagsDiffer)?;
        let id = number.checked_sub(1).ok_or(TagsDiffer)?;
        match (name, key.trim()) {
            ("g", "id") => Ok(Self::Open(id)),
            ("x", "id") => Ok(Self::Void(id)),
            _ => Err(TagsDiffer),
        }
    }
}

/// A part of inline content.
enum Piece {
    Words { text: String, marks: Value },
    Leaf(Value),
    Node(Value),
}

struct Decoder<'t> {
    tagged: &'t Tagged,
    seen: Vec<bool>,
    open: Vec<usize>,
    /// The pieces at the top, and of each open group.
    pieces: Vec<Vec<Piece>>,
}

impl Decoder<'_> {
    fn push(&mut self, piece: Piece) -> Result<(), TagsDiffer> {
        self.pieces.last_mut().ok_or(TagsDiffer)?.push(piece);
        Ok(())
    }

    fn text(&mut self, escaped: &str) -> Result<(), TagsDiffer> {
        if escaped.is_empty() {
            return Ok(());
        }
        let marks = self.marks();
        let text = unescape(escaped);
        self.push(Piece::Words { text, marks })
    }

    fn marks(&self) -> Value {
        let innermost = self.open.last().and_then(|id| self.tagged.placeholders.get(*id));
        match innermost.map(|placeholder| &placeholder.content) {
            Some(Content::Marks(marks)) => marks.clone(),
            _ => json!([]),
        }
    }

    /// Takes a placeholder, which must not have been seen yet.
    fn take(&mut self, id: usize) -> Result<&Placeholder, TagsDiffer> {
        let seen = self.seen.get_mut(id).ok_or(TagsDiffer)?;
        if std::mem::replace(seen, true) {
            return Err(TagsDiffer);
        }
        let placeholder = self.tagged.placeholders.get(id).ok_or(TagsDiffer)?;
        let is_in_place = placeholder.parent == self.open.last().copied();
        is_in_place.then_some(placeholder).ok_or(TagsDiffer)
    }

    fn tag(&mut self, tag: Tag) -> Result<(), TagsDiffer> {
        match tag {
            Tag::Open(id) => {
                if !self.take(id)?.content.is_group() {
                    return Err(TagsDiffer);
                }
                self.open.push(id);
                self.pieces.push(Vec::new());
                Ok(())
            }
            Tag::Close => self.close(),
            Tag::Void(id) => {
                let piece = match &self.take(id)?.content {
                    Content::Leaf(leaf) => Piece::Leaf(leaf.clone()),
                    Content::Node(node) => Piece::Node(node.clone()),
                    Content::Marks(_) | Content::Inline(_) => return Err(TagsDiffer),
                };
                self.push(piece)
            }
            Tag::CloseVoid => Ok(()),
        }
    }

    fn close(&mut self) -> Result<(), TagsDiffer> {
        let id = self.open.pop().ok_or(TagsDiffer)?;
        let pieces = self.pieces.pop().ok_or(TagsDiffer)?;
        let placeholder = self.tagged.placeholders.get(id).ok_or(TagsDiffer)?;
        let has_words = |piece: &Piece| matches!(piece, Piece::Words { text, .. } if !text.trim().is_empty());
        if placeholder.has_words && !has_words_below(&pieces, &has_words) {
            return Err(TagsDiffer);
        }
        let (before, pieces, after) = without_outer_spaces(pieces);
        let spaces = |text: String| Piece::Words { text, marks: json!([]) };
        if !before.is_empty() {
            self.push(spaces(before))?;
        }
        match &placeholder.content {
            Content::Inline(bare) => {
                let mut node = bare.clone();
                if let Some(node) = node.as_object_mut() {
                    node.insert("nodes".to_owned(), Value::Array(nodes_of(pieces)));
                }
                self.push(Piece::Node(node))?;
            }
            _ => pieces.into_iter().try_for_each(|piece| self.push(piece))?,
        }
        if !after.is_empty() {
            self.push(spaces(after))?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<Value>, TagsDiffer> {
        let pieces = self.pieces.pop().ok_or(TagsDiffer)?;
        let is_complete = self.open.is_empty() && self.seen.iter().all(|seen| *seen);
        is_complete.then(|| nodes_of(pieces)).ok_or(TagsDiffer)
    }
}

/// Words of a link may be within marks of the link, which are pieces with a node around them by then.
fn has_words_below(pieces: &[Piece], has_words: &dyn Fn(&Piece) -> bool) -> bool {
    pieces.iter().any(|piece| match piece {
        Piece::Node(node) => list(node, "nodes")
            .iter()
            .any(|child| !list(child, "leaves").is_empty()),
        piece => has_words(piece),
    })
}

/// Spaces at the ends of a group are put outside: Markdown has no marks that begin or end with a space.
fn without_outer_spaces(mut pieces: Vec<Piece>) -> (String, Vec<Piece>, String) {
    let (mut before, mut after) = (String::new(), String::new());
    if let Some(Piece::Words { text, .. }) = pieces.first_mut() {
        let kept = text.trim_start().to_owned();
        before = text.get(..text.len() - kept.len()).unwrap_or_default().to_owned();
        *text = kept;
    }
    if let Some(Piece::Words { text, .. }) = pieces.last_mut() {
        let kept = text.trim_end().to_owned();
        after = text.get(kept.len()..).unwrap_or_default().to_owned();
        *text = kept;
    }
    (before, pieces, after)
}

/// Joins leaves to texts, and leaves with the same marks to one.
fn nodes_of(pieces: Vec<Piece>) -> Vec<Value> {
    let mut nodes = Vec::new();
    let mut leaves: Vec<Value> = Vec::new();
    let flush = |leaves: &mut Vec<Value>, nodes: &mut Vec<Value>| {
        if !leaves.is_empty() {
            nodes.push(json!({ "object": "text", "leaves": std::mem::take(leaves) }));
        }
    };
    for piece in pieces {
        match piece {
            Piece::Words { text, .. } if text.is_empty() => {}
            Piece::Words { text, marks } => add_leaf(&mut leaves, leaf(&text, &marks)),
            Piece::Leaf(leaf) => add_leaf(&mut leaves, leaf),
            Piece::Node(node) => {
                flush(&mut leaves, &mut nodes);
                nodes.push(node);
            }
        }
    }
    flush(&mut leaves, &mut nodes);
    nodes
}

fn add_leaf(leaves: &mut Vec<Value>, leaf: Value) {
    let joins = |last: &Value| {
        last.get("marks") == leaf.get("marks") && last.get("source").is_none() && leaf.get("source").is_none()
    };
    match leaves.last_mut().filter(|last| joins(last)) {
        Some(last) => {
            let joined = format!("{}{}", member(last, "text"), member(&leaf, "text"));
            if let Some(text) = last.get_mut("text") {
                *text = Value::String(joined);
            }
        }
        None => leaves.push(leaf),
    }
}

/// Decodes the entities of XML and HTML that engines write, and makes control characters spaces.
pub fn unescape(escaped: &str) -> String {
    let mut text = String::with_capacity(escaped.len());
    let mut rest = escaped;
    while let Some(at) = rest.find('&') {
        let (before, entity) = rest.split_at(at);
        text.push_str(before);
        let decoded = entity.split_once(';').and_then(|(name, after)| {
            let name = name.strip_prefix('&')?;
            Some((character(name)?, after))
        });
        match decoded {
            Some((character, after)) => {
                text.push(character);
                rest = after;
            }
            None => {
                text.push('&');
                rest = entity.get(1..).unwrap_or_default();
            }
        }
    }
    text.push_str(rest);
    text.replace(char::is_control, " ")
}

fn character(entity: &str) -> Option<char> {
    match entity {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some('\u{a0}'),
        numeric => {
            let digits = numeric.strip_prefix('#')?;
            let code = match digits.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => digits.parse().ok()?,
            };
            char::from_u32(code).filter(|character| *character != '\0')
        }
    }
}
