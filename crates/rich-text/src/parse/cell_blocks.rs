//! Blocks in cells of pipe tables: paragraphs, headings, lists, quotations and dividers in HTML, with Markdown in their lines.

use openapi::models::{DocumentBlock, ListItemBlock, TextAlignment};

use super::{
    MarkdownParser,
    attribute_values::alignment,
    blockquote, hoist,
    inline_tokens::{self, InlineToken, MarkdownSpan},
    lists::{ListKind, list_item, list_node},
};
use crate::{
    nodes::builders,
    syntax::html::{self, HtmlElement, HtmlToken},
};

/// Nesting levels of a list.
const LIST_LEVELS: usize = 2;

/// Returns whether the line of a cell has elements that are laid out as blocks.
pub fn has_blocks(items: &[InlineToken]) -> bool {
    items.iter().any(|item| block_name(item).is_some())
}

/// Returns the tokens without the tags of blocks, and with a blank between their contents.
pub fn as_one_line(items: Vec<InlineToken>) -> Vec<InlineToken> {
    if !has_blocks(&items) {
        return items;
    }
    let blank = InlineToken::Text(" ".to_owned());
    let mut line = Vec::with_capacity(items.len());
    for item in items {
        match block_name(&item) {
            Some(_) if line.is_empty() || line.last() == Some(&blank) => {}
            Some(_) => line.push(blank.clone()),
            None => line.push(item),
        }
    }
    trim(&mut line);
    line
}

/// Returns the name of a tag that ends one block and begins another one.
fn block_name(item: &InlineToken) -> Option<&str> {
    let name = match item {
        InlineToken::Html(HtmlToken::Open(element)) => &element.name,
        InlineToken::Html(HtmlToken::Close { name, .. }) => name,
        _ => return None,
    };
    (name == "pre" || html::is_block(name) && !html::is_opaque(name)).then_some(name)
}

/// The blocks of a cell so far.
#[derive(Default)]
struct CellBuilder {
    blocks: Vec<DocumentBlock>,
    line: Vec<InlineToken>,
    /// The spans that are open, which go on in the next block.
    spans: Vec<MarkdownSpan>,
    /// The level of the heading that is open.
    heading: Option<u8>,
    align: Option<TextAlignment>,
}

impl MarkdownParser<'_, '_> {
    /// Attributes of the elements are of the layout, apart from the alignment. A tag without its other half only separates.
    pub(super) fn cell_blocks(&mut self, items: &[InlineToken], depth: usize) -> Vec<DocumentBlock> {
        let pairs = inline_tokens::match_pairs(items);
        let mut cell = CellBuilder::default();
        let mut at = 0;
        while let Some(item) = items.get(at) {
            let end = pairs.get(at).copied().flatten().filter(|end| *end > at);
            let inner = end.and_then(|end| items.get(at + 1..end));
            at = match (self.cell_element(item, inner.unwrap_or_default(), depth), end) {
                (Some(blocks), Some(end)) => {
                    self.end_line(&mut cell, depth);
                    cell.blocks.extend(blocks);
                    end + 1
                }
                _ => {
                    self.cell_token(&mut cell, item, depth);
                    at + 1
                }
            };
        }
        self.end_line(&mut cell, depth);
        cell.blocks
    }

    fn cell_token(&mut self, cell: &mut CellBuilder, item: &InlineToken, depth: usize) {
        let name = block_name(item);
        match item {
            InlineToken::Html(HtmlToken::Open(element)) if name.is_some() => {
                self.end_line(cell, depth);
                if element.name == "hr" {
                    cell.blocks.push(builders::divider().into());
                }
                let level = element.name.strip_prefix('h').and_then(|level| level.parse().ok());
                cell.heading = level.filter(|level| (1..=6).contains(level));
                cell.align = element.attributes.clone().take_parsed("align", alignment);
            }
            _ if name.is_some() => {
                self.end_line(cell, depth);
                (cell.heading, cell.align) = (None, None);
            }
            item => {
                match item {
                    InlineToken::Open(span) => cell.spans.push(span.clone()),
                    InlineToken::Close => drop(cell.spans.pop()),
                    _ => {}
                }
                cell.line.push(item.clone());
            }
        }
    }

    /// Parses an element whose content is a list of blocks.
    fn cell_element(&mut self, item: &InlineToken, inner: &[InlineToken], depth: usize) -> Option<Vec<DocumentBlock>> {
        let InlineToken::Html(HtmlToken::Open(element)) = item else {
            return None;
        };
        (depth + LIST_LEVELS <= self.limits.depth && !inner.is_empty()).then_some(())?;
        match element.name.as_str() {
            "ul" | "ol" => self.cell_list(element, inner, depth).map(|list| vec![list]),
            "blockquote" => {
                let blocks = self.cell_blocks(inner, depth + 1);
                Some(hoist::split_container(blocks, blockquote))
            }
            _ => None,
        }
    }

    fn cell_list(&mut self, element: &HtmlElement, inner: &[InlineToken], depth: usize) -> Option<DocumentBlock> {
        let pairs = inline_tokens::match_pairs(inner);
        let is_item = |item: &InlineToken| matches!(item, InlineToken::Html(token) if token.opens("li"));
        let mut contents = Vec::new();
        let (mut from, mut at) = (0, 0);
        while at < inner.len() {
            if !inner.get(at).is_some_and(is_item) {
                at += 1;
                continue;
            }
            contents.push((from, at));
            let paired = pairs.get(at).copied().flatten();
            let following = || inner.iter().skip(at + 1).position(is_item).map(|next| at + 1 + next);
            let end = paired.or_else(following).unwrap_or(inner.len());
            contents.push((at + 1, end));
            from = end + usize::from(paired.is_some());
            at = from.max(at + 1);
        }
        contents.push((from, inner.len()));
        let mut items = Vec::new();
        for (number, (from, to)) in contents.into_iter().enumerate() {
            let content = inner.get(from..to).unwrap_or_default();
            let blocks = self.cell_blocks(content, depth + LIST_LEVELS);
            // Every other content is that between items.
            if number % 2 == 1 || !blocks.is_empty() {
                items.push(list_item(None, hoist::split_at_first::<ListItemBlock>(blocks).0));
            }
        }
        let number = |start: &str| start.parse::<usize>().ok().filter(|start| *start < 100_000_000);
        match element.name == "ol" {
            true => {
                let start = element.attributes.clone().take_parsed("start", number);
                list_node(ListKind::Ordered, start.unwrap_or(1), items)
            }
            false => list_node(ListKind::Unordered, 1, items),
        }
    }

    /// Adds the line as a block.
    fn end_line(&mut self, cell: &mut CellBuilder, depth: usize) {
        let mut items = std::mem::take(&mut cell.line);
        cell.line.extend(cell.spans.iter().cloned().map(InlineToken::Open));
        let is_blank = |item: &InlineToken| match item {
            InlineToken::Text(text) => text.trim().is_empty(),
            InlineToken::Open(_) | InlineToken::Close => true,
            _ => false,
        };
        if items.iter().all(is_blank) {
            return;
        }
        items.extend(cell.spans.iter().map(|_| InlineToken::Close));
        trim(&mut items);
        let block = match cell.heading {
            Some(level) => self.heading_from_tokens(items, level, cell.align, depth),
            None => builders::aligned_paragraph(self.inlines_of(items, depth), cell.align).into(),
        };
        cell.blocks.push(block);
    }
}

/// Trims blanks at both ends of a line.
fn trim(items: &mut Vec<InlineToken>) {
    if let Some(InlineToken::Text(text)) = items.first_mut() {
        *text = text.trim_start_matches(' ').to_owned();
    }
    if let Some(InlineToken::Text(text)) = items.last_mut() {
        text.truncate(text.trim_end_matches(' ').len());
    }
    items.retain(|item| !matches!(item, InlineToken::Text(text) if text.is_empty()));
}
