//! Lists and list items.

use openapi::error::ErrorRule;
use openapi::models::{BlockListItem, BlockListOrdered, DocumentBlockKind};

use super::{MarkdownRenderer, blocks::BlockContext};
use crate::{error::DocumentError, nodes::plain_text::is_blank_inline};

/// Largest item number that Markdown allows.
const MAX_ITEM_NUMBER: usize = 999_999_999;

impl<'d> MarkdownRenderer<'d, '_> {
    pub(super) fn ordered_list(&mut self, list: &'d BlockListOrdered, alternate: bool) -> Result<(), DocumentError> {
        let items = self.items(list.nodes.as_deref())?;
        let start = usize::try_from(list.data.start.unwrap_or(1)).unwrap_or(usize::MAX);
        if start.saturating_add(items.len()) > MAX_ITEM_NUMBER {
            return Err(self.error(
                ErrorRule::ListNumber,
                "`data.start` is too large: item numbers have at most nine digits.",
            ));
        }
        let sign = if alternate { ')' } else { '.' };
        for (index, item) in items.iter().enumerate() {
            let mark = format!("{}{sign} ", start + index);
            self.with_path("nodes", index, |renderer| renderer.item(item, &mark, false, true))?;
        }
        Ok(())
    }

    pub(super) fn bullet_list(
        &mut self,
        items: Option<&'d [BlockListItem]>,
        tasks: bool,
        alternate: bool,
    ) -> Result<(), DocumentError> {
        let items = self.items(items)?;
        let mark = if alternate { "- " } else { "* " };
        for (index, item) in items.iter().enumerate() {
            self.with_path("nodes", index, |renderer| renderer.item(item, mark, tasks, alternate))?;
        }
        Ok(())
    }

    fn items(&self, items: Option<&'d [BlockListItem]>) -> Result<&'d [BlockListItem], DocumentError> {
        match items {
            None | Some([]) => Err(self.error(
                ErrorRule::EmptyList,
                "`nodes` is empty: Markdown cannot express a list without items.",
            )),
            Some(items) => Ok(items),
        }
    }

    fn item(
        &mut self,
        item: &'d BlockListItem,
        mark: &str,
        task: bool,
        in_alternate_list: bool,
    ) -> Result<(), DocumentError> {
        let nodes = item.nodes.as_deref().unwrap_or_default();
        let indent = " ".repeat(mark.len());
        let inner = BlockContext {
            lone_image_is_block: false,
            has_math: true,
            in_alternate_list,
        };
        if !task {
            self.out.enter(mark, &indent);
            self.nested(2, |renderer| renderer.blocks("nodes", nodes, inner))?;
            self.out.leave();
            return Ok(());
        }
        let checked = item.data.as_ref().and_then(|data| data.checked).unwrap_or_default();
        let checkbox = if checked { "[x]" } else { "[ ]" };
        // The checkbox precedes the text of the first paragraph. Without text it has a line of its own.
        let starts_with_text = nodes.first().is_some_and(|first| match first.kind() {
            DocumentBlockKind::BlockParagraph(paragraph) => {
                let align = paragraph.data.as_ref().and_then(|data| data.align);
                let has_text = !paragraph.nodes.iter().flatten().all(is_blank_inline);
                has_text && super::attributes::align_attribute(align).is_empty()
            }
            _ => false,
        });
        let first = if starts_with_text {
            format!("{mark}{checkbox} ")
        } else {
            mark.to_owned()
        };
        self.out.enter(&first, &indent);
        if !starts_with_text {
            self.out.line(checkbox);
            if !nodes.is_empty() {
                self.out.line("");
            }
        }
        self.nested(2, |renderer| renderer.blocks("nodes", nodes, inner))?;
        self.out.leave();
        Ok(())
    }
}
