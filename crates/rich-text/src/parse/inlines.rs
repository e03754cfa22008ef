//! A row of items as nodes.

use comrak::Node;
use openapi::models::{Inline, InlineLink, InlineLinkData, InlineNode};

use super::{
    Reader,
    items::{self, Item, Span},
    leaves::{self, Enclosing},
    output::{self, Output},
};
use crate::{
    nodes::{
        emoji, make,
        marks::{Colors, Style},
        plain_text,
    },
    references::Role,
    syntax::html::{Element, Token},
};

/// What is in effect from one item to its partner.
enum Effect {
    Style(Style),
    Colors,
    /// A link or an annotation, with the nodes before it.
    Capture(Capture, Vec<InlineNode>),
}

enum Capture {
    Link { target: String, title: String },
    Note(String),
}

/// What is done with an item.
enum Step {
    Next,
    /// Everything up to this place is done.
    Skip(usize),
}

impl<'a> Reader<'a, '_> {
    pub(super) fn inlines(&mut self, node: Node<'a>, depth: usize) -> Vec<InlineNode> {
        let items = self.items(node);
        self.inlines_of(items, depth)
    }

    pub(super) fn inlines_of(&mut self, items: Vec<Item>, depth: usize) -> Vec<InlineNode> {
        let partners = items::partners(&items);
        let mut line = Line {
            reader: self,
            partners,
            effects: Vec::new(),
            captured: false,
            depth,
            output: Output::default(),
            items,
        };
        let mut at = 0;
        while at < line.items.len() {
            at = match line.item(at) {
                Step::Next => at + 1,
                Step::Skip(last) => last + 1,
            };
        }
        line.output.finish()
    }
}

struct Line<'l, 'a, 'r> {
    reader: &'l mut Reader<'a, 'r>,
    items: Vec<Item>,
    partners: Vec<Option<usize>>,
    /// By where they end.
    effects: Vec<(usize, Effect)>,
    /// Whether a link or an annotation is open: they do not lie in each other.
    captured: bool,
    depth: usize,
    output: Output,
}

impl Line<'_, '_, '_> {
    fn item(&mut self, at: usize) -> Step {
        let partner = self.partners.get(at).copied().flatten();
        let Some(item) = self.items.get_mut(at) else {
            return Step::Next;
        };
        // Items are looked at once, except those within something: they are still there.
        match std::mem::replace(item, Item::Text(String::new())) {
            Item::Text(text) => self.output.text(&text),
            Item::Break => self.output.text("\n"),
            Item::Code(text) => self.output.code(&text),
            Item::Formula(formula) => self.push(leaves::formula(&formula), &format!("$${formula}$$")),
            Item::Emoji { code, name } => {
                let shown = emoji::characters(&code).unwrap_or(name);
                self.push(leaves::emoji_of(&code), &shown);
            }
            Item::Note(name) => self.note(&name),
            Item::Image(picture) => match self.reader.inline_image(&picture) {
                Some(image) => self.output.inline(image),
                None => self
                    .output
                    .text(&format!("![{}]({} {})", picture.alt, picture.target, picture.title)),
            },
            Item::Html(token) => return self.html(token, at, partner),
            Item::Begin(Span::Style(style)) => self.begin_style(style, partner),
            Item::Begin(Span::Link { target, title }) => return self.link(target, title, partner),
            Item::End => self.end(at),
        }
        Step::Next
    }

    /// An inline; its words if a link is open, which takes only text and pictures.
    fn push(&mut self, inline: Option<Inline>, words: &str) {
        match inline {
            Some(inline) if !self.captured => self.output.inline(inline),
            _ => self.output.text(words),
        }
    }

    fn begin_style(&mut self, style: Style, partner: Option<usize>) {
        if let Some(end) = partner {
            self.output.open(style);
            self.effects.push((end, Effect::Style(style)));
        }
    }

    fn end(&mut self, at: usize) {
        let Some((_, effect)) = self.effects.pop_if(|(end, _)| *end == at) else {
            return;
        };
        match effect {
            Effect::Style(style) => self.output.close(style),
            Effect::Colors => self.output.close_colors(),
            Effect::Capture(capture, before) => {
                let nodes = self.output.leave(before);
                self.captured = false;
                self.captured(capture, nodes);
            }
        }
    }

    fn captured(&mut self, capture: Capture, nodes: Vec<InlineNode>) {
        match capture {
            Capture::Link { target, title } => match self.reader.reference(Role::Link, &target) {
                Some(reference) => {
                    self.output.inline(Inline::InlineLink(InlineLink {
                        object: Default::default(),
                        r#type: Default::default(),
                        key: None,
                        is_void: None,
                        data: InlineLinkData { r#ref: reference },
                        nodes: Some(output::link_nodes(nodes)),
                    }));
                    if !title.is_empty() {
                        self.output.text(&format!(" ({title})"));
                    }
                }
                None => {
                    let words = plain_text::of_line(&nodes);
                    self.output.text(&format!("[{words}]({target} {title})"));
                }
            },
            Capture::Note(name) => {
                let note = self.reader.annotation(&name, output::texts(nodes), self.depth);
                self.output.inline(note);
            }
        }
    }

    fn capture(&mut self, end: usize, capture: Capture) {
        let before = self.output.enter();
        self.captured = true;
        self.effects.push((end, Effect::Capture(capture, before)));
    }

    /// A link; before a reference to a footnote, that which the footnote explains.
    fn link(&mut self, target: String, title: String, partner: Option<usize>) -> Step {
        let Some(end) = partner else {
            return Step::Next;
        };
        if self.captured {
            // Its words stay where they are.
            self.output.text(&format!("({target} {title})"));
            return Step::Next;
        }
        if let Some(Item::Note(name)) = self.items.get(end + 1)
            && target.strip_prefix("#user-content-fn-") == Some(name)
            && self.reader.has_note(name, self.depth)
        {
            let name = name.clone();
            if let Some(reference) = self.items.get_mut(end + 1) {
                *reference = Item::Text(String::new());
            }
            self.capture(end, Capture::Note(name));
            return Step::Next;
        }
        if title == "mention" && self.says_no_more(end, &target) {
            let mention = self.reader.reference(Role::Link, &target).map(leaves::mention);
            if let Some(mention) = mention {
                self.output.inline(mention);
                return Step::Skip(end);
            }
        }
        self.capture(end, Capture::Link { target, title });
        Step::Next
    }

    /// Whether the words up to this place are a part of the target.
    fn says_no_more(&self, end: usize, target: &str) -> bool {
        let begin = self.partners.get(end).copied().flatten().unwrap_or(end);
        let inner = self.items.get(begin + 1..end).unwrap_or_default();
        leaves::plain(inner).is_some_and(|words| target.contains(&words))
    }

    fn note(&mut self, name: &str) {
        if !self.captured && self.reader.has_note(name, self.depth) {
            let text = make::plain(name);
            let note = self.reader.annotation(name, vec![text], self.depth);
            self.output.inline(note);
        } else {
            self.output.text(&format!("[^{name}]"));
        }
    }

    fn html(&mut self, token: Token, at: usize, partner: Option<usize>) -> Step {
        match (token, partner) {
            (Token::Open(element), Some(end)) if end > at => {
                let inner = self.items.get(at + 1..end).unwrap_or_default();
                match leaves::enclosing(&element, inner) {
                    Enclosing::Style(style) => self.begin_style(style, partner),
                    Enclosing::Colors(colors) => self.begin_colors(colors, end),
                    Enclosing::Link(target) if !self.captured => {
                        self.capture(
                            end,
                            Capture::Link {
                                target,
                                title: String::new(),
                            },
                        );
                    }
                    Enclosing::Note(name) if !self.captured && self.reader.has_note(&name, self.depth) => {
                        self.capture(end, Capture::Note(name));
                    }
                    Enclosing::Inline(inline) if !self.captured => {
                        self.output.inline(inline);
                        return Step::Skip(end);
                    }
                    Enclosing::Referring(referring) if !self.captured || referring.is_picture() => {
                        if let Some(inline) = self.reader.referring(referring) {
                            self.output.inline(inline);
                            return Step::Skip(end);
                        }
                        self.output.text(&element.raw);
                    }
                    _ => self.output.text(&element.raw),
                }
            }
            (Token::Open(element), _) => self.void(&element),
            (Token::Close { raw, .. }, Some(_)) => match self.effects.last() {
                Some((end, _)) if *end == at => self.end(at),
                _ => self.output.text(&raw),
            },
            (Token::Close { raw, .. } | Token::Text(raw), _) => self.output.text(&raw),
        }
        Step::Next
    }

    fn begin_colors(&mut self, colors: Colors, end: usize) {
        self.output.open_colors(colors);
        self.effects.push((end, Effect::Colors));
    }

    fn void(&mut self, element: &Element) {
        if element.name == "br" && element.attributes.done() {
            self.output.text("\n");
            return;
        }
        let image = match element.name.as_str() {
            "img" => self.reader.image_of_html(element, None),
            _ => None,
        };
        match image {
            Some(image) => self.output.inline(image),
            None => self.output.text(&element.raw),
        }
    }
}
