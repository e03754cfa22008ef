//! Blocks as HTML, in cells of tables.

use openapi::error::ErrorRule;
use openapi::models::{BlockCode, BlockListItem, DocumentBlockKind, InlineNode, TextAlignment};

use super::{MarkdownRenderer, attributes::align_attribute};
use crate::{
    error::DocumentError,
    nodes::{plain_text, unions::BlockUnion},
    syntax::{escape::EscapeMode, html},
};

impl<'d> MarkdownRenderer<'d, '_> {
    pub(super) fn html_blocks<F: BlockUnion>(&mut self, blocks: &'d [F]) -> Result<String, DocumentError> {
        let mut html = String::new();
        for (index, block) in blocks.iter().enumerate() {
            let written = self.with_path("nodes", index, |renderer| renderer.html_block(block.kind()))?;
            html.push_str(&written);
        }
        Ok(html)
    }

    fn html_block(&mut self, block: DocumentBlockKind<'d>) -> Result<String, DocumentError> {
        match block {
            DocumentBlockKind::BlockParagraph(it) => {
                let nodes = it.nodes.as_deref().unwrap_or_default();
                let source = plain_text::only_source(nodes);
                if let Some(source) = source.filter(|source| html::is_whole_block(source)) {
                    return Ok(source.to_owned());
                }
                self.element_html("p", nodes, it.data.as_ref().and_then(|data| data.align))
            }
            DocumentBlockKind::BlockHeading1(it) => {
                self.element_html("h2", it.nodes.as_deref().unwrap_or_default(), it.data.align)
            }
            DocumentBlockKind::BlockHeading2(it) => {
                self.element_html("h3", it.nodes.as_deref().unwrap_or_default(), it.data.align)
            }
            DocumentBlockKind::BlockHeading3(it) => {
                self.element_html("h4", it.nodes.as_deref().unwrap_or_default(), it.data.align)
            }
            DocumentBlockKind::BlockListUnordered(it) => self.html_list("<ul>", it.nodes.as_deref(), "</ul>"),
            DocumentBlockKind::BlockListOrdered(it) => match it.data.start.filter(|start| *start != 1) {
                Some(start) => self.html_list(&format!("<ol start=\"{start}\">"), it.nodes.as_deref(), "</ol>"),
                None => self.html_list("<ol>", it.nodes.as_deref(), "</ol>"),
            },
            DocumentBlockKind::BlockDivider(_) => Ok("<hr>".to_owned()),
            DocumentBlockKind::BlockBlockquote(it) => {
                let inner = self.deeper(1, |renderer| {
                    renderer.html_blocks(it.nodes.as_deref().unwrap_or_default())
                })?;
                Ok(format!("<blockquote>{inner}</blockquote>"))
            }
            DocumentBlockKind::BlockImages(it) => self.images_html(it),
            DocumentBlockKind::BlockCode(it) => self.code_html(it),
            _ => Err(self.error(
                ErrorRule::TableCell,
                "A table cell can contain only paragraphs, headings, lists, dividers, quotations, images and code.",
            )),
        }
    }

    fn element_html(
        &mut self,
        name: &str,
        nodes: &'d [InlineNode],
        align: Option<TextAlignment>,
    ) -> Result<String, DocumentError> {
        let content = self.inlines(nodes, EscapeMode::Html)?;
        Ok(format!("<{name}{}>{content}</{name}>", align_attribute(align)))
    }

    fn html_list(
        &mut self,
        open: &str,
        items: Option<&'d [BlockListItem]>,
        close: &str,
    ) -> Result<String, DocumentError> {
        let mut html = open.to_owned();
        for (index, item) in items.unwrap_or_default().iter().enumerate() {
            let nodes = item.nodes.as_deref().unwrap_or_default();
            let content = self.with_path("nodes", index, |renderer| {
                renderer.deeper(2, |renderer| match nodes.first().map(BlockUnion::kind) {
                    Some(DocumentBlockKind::BlockParagraph(only)) if nodes.len() == 1 && is_bare(only) => {
                        renderer.inlines(only.nodes.as_deref().unwrap_or_default(), EscapeMode::Html)
                    }
                    _ => renderer.html_blocks(nodes),
                })
            })?;
            html.extend(["<li>", &content, "</li>"]);
        }
        html.push_str(close);
        Ok(html)
    }

    fn code_html(&mut self, code: &'d BlockCode) -> Result<String, DocumentError> {
        let lines = code.nodes.as_deref().unwrap_or_default();
        let html = self.code_lines_html(&code.data, lines)?;
        Ok(html.trim_end_matches('\n').replace('\n', "&#10;"))
    }

    /// Renders content that is nested this many levels deeper.
    fn deeper<T>(
        &mut self,
        levels: usize,
        write: impl FnOnce(&mut Self) -> Result<T, DocumentError>,
    ) -> Result<T, DocumentError> {
        let mut written = None;
        self.nested(levels, |renderer| {
            written = Some(write(renderer)?);
            Ok(())
        })?;
        written.ok_or_else(|| self.error(ErrorRule::TableCell, "The content of the cell cannot be rendered."))
    }
}

/// Returns whether a paragraph is only a line of text, without alignment.
fn is_bare(paragraph: &openapi::models::BlockParagraph) -> bool {
    let nodes = paragraph.nodes.as_deref().unwrap_or_default();
    let align = paragraph.data.as_ref().and_then(|data| data.align);
    align_attribute(align).is_empty() && !nodes.iter().all(plain_text::is_blank_inline)
}
