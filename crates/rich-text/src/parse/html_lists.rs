//! Lists and quotations in HTML.

use openapi::models::{DocumentBlock, ListItemBlock};

use super::{
    MarkdownParser, blockquote,
    container_kind::ContainerKind,
    hoist,
    html_slice::HtmlSlice,
    lists::{ListKind, list_item, list_node},
};
use crate::syntax::html::HtmlElement;

/// Nesting levels of a list, and of a quotation.
const LIST_LEVELS: usize = 2;

impl MarkdownParser<'_, '_> {
    /// `<ul><li>…</li></ul>` or `<ol start="3"><li>…</li></ol>`
    pub(super) fn html_list(
        &mut self,
        element: &HtmlElement,
        inner: HtmlSlice<'_>,
        depth: usize,
    ) -> Option<DocumentBlock> {
        let mut attributes = element.attributes.clone();
        let (kind, start) = match element.name == "ol" {
            true => {
                let number = |start: &str| start.parse::<usize>().ok().filter(|start| *start < 100_000_000);
                (ListKind::Ordered, attributes.take_parsed("start", number).unwrap_or(1))
            }
            false => (ListKind::Unordered, 1),
        };
        let elements = inner.elements("li")?;
        let is_plain = elements.iter().all(|(item, _)| item.attributes.all_consumed());
        let fits = depth + LIST_LEVELS <= self.limits.depth;
        (attributes.all_consumed() && is_plain && fits && !elements.is_empty()).then_some(())?;
        let mut items = Vec::new();
        for (_, inner) in elements {
            let blocks = self.html_blocks(inner, ContainerKind::ListItem, depth + LIST_LEVELS);
            let (nodes, _) = hoist::split_at_first::<ListItemBlock>(blocks);
            items.push(list_item(None, nodes));
        }
        list_node(kind, start, items)
    }

    pub(super) fn html_quote(
        &mut self,
        element: &HtmlElement,
        inner: HtmlSlice<'_>,
        depth: usize,
    ) -> Option<Vec<DocumentBlock>> {
        (element.attributes.all_consumed() && depth < self.limits.depth).then_some(())?;
        let blocks = self.html_blocks(inner, ContainerKind::Blockquote, depth + 1);
        Some(hoist::split_container(blocks, blockquote))
    }
}
