//! HTML blocks: known elements become blocks, everything else is text.

use super::{
    MarkdownParser, attribute_values::alignment, frame_stack::FrameStack, html_slice::HtmlSlice, images, inline_tokens,
};
use crate::{
    nodes::builders,
    syntax::html::{self, HtmlElement, HtmlToken, PairEdge},
};

impl MarkdownParser<'_, '_> {
    pub(super) fn html_block(&mut self, html: &str, frames: &mut FrameStack) {
        let tokens = html::tokenize(html);
        let pairs = html::match_pairs(tokens.iter().map(|token| match token {
            HtmlToken::Open(element) if !html::is_void(&element.name) => PairEdge::Open(&element.name),
            HtmlToken::Close { name, .. } => PairEdge::Close(name),
            _ => PairEdge::Neither,
        }));
        let whole = HtmlSlice::new(&tokens, &pairs);
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

    /// Adds the inline content between two blocks as a paragraph.
    fn html_line(&mut self, line: HtmlSlice<'_>, frames: &mut FrameStack) {
        if !line.is_blank() {
            let nodes = self.inlines_of(inline_tokens::from_html(line.tokens()), frames.depth());
            frames.push(builders::paragraph(nodes).into());
        }
    }

    /// Parses a block that begins at token `at` and returns its last token. The inline content since token `line`
    /// becomes a paragraph first.
    fn structure(&mut self, html: HtmlSlice<'_>, at: usize, line: usize, frames: &mut FrameStack) -> Option<usize> {
        let before = html.part(line, at);
        match html.tokens().get(at)? {
            HtmlToken::Close { name, .. } if name == "details" && frames.has_details() => {
                self.html_line(before, frames);
                self.close(frames, "details");
                Some(at)
            }
            HtmlToken::Open(element) if element.name == "details" => {
                let mut attributes = element.attributes.clone();
                let open = attributes.take_flag("open");
                (attributes.all_consumed() && frames.has_room(self.limits)).then_some(())?;
                self.html_line(before, frames);
                self.open_details(frames, open, &element.raw);
                Some(at)
            }
            HtmlToken::Open(element) if element.name == "hr" && element.attributes.all_consumed() => {
                self.html_line(before, frames);
                frames.push(builders::divider().into());
                Some(at)
            }
            HtmlToken::Open(element) if element.name == "img" => {
                let drawing = self.drawing(element)?;
                self.html_line(before, frames);
                frames.push(drawing);
                Some(at)
            }
            HtmlToken::Open(element) => {
                let end = html.end_of(at)?;
                let inner = html.part(at + 1, end);
                self.element(element, inner, before, frames).then_some(end)
            }
            _ => None,
        }
    }

    /// Parses an element with its content. Returns whether the element is known.
    fn element(
        &mut self,
        element: &HtmlElement,
        inner: HtmlSlice<'_>,
        before: HtmlSlice<'_>,
        frames: &mut FrameStack,
    ) -> bool {
        let depth = frames.depth();
        if element.name == "summary"
            && frames.expects_summary()
            && element.attributes.all_consumed()
            && before.is_blank()
        {
            let nodes = self.inlines_of(inline_tokens::from_html(inner.tokens()), depth);
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
                .map(|image| images::images(vec![image], images::default_data())),
            "div" => self.images_in_div(element, inner, depth),
            "pre" => self.html_code(element, inner, depth),
            "table" => self.html_table(element, inner, depth),
            name => {
                let align = attributes.take_parsed("align", alignment);
                let level = name.strip_prefix('h').and_then(|level| level.parse().ok());
                attributes.all_consumed().then(|| match level {
                    Some(level) => {
                        self.heading_from_tokens(inline_tokens::from_html(inner.tokens()), level, align, depth)
                    }
                    None => builders::aligned_paragraph(
                        self.inlines_of(inline_tokens::from_html(inner.tokens()), depth),
                        align,
                    )
                    .into(),
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
