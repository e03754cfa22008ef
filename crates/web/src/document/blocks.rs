//! Blocks of text.

use openapi::models::{
    BlockHint, BlockHintDataStyle, BlockListItem, BlockListOrdered, BlockListTasks, BlockListUnordered, BlockMath,
    BlockParagraph, BlockReusableContent, ContentRef, DocumentBlockKind as Kind, InlineNode, TextAlignment,
};
use rich_text::{BlockUnion, plain_text};

use super::{Heading, MAX_INCLUDED, Writer};

use crate::{Html, Icon, direction::direction_of, math};

impl Writer<'_> {
    pub(super) fn blocks<B: BlockUnion>(&mut self, blocks: &[B]) {
        for block in blocks {
            self.block(block.kind());
            let notes = std::mem::take(&mut self.notes);
            self.html.append(&notes);
        }
    }

    /// Adds blocks within a container, whose headings are no part of the outline.
    pub(super) fn nested<B: BlockUnion>(&mut self, blocks: &[B]) {
        self.nesting += 1;
        self.blocks(blocks);
        self.nesting -= 1;
    }

    fn block(&mut self, block: Kind<'_>) {
        match block {
            Kind::BlockParagraph(it) => self.paragraph(it),
            Kind::BlockHeading1(it) => {
                let id = it.meta.as_ref().map(|meta| meta.id.as_str()).or(it.data.id.as_deref());
                self.heading(1, id, it.data.align, it.nodes.as_deref());
            }
            Kind::BlockHeading2(it) => {
                let id = it.meta.as_ref().map(|meta| meta.id.as_str()).or(it.data.id.as_deref());
                self.heading(2, id, it.data.align, it.nodes.as_deref());
            }
            Kind::BlockHeading3(it) => {
                let id = it.meta.as_ref().map(|meta| meta.id.as_str()).or(it.data.id.as_deref());
                self.heading(3, id, it.data.align, it.nodes.as_deref());
            }
            Kind::BlockListOrdered(it) => self.ordered(it),
            Kind::BlockListUnordered(it) => self.unordered(it),
            Kind::BlockListTasks(it) => self.tasks(it),
            Kind::BlockDivider(_) => self.html.markup("<hr>"),
            Kind::BlockBlockquote(it) => {
                self.html.markup("<blockquote>");
                self.nested(it.nodes.as_deref().unwrap_or_default());
                self.html.markup("</blockquote>");
            }
            Kind::BlockHint(it) => self.hint(it),
            Kind::BlockImages(it) => self.images(it),
            Kind::BlockFile(it) => self.file(it),
            Kind::BlockDrawing(it) => self.drawing(it),
            Kind::BlockEmbed(it) => self.embed(it),
            Kind::BlockCode(it) => self.code(it),
            Kind::BlockMath(it) => self.math(it),
            Kind::BlockExpandable(it) => self.expandable(it),
            Kind::BlockTabs(it) => self.tabs(it),
            Kind::BlockTable(it) => self.table(it),
            Kind::BlockSwagger(it) => self.swagger(it),
            Kind::BlockOpenApiOperation(it) => self.operation(it),
            Kind::BlockOpenApiSchemas(it) => self.schemas(it),
            Kind::BlockOpenApiWebhook(it) => self.webhook(it),
            Kind::BlockContentRef(it) => self.content_ref(it),
            Kind::BlockIntegration(it) => self.integration(it),
            Kind::BlockReusableContent(it) => self.reusable_content(it),
            Kind::BlockStepper(it) => self.stepper(it),
            Kind::BlockColumns(it) => self.columns(it),
            // Blocks whose condition does not hold are not here.
            Kind::BlockIf(it) => self.blocks(it.nodes.as_deref().unwrap_or_default()),
            Kind::BlockPrompt(it) => self.prompt(it),
            Kind::BlockUpdates(it) => self.updates(it),
        }
    }

    pub(super) fn paragraph(&mut self, paragraph: &BlockParagraph) {
        let align = class_of(paragraph.data.as_ref().and_then(|data| data.align));
        drop(self.html.open("p").attribute("dir", "auto").optional("class", align));
        self.inlines(paragraph.nodes.as_deref().unwrap_or_default());
        self.html.markup("</p>");
    }

    fn heading(&mut self, level: u8, id: Option<&str>, align: Option<TextAlignment>, nodes: Option<&[InlineNode]>) {
        const NAMES: [&str; 3] = ["h2", "h3", "h4"];
        const ENDS: [&str; 3] = ["</h2>", "</h3>", "</h4>"];
        let at = usize::from(level.clamp(1, 3)) - 1;
        let (name, end) = (NAMES.get(at).unwrap_or(&"h2"), ENDS.get(at).unwrap_or(&"</h2>"));
        let nodes = nodes.unwrap_or_default();
        let id = self.take_id(id);
        let start = self.html.open(name).attribute("dir", "auto");
        drop(start.optional("id", id).optional("class", class_of(align)));
        self.inlines(nodes);
        if let Some(id) = id {
            let title = plain_text(nodes);
            let link = self.html.open("a").attribute("class", "anchor");
            drop(
                link.attribute("href", &format!("#{id}"))
                    .attribute("aria-label", &format!("{}: {title}", self.words.link_to)),
            );
            self.html.markup("</a>");
            if self.nesting == 0 {
                let id = id.to_owned();
                self.headings.push(Heading { level, id, title });
            }
        }
        self.html.markup(end);
    }

    fn ordered(&mut self, list: &BlockListOrdered) {
        let start = list
            .data
            .start
            .filter(|start| *start != 1)
            .map(|start| start.to_string());
        let direction = direction_of_items(list.nodes.as_deref());
        drop(
            self.html
                .open("ol")
                .optional("dir", direction)
                .optional("start", start.as_deref()),
        );
        self.items(list.nodes.as_deref());
        self.html.markup("</ol>");
    }

    fn unordered(&mut self, list: &BlockListUnordered) {
        drop(
            self.html
                .open("ul")
                .optional("dir", direction_of_items(list.nodes.as_deref())),
        );
        self.items(list.nodes.as_deref());
        self.html.markup("</ul>");
    }

    fn items(&mut self, items: Option<&[BlockListItem]>) {
        for item in items.unwrap_or_default() {
            self.html.markup("<li>");
            self.nested(item.nodes.as_deref().unwrap_or_default());
            self.html.markup("</li>");
        }
    }

    fn tasks(&mut self, list: &BlockListTasks) {
        let direction = direction_of_items(list.nodes.as_deref());
        drop(
            self.html
                .open("ul")
                .attribute("class", "tasks")
                .optional("dir", direction),
        );
        for item in list.nodes.as_deref().unwrap_or_default() {
            let is_done = item.data.as_ref().and_then(|data| data.checked) == Some(true);
            self.html.markup("<li>");
            self.mark_of(is_done);
            self.nested(item.nodes.as_deref().unwrap_or_default());
            self.html.markup("</li>");
        }
        self.html.markup("</ul>");
    }

    /// A box that is checked or not.
    pub(super) fn mark_of(&mut self, is_done: bool) {
        let (class, label) = match is_done {
            true => ("box done", self.words.done),
            false => ("box", self.words.to_do),
        };
        let mark = self
            .html
            .open("span")
            .attribute("class", class)
            .attribute("role", "img");
        drop(mark.attribute("aria-label", label));
        self.html.markup("</span>");
    }

    fn hint(&mut self, hint: &BlockHint) {
        let (class, label, icon) = match hint.data.style {
            BlockHintDataStyle::Info => ("hint info", self.words.info, "circle-info"),
            BlockHintDataStyle::Warning => ("hint warning", self.words.warning, "circle-exclamation"),
            BlockHintDataStyle::Danger => ("hint danger", self.words.danger, "triangle-exclamation"),
            BlockHintDataStyle::Success => ("hint success", self.words.success, "circle-check"),
        };
        let own = hint.data.icon.as_deref().and_then(Icon::named);
        let start = self
            .html
            .open("div")
            .attribute("class", class)
            .attribute("role", "note");
        drop(start.attribute("aria-label", label));
        if let Some(icon) = own.or_else(|| Icon::named(icon)) {
            icon.push(&mut self.html, "icon");
        }
        self.nested(hint.nodes.as_deref().unwrap_or_default());
        self.html.markup("</div>");
    }

    fn math(&mut self, formula: &BlockMath) {
        self.html.markup("<div class=\"math\" tabindex=\"0\">");
        math::push(&mut self.html, &formula.data.formula, true);
        self.html.markup("</div>");
    }

    fn reusable_content(&mut self, block: &BlockReusableContent) {
        let reference = ContentRef::ContentRefReusableContent(block.data.r#ref.clone());
        let targets = self.targets;
        if let Some(blocks) = targets
            .reusable_content(&reference)
            .filter(|_| self.included < MAX_INCLUDED)
        {
            self.included += 1;
            self.blocks(blocks);
            self.included -= 1;
        }
    }
}

pub(super) fn class_of(align: Option<TextAlignment>) -> Option<&'static str> {
    match align? {
        TextAlignment::Start => None,
        TextAlignment::Center => Some("center"),
        TextAlignment::End => Some("end"),
    }
}

/// Returns HTML that `write` adds, apart from what is there already.
pub(super) fn apart(writer: &mut Writer<'_>, write: impl FnOnce(&mut Writer<'_>)) -> Html {
    let before = std::mem::take(&mut writer.html);
    write(writer);
    std::mem::replace(&mut writer.html, before)
}

/// The direction of a list, which decides where its marks are: that of the text of its first item.
fn direction_of_items(items: Option<&[BlockListItem]>) -> Option<&'static str> {
    let first = items?.first()?.nodes.as_deref()?.first()?;
    match first.kind() {
        Kind::BlockParagraph(paragraph) => direction_of(&plain_text(paragraph.nodes.as_deref()?)),
        _ => None,
    }
}
