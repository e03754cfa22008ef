//! Containers: expandables, tabs, steps, columns, updates and prompts.

use openapi::models::{
    BlockColumns, BlockExpandable, BlockPrompt, BlockStepper, BlockTabs, BlockUpdates, DocumentBlockKind as Kind,
    ExpandableFragment, Length, UpdateBlock, VerticalAlignment,
};
use rich_text::plain_text;

use super::{Update, Writer, blocks::apart};

use crate::Html;

impl Writer<'_> {
    pub(super) fn expandable(&mut self, block: &BlockExpandable) {
        let id = self.take_id(block.meta.as_ref().map(|meta| meta.id.as_str()));
        let is_open = block.data.default_expanded == Some(true);
        drop(
            self.html
                .open("details")
                .attribute("class", "expandable")
                .optional("id", id)
                .flag("open", is_open),
        );
        let mut notes = Html::default();
        for fragment in &block.fragments {
            match fragment {
                ExpandableFragment::ExpandableTitleFragment(title) => {
                    self.html.markup("<summary dir=\"auto\">");
                    for paragraph in &title.nodes {
                        self.inlines(paragraph.nodes.as_deref().unwrap_or_default());
                    }
                    self.html.markup("</summary>");
                    // Within the closed body, they could not be shown.
                    notes = std::mem::take(&mut self.notes);
                }
                ExpandableFragment::ExpandableBodyFragment(body) => self.nested(&body.nodes),
            }
        }
        self.html.markup("</details>");
        self.notes.append(&notes);
    }

    /// Radio buttons whose labels are the titles: a style shows the panel after the one that is chosen.
    pub(super) fn tabs(&mut self, block: &BlockTabs) {
        let group = self.next_group();
        self.html.markup("<div class=\"tabs\">");
        for (number, tab) in block.nodes.as_deref().unwrap_or_default().iter().enumerate() {
            let id = format!("{group}-{number}");
            let title = tab.data.title.as_deref().unwrap_or_default();
            let choice = self
                .html
                .open("input")
                .attribute("type", "radio")
                .attribute("name", &group);
            drop(choice.attribute("id", &id).flag("checked", number == 0));
            drop(self.html.open("label").attribute("for", &id));
            self.icon_before(tab.data.icon.as_deref());
            self.html.text(if title.is_empty() { "–" } else { title });
            self.html.markup("</label>");
            let anchor = self.take_id(tab.meta.as_ref().map(|meta| meta.id.as_str()));
            drop(self.html.open("div").attribute("class", "tab").optional("id", anchor));
            self.nested(tab.nodes.as_deref().unwrap_or_default());
            self.html.markup("</div>");
        }
        self.html.markup("</div>");
    }

    pub(super) fn stepper(&mut self, block: &BlockStepper) {
        self.html.markup("<ol class=\"stepper\">");
        for step in block.nodes.as_deref().unwrap_or_default() {
            self.html.markup("<li>");
            self.icon_before(step.data.icon.as_deref());
            // Headings of steps are headings of the page.
            self.blocks(step.nodes.as_deref().unwrap_or_default());
            self.html.markup("</li>");
        }
        self.html.markup("</ol>");
    }

    pub(super) fn columns(&mut self, block: &BlockColumns) {
        self.html.markup("<div class=\"columns\">");
        for column in block.nodes.as_deref().unwrap_or_default() {
            let width = column.data.width.as_ref().and_then(width_class);
            let align = column.data.vertical_alignment.and_then(|align| match align {
                VerticalAlignment::Top => None,
                VerticalAlignment::Middle => Some("middle"),
                VerticalAlignment::Bottom => Some("bottom"),
            });
            let classes: Vec<&str> = ["column"].into_iter().chain(width.as_deref()).chain(align).collect();
            drop(self.html.open("div").attribute("class", &classes.join(" ")));
            self.nested(column.nodes.as_deref().unwrap_or_default());
            self.html.markup("</div>");
        }
        self.html.markup("</div>");
    }

    pub(super) fn updates(&mut self, block: &BlockUpdates) {
        for update in block.nodes.as_deref().unwrap_or_default() {
            let date = update.data.date.get(..10).unwrap_or(&update.data.date);
            let id = self.take_id(Some(date));
            let nodes = update.nodes.as_deref().unwrap_or_default();
            let html = apart(self, |writer| writer.blocks(nodes));
            drop(
                self.html
                    .open("section")
                    .attribute("class", "update")
                    .optional("id", id),
            );
            self.html.markup("<p class=\"when\">");
            drop(self.html.open("time").attribute("datetime", date));
            self.html.text(date);
            self.html.markup("</time>");
            for tag in update.data.tags.iter().flatten() {
                self.html.markup(" <span class=\"tag\">");
                self.html.text(&tag.tag);
                self.html.markup("</span>");
            }
            self.html.markup("</p>");
            self.html.append(&html);
            self.html.markup("</section>");
            if let Some(id) = id.filter(|_| self.nesting == 0) {
                self.updates.push(Update {
                    day: date.to_owned(),
                    id: id.to_owned(),
                    title: first_heading(nodes).unwrap_or_else(|| date.to_owned()),
                    html,
                });
            }
        }
    }

    pub(super) fn prompt(&mut self, block: &BlockPrompt) {
        self.html.markup("<details class=\"expandable\"><summary dir=\"auto\">");
        self.icon_before(block.data.icon.as_deref());
        self.html.text(&block.data.description);
        self.html.markup("</summary>");
        for code in block.nodes.as_deref().unwrap_or_default() {
            self.code(code);
        }
        self.html.markup("</details>");
    }
}

/// The class of a width in percent, in steps of five. `None`: the width is none.
pub(super) fn width_class(length: &Length) -> Option<String> {
    let percent = match length {
        Length::Object(length) if length.unit == "%" => length.value,
        Length::Number(share) if *share <= 1.0 => *share * 100.0,
        Length::Number(_) | Length::Object(_) => return None,
    };
    let steps = (1..=20_u32).min_by_key(|step| (f64::from(*step) * 5.0 - percent).abs().to_bits())?;
    Some(format!("w{}", steps * 5))
}

/// A width in pixels.
pub(super) fn pixels(length: &Length) -> Option<String> {
    let width = match length {
        Length::Number(width) => *width,
        Length::Object(length) if length.unit == "px" => length.value,
        Length::Object(_) => return None,
    };
    (width >= 1.0).then(|| format!("{width:.0}"))
}

fn first_heading(blocks: &[UpdateBlock]) -> Option<String> {
    let title = blocks.iter().find_map(|block| match block.kind() {
        Kind::BlockHeading1(it) => it.nodes.as_deref().map(plain_text),
        Kind::BlockHeading2(it) => it.nodes.as_deref().map(plain_text),
        Kind::BlockHeading3(it) => it.nodes.as_deref().map(plain_text),
        _ => None,
    });
    title.filter(|title| !title.trim().is_empty())
}
