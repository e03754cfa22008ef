//! HTML blocks: known elements become blocks, everything else keeps its source.

use openapi::models::DocumentBlock;

use super::{
    MarkdownParser,
    attribute_values::alignment,
    container_kind::ContainerKind,
    frame_stack::{ClosingTag, FrameStack},
    html_slice::HtmlSlice,
    images,
    inline_tokens::{self, InlineToken},
    sources,
};
use crate::{
    nodes::{builders, marks::MarkSet},
    syntax::html::{self, HtmlElement, HtmlToken, PairEdge},
};

impl MarkdownParser<'_, '_> {
    pub(super) fn html_block(&mut self, html: &str, frames: &mut FrameStack) {
        // An element that is left open would take in the text after the block.
        let closed = html::missing_end(html).map(|end| format!("{}\n{end}", html.trim_end()));
        let tokens = html::tokenize(closed.as_deref().unwrap_or(html));
        let pairs = html::match_pairs(tokens.iter().map(|token| match token {
            HtmlToken::Open(element) if !html::is_void(&element.name) => PairEdge::Open(&element.name),
            HtmlToken::Close { name, .. } => PairEdge::Close(name),
            _ => PairEdge::Neither,
        }));
        self.html_content(HtmlSlice::new(&tokens, &pairs), frames);
    }

    /// Parses the content of an element as blocks.
    fn html_content(&mut self, whole: HtmlSlice<'_>, frames: &mut FrameStack) {
        let mut line = 0;
        let mut at = 0;
        while at < whole.tokens().len() {
            let Some(end) = self.structure(whole, at, line, frames) else {
                at += 1;
                continue;
            };
            at = end + 1;
            line = at;
        }
        self.html_line(whole.part(line, whole.tokens().len()), frames);
    }

    /// Parses the content of an element as the blocks of a container.
    pub(super) fn html_blocks(
        &mut self,
        html: HtmlSlice<'_>,
        container: ContainerKind,
        depth: usize,
    ) -> Vec<DocumentBlock> {
        let mut frames = FrameStack::new(container, depth);
        self.html_content(html, &mut frames);
        frames.finish(self)
    }

    /// Adds the inline content between two blocks as a paragraph.
    fn html_line(&mut self, line: HtmlSlice<'_>, frames: &mut FrameStack) {
        if !line.is_blank() {
            let mut items = inline_tokens::from_html(line.tokens());
            if let [InlineToken::Source(_)] = items.as_slice() {
                // A tag on a line of its own would be a block.
                items.insert(0, InlineToken::Source("<!-- -->".to_owned()));
            }
            let nodes = self.inlines_of(items, frames.depth());
            frames.push(builders::paragraph(nodes).into());
        }
    }

    /// Parses a block that begins at token `at` and returns its last token. The inline content since token `line`
    /// becomes a paragraph first.
    fn structure(&mut self, html: HtmlSlice<'_>, at: usize, line: usize, frames: &mut FrameStack) -> Option<usize> {
        let before = html.part(line, at);
        match html.tokens().get(at)? {
            HtmlToken::Close { name, raw } if name == "details" && frames.has_details() => {
                self.html_line(before, frames);
                self.close(frames, "details", ClosingTag { raw, end: 0 });
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
            HtmlToken::Open(element) if element.name == "img" && frames.container().accepts("drawing") => {
                let drawing = self.drawing(element)?;
                self.html_line(before, frames);
                frames.push(drawing);
                Some(at)
            }
            HtmlToken::Open(element) => {
                let end = html.end_of(at)?;
                let inner = html.part(at + 1, end);
                if self.element(element, inner, before, frames) {
                    return Some(end);
                }
                let whole = html.part(at, end + 1);
                is_whole(element, whole).then_some(())?;
                self.html_line(before, frames);
                let source: String = whole.tokens().iter().map(HtmlToken::raw).collect();
                let visible = sources::visible_html(whole.tokens());
                frames.push(builders::source_paragraph(&source, visible, MarkSet::default()));
                Some(end)
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
        let (container, depth) = (frames.container(), frames.depth());
        if element.name == "summary"
            && frames.expects_summary()
            && element.attributes.all_consumed()
            && before.is_blank()
        {
            let nodes = self.inlines_of(inline_tokens::from_html(inner.tokens()), depth);
            self.summary(frames, nodes);
            return true;
        }
        let blocks = match element.name.as_str() {
            "figure" if container.accepts("images") => self
                .figure(element, inner, depth)
                .map(|image| vec![images::images(vec![image], images::default_data())]),
            "div" if container.accepts("images") => self.images_in_div(element, inner, depth).map(|block| vec![block]),
            "pre" if container.accepts("code") => self.html_code(element, inner, depth).map(|block| vec![block]),
            "table" if container.accepts("table") => self.html_table(element, inner, depth),
            "ul" | "ol" => self.html_list(element, inner, depth).map(|block| vec![block]),
            "blockquote" if container.accepts("blockquote") => self.html_quote(element, inner, depth),
            "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" if !inner.has_blocks() => {
                self.html_text(element, inner, depth).map(|block| vec![block])
            }
            _ => None,
        };
        let Some(blocks) = blocks else {
            return false;
        };
        self.html_line(before, frames);
        frames.extend(blocks);
        true
    }

    /// Parses a paragraph or a heading.
    fn html_text(&mut self, element: &HtmlElement, inner: HtmlSlice<'_>, depth: usize) -> Option<DocumentBlock> {
        let mut attributes = element.attributes.clone();
        let align = attributes.take_parsed("align", alignment);
        attributes.all_consumed().then_some(())?;
        let items = inline_tokens::from_html(inner.tokens());
        let level = element.name.strip_prefix('h').and_then(|level| level.parse().ok());
        Some(match level {
            Some(level) => self.heading_from_tokens(items, level, align, depth),
            None => builders::aligned_paragraph(self.inlines_of(items, depth), align).into(),
        })
    }
}

/// Returns whether an element is one block of unknown syntax. Other elements stay in the line: their tags keep their
/// source, and their content is parsed, so that readers see images.
fn is_whole(element: &HtmlElement, whole: HtmlSlice<'_>) -> bool {
    let has_image = whole.tokens().iter().any(|token| token.opens("img"));
    let is_layout =
        |name: &str| matches!(name, "div" | "center" | "p" | "figure" | "figcaption") || !html::is_block(name);
    let is_plain = whole.tokens().iter().all(|token| match token {
        HtmlToken::Open(inner) => is_layout(&inner.name),
        _ => true,
    });
    html::is_block(&element.name) && !(has_image && is_plain)
}
