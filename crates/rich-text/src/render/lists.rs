//! Lists and their items.

use openapi::models::{BlockListItem, BlockListOrdered};

use super::{Writer, blocks::Surroundings};
use crate::{
    nodes::plain_text::is_blank,
    nodes::unions::{Family as _, Kind},
    refusal::Refusal,
};

/// The largest number that begins an item.
const LARGEST: usize = 999_999_999;

impl<'d> Writer<'d, '_> {
    pub(super) fn ordered(&mut self, list: &'d BlockListOrdered, second: bool) -> Result<(), Refusal> {
        let items = self.items(list.nodes.as_deref())?;
        let start = usize::try_from(list.data.start.unwrap_or(1)).unwrap_or(usize::MAX);
        if start.saturating_add(items.len()) > LARGEST {
            return Err(self.refuse("list-number", "Items have numbers of at most nine digits."));
        }
        let sign = if second { ')' } else { '.' };
        for (index, item) in items.iter().enumerate() {
            let mark = format!("{}{sign} ", start + index);
            self.within("nodes", index, |writer| writer.item(item, &mark, false, true))?;
        }
        Ok(())
    }

    pub(super) fn bullets(
        &mut self,
        items: Option<&'d [BlockListItem]>,
        tasks: bool,
        second: bool,
    ) -> Result<(), Refusal> {
        let items = self.items(items)?;
        let mark = if second { "- " } else { "* " };
        for (index, item) in items.iter().enumerate() {
            self.within("nodes", index, |writer| writer.item(item, mark, tasks, second))?;
        }
        Ok(())
    }

    fn items(&self, items: Option<&'d [BlockListItem]>) -> Result<&'d [BlockListItem], Refusal> {
        match items {
            None | Some([]) => Err(self.refuse("empty-list", "A list without items has no form in Markdown.")),
            Some(items) => Ok(items),
        }
    }

    fn item(&mut self, item: &'d BlockListItem, mark: &str, task: bool, in_second_mark: bool) -> Result<(), Refusal> {
        let nodes = item.nodes.as_deref().unwrap_or_default();
        let indent = " ".repeat(mark.len());
        let inner = Surroundings {
            takes_images: false,
            in_second_mark,
        };
        if !task {
            self.out.enter(mark, &indent);
            self.deeper(2, |writer| writer.blocks("nodes", nodes, inner))?;
            self.out.leave();
            return Ok(());
        }
        let checked = item.data.as_ref().and_then(|data| data.checked).unwrap_or_default();
        let sign = if checked { "[x]" } else { "[ ]" };
        // The box belongs to the first words. Without words it stands on a line of its own.
        let has_words = nodes.first().is_some_and(|first| match first.kind() {
            Kind::BlockParagraph(paragraph) => {
                let align = paragraph.data.as_ref().and_then(|data| data.align);
                let says = !paragraph.nodes.iter().flatten().all(is_blank);
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
        self.deeper(2, |writer| writer.blocks("nodes", nodes, inner))?;
        self.out.leave();
        Ok(())
    }
}
