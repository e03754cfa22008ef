//! Blocks of HTML: those that mean something, and all others as text.

use super::{Reader, attribute_values::alignment, figures, frames::Frames, html_slice::Html, items};
use crate::{
    nodes::{make, unions::Whole as _},
    syntax::html::{self, Edge, Element, Token},
};

impl Reader<'_, '_> {
    pub(super) fn html_block(&mut self, html: &str, frames: &mut Frames) {
        let tokens = html::tokens(html);
        let partners = html::partners(tokens.iter().map(|token| match token {
            Token::Open(element) if !html::is_void(&element.name) => Edge::Open(&element.name),
            Token::Close { name, .. } => Edge::Close(name),
            _ => Edge::Neither,
        }));
        let whole = Html::new(&tokens, &partners);
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
            let nodes = self.inlines_of(items::of_tokens(line.tokens()), frames.depth());
            frames.push(make::paragraph(nodes).whole());
        }
    }

    /// A block that begins here and ends at the place that this gives. The line before it ends.
    fn structure(&mut self, html: Html<'_>, at: usize, line: usize, frames: &mut Frames) -> Option<usize> {
        let before = html.part(line, at);
        match html.tokens().get(at)? {
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
            let nodes = self.inlines_of(items::of_tokens(inner.tokens()), depth);
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
                    Some(level) => self.heading_of(items::of_tokens(inner.tokens()), level, align, depth),
                    None => make::aligned(self.inlines_of(items::of_tokens(inner.tokens()), depth), align).whole(),
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
