//! Blocks of HTML: those that mean something, and all others as text.

use openapi::models::TextAlignment;

use super::{Reader, figures, frames::Frames, items};
use crate::{
    nodes::{family::Whole as _, make},
    source::html::{self, Edge, Element, Token},
};

/// A piece of HTML with the partners of its tags.
#[derive(Clone, Copy)]
pub struct Html<'h> {
    tokens: &'h [Token],
    partners: &'h [Option<usize>],
    /// Where the piece begins in the whole: partners are counted from there.
    offset: usize,
}

impl<'h> Html<'h> {
    fn part(self, from: usize, to: usize) -> Self {
        Self {
            tokens: self.tokens.get(from..to).unwrap_or_default(),
            partners: self.partners.get(from..to).unwrap_or_default(),
            offset: self.offset + from,
        }
    }

    fn skip_blank(self) -> Self {
        let blank = self.tokens.iter().take_while(|token| token.is_blank()).count();
        self.part(blank, self.tokens.len())
    }

    /// The place within this piece where an element that begins the piece ends.
    fn end_of(self, at: usize) -> Option<usize> {
        let end = self.partners.get(at).copied().flatten()?.checked_sub(self.offset)?;
        (end < self.tokens.len() && end > at).then_some(end)
    }

    pub fn is_blank(self) -> bool {
        self.tokens.iter().all(Token::is_blank)
    }

    /// The first token that is not only space, and what follows.
    pub fn first(self) -> Option<(&'h Token, Self)> {
        let html = self.skip_blank();
        Some((html.tokens.first()?, html.part(1, html.tokens.len())))
    }

    /// The content of an element that comes first, and what follows it.
    pub fn first_element(self, name: &str) -> Option<(Self, Self)> {
        let html = self.skip_blank();
        html.tokens.first()?.opens(name).then_some(())?;
        let end = html.end_of(0)?;
        Some((html.part(1, end), html.part(end + 1, html.tokens.len())))
    }

    /// All elements, if there are only elements of this name.
    pub fn elements(self, name: &str) -> Option<Vec<(&'h Element, Self)>> {
        self.elements_of(&[name])
    }

    pub fn elements_of(self, names: &[&str]) -> Option<Vec<(&'h Element, Self)>> {
        let mut found = Vec::new();
        let mut rest = self;
        while !rest.is_blank() {
            let (Token::Open(element), _) = rest.first()? else {
                return None;
            };
            names.contains(&element.name.as_str()).then_some(())?;
            let (inner, after) = rest.first_element(&element.name)?;
            found.push((element, inner));
            rest = after;
        }
        Some(found)
    }

    /// Without the first token.
    pub fn after(self) -> Self {
        self.part(1, self.tokens.len())
    }

    pub fn tokens(self) -> &'h [Token] {
        self.tokens
    }

    pub fn items(self) -> Vec<items::Item> {
        items::of_tokens(self.tokens)
    }
}

/// `left` and `right` are those of a text that runs from left to right.
pub fn alignment(word: &str) -> Option<TextAlignment> {
    match word {
        "left" | "start" => Some(TextAlignment::Start),
        "center" => Some(TextAlignment::Center),
        "right" | "end" => Some(TextAlignment::End),
        _ => None,
    }
}

impl Reader<'_, '_> {
    pub(super) fn html_block(&mut self, html: &str, frames: &mut Frames) {
        let tokens = html::tokens(html);
        let partners = html::partners(tokens.iter().map(|token| match token {
            Token::Open(element) if !html::is_void(&element.name) => Edge::Open(&element.name),
            Token::Close { name, .. } => Edge::Close(name),
            _ => Edge::Neither,
        }));
        let whole = Html {
            tokens: &tokens,
            partners: &partners,
            offset: 0,
        };
        let mut line = 0;
        let mut at = 0;
        while at < tokens.len() {
            let Some(end) = self.structure(whole, at, line, frames) else {
                at += 1;
                continue;
            };
            at = end + 1;
            line = at;
        }
        self.html_line(whole.part(line, tokens.len()), frames);
    }

    /// What stands between blocks is a line of text.
    fn html_line(&mut self, line: Html<'_>, frames: &mut Frames) {
        if !line.is_blank() {
            let nodes = self.inlines_of(line.items(), frames.depth());
            frames.push(make::paragraph(nodes).whole());
        }
    }

    /// A block that begins here and ends at the place that this gives. The line before it ends.
    fn structure(&mut self, html: Html<'_>, at: usize, line: usize, frames: &mut Frames) -> Option<usize> {
        let before = html.part(line, at);
        match html.tokens.get(at)? {
            Token::Close { name, .. } if name == "details" && frames.has_details() => {
                self.html_line(before, frames);
                self.close(frames, "details");
                Some(at)
            }
            Token::Open(element) if element.name == "details" => {
                let mut attributes = element.attributes.clone();
                let open = attributes.take_flag("open");
                (attributes.done() && frames.has_room(self.limits)).then_some(())?;
                self.html_line(before, frames);
                self.open_details(frames, open, &element.raw);
                Some(at)
            }
            Token::Open(element) if element.name == "hr" && element.attributes.done() => {
                self.html_line(before, frames);
                frames.push(make::divider().whole());
                Some(at)
            }
            Token::Open(element) if element.name == "img" => {
                let drawing = self.drawing(element)?;
                self.html_line(before, frames);
                frames.push(drawing);
                Some(at)
            }
            Token::Open(element) => {
                let end = html.end_of(at)?;
                let inner = html.part(at + 1, end);
                self.element(element, inner, before, frames).then_some(end)
            }
            _ => None,
        }
    }

    /// An element with all that is in it. Answers whether it was understood.
    fn element(&mut self, element: &Element, inner: Html<'_>, before: Html<'_>, frames: &mut Frames) -> bool {
        let depth = frames.depth();
        if element.name == "summary" && frames.wants_summary() && element.attributes.done() && before.is_blank() {
            let nodes = self.inlines_of(inner.items(), depth);
            self.summary(frames, nodes);
            return true;
        }
        if !matches!(
            element.name.as_str(),
            "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "figure" | "div" | "pre" | "table"
        ) {
            return false;
        }
        let mut attributes = element.attributes.clone();
        let block = match element.name.as_str() {
            "figure" => self
                .figure(element, inner, depth)
                .map(|image| figures::images(vec![image], figures::plain_data())),
            "div" => self.images_in_div(element, inner, depth),
            "pre" => self.marked_code(element, inner, depth),
            "table" => self.html_table(element, inner, depth),
            name => {
                let align = attributes.take_as("align", alignment);
                let level = name.strip_prefix('h').and_then(|level| level.parse().ok());
                attributes.done().then(|| match level {
                    Some(level) => self.heading_of(inner.items(), level, align, depth),
                    None => make::aligned(self.inlines_of(inner.items(), depth), align).whole(),
                })
            }
        };
        let Some(block) = block else {
            return false;
        };
        self.html_line(before, frames);
        frames.push(block);
        true
    }
}
