//! Lists and list items.

use openapi::models::{BlockListItem, BlockListOrdered, DocumentBlockKind};

use super::{Renderer, blocks::BlockContext};
use crate::{error::DocumentError, nodes::plain_text::is_blank_inline};

/// Largest item number that Markdown allows.
const LARGEST: usize = 999_999_999;

impl<'d> Renderer<'d, '_> {
    pub(super) fn ordered(&mut self, list: &'d BlockListOrdered, second: bool) -> Result<(), DocumentError> {
        let items = self.items(list.nodes.as_deref())?;
        let start = usize::try_from(list.data.start.unwrap_or(1)).unwrap_or(usize::MAX);
        if start.saturating_add(items.len()) > LARGEST {
            return Err(self.error(
                "list-number",
                "`data.start` is too large: item numbers have at most nine digits.",
            ));
        }
        let sign = if second { ')' } else { '.' };
        for (index, item) in items.iter().enumerate() {
            let mark = format!("{}{sign} ", start + index);
            self.within("nodes", index, |renderer| renderer.item(item, &mark, false, true))?;
        }
        Ok(())
    }

    pub(super) fn bullets(
        &mut self,
        items: Option<&'d [BlockListItem]>,
        tasks: bool,
        second: bool,
    ) -> Result<(), DocumentError> {
        let items = self.items(items)?;
        let mark = if second { "- " } else { "* " };
        for (index, item) in items.iter().enumerate() {
            self.within("nodes", index, |renderer| renderer.item(item, mark, tasks, second))?;
        }
        Ok(())
    }

    fn items(&self, items: Option<&'d [BlockListItem]>) -> Result<&'d [BlockListItem], DocumentError> {
        match items {
            None | Some([]) => Err(self.error(
                "empty-list",
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
        in_second_mark: bool,
    ) -> Result<(), DocumentError> {
        let nodes = item.nodes.as_deref().unwrap_or_default();
        let indent = " ".repeat(mark.len());
        let inner = BlockContext {
            takes_images: false,
            in_second_mark,
        };
        if !task {
            self.out.enter(mark, &indent);
            self.deeper(2, |renderer| renderer.blocks("nodes", nodes, inner))?;
            self.out.leave();
            return Ok(());
        }
        let checked = item.data.as_ref().and_then(|data| data.checked).unwrap_or_default();
        let sign = if checked { "[x]" } else { "[ ]" };
        // The checkbox precedes the text of the first paragraph. Without text it has a line of its own.
        let has_words = nodes.first().is_some_and(|first| match first.kind() {
            DocumentBlockKind::BlockParagraph(paragraph) => {
                let align = paragraph.data.as_ref().and_then(|data| data.align);
                let says = !paragraph.nodes.iter().flatten().all(is_blank_inline);
                says && super::blocks::align(align).is_empty()
            }
            _ => false,
        });
        let first = if has_words {
            format!("{mark}{sign} ")
        } else {
            mark.to_owned()
        };
        self.out.enter(&first, &indent);
        if !has_words {
            self.out.line(sign);
            if !nodes.is_empty() {
                self.out.line("");
            }
        }
        self.deeper(2, |renderer| renderer.blocks("nodes", nodes, inner))?;
        self.out.leave();
        Ok(())
    }
}
