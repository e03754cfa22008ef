//! Blocks, one after another.

use openapi::models::{
    BlockDivider, BlockHeading1, BlockHeading2, BlockHeading3, BlockMath, BlockParagraph, Inline, InlineNode,
    TextAlignment,
};

use super::{Writer, leaves::attribute};
use crate::{
    nodes::plain_text::is_blank,
    nodes::unions::{Family, Kind},
    refusal::Refusal,
    syntax::escape::Mode,
};

/// What matters of the place where blocks stand.
#[derive(Clone, Copy)]
pub struct Surroundings {
    /// Whether a picture on its own is a block of pictures there.
    pub takes_images: bool,
    /// Which of the two marks the list of bullets has in which they stand: one that begins an item has the other.
    pub in_second_mark: bool,
}

impl Surroundings {
    pub const DOCUMENT: Self = Self {
        takes_images: true,
        in_second_mark: true,
    };
    pub const INNER: Self = Self {
        takes_images: false,
        in_second_mark: true,
    };
}

/// What matters for one block.
#[derive(Clone, Copy)]
pub struct Place {
    takes_images: bool,
    /// Whether a list has the second of the two marks that there are for it.
    pub second_mark: bool,
}

/// Which lists would become one if they followed each other with the same mark.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Marks {
    Bullets,
    Numbers,
}

impl<'d> Writer<'d, '_> {
    pub(super) fn blocks<F: Family>(
        &mut self,
        member: &'static str,
        blocks: &'d [F],
        around: Surroundings,
    ) -> Result<(), Refusal> {
        let mut last: Option<(Marks, bool)> = None;
        for (index, block) in blocks.iter().enumerate() {
            let block = block.kind();
            if index > 0 && !self.joins(&block) {
                self.out.line("");
            }
            let marks = match block {
                Kind::BlockListUnordered(_) | Kind::BlockListTasks(_) => Some(Marks::Bullets),
                Kind::BlockListOrdered(_) => Some(Marks::Numbers),
                _ => None,
            };
            // Another mark than the list around it, or right before it.
            let second = match last.filter(|(last, _)| Some(*last) == marks) {
                Some((_, second)) => !second,
                None => marks == Some(Marks::Bullets) && !around.in_second_mark,
            };
            let place = Place {
                takes_images: around.takes_images,
                second_mark: second,
            };
            self.within(member, index, |writer| writer.block(block, place))?;
            last = marks.map(|marks| (marks, second));
        }
        Ok(())
    }

    /// Whether a block is written without a blank line before it: a list below the words of its item.
    fn joins(&self, block: &Kind<'_>) -> bool {
        let starts = match block {
            Kind::BlockListUnordered(list) => list.nodes.as_deref(),
            Kind::BlockListTasks(list) => list.nodes.as_deref(),
            Kind::BlockListOrdered(list) if list.data.start.unwrap_or(1) == 1 => list.nodes.as_deref(),
            _ => None,
        };
        // An item without words does not end a paragraph, nor does a number other than 1.
        let first = starts.and_then(|items| items.first()?.nodes.as_deref()?.first());
        let says = first.is_some_and(|first| match first.kind() {
            Kind::BlockParagraph(paragraph) => paragraph.nodes.as_ref().is_some_and(|nodes| !nodes.is_empty()),
            _ => false,
        });
        says && self.out.in_item() && self.out.ends_with_words()
    }

    fn block(&mut self, block: Kind<'d>, place: Place) -> Result<(), Refusal> {
        match block {
            Kind::BlockParagraph(it) => self.paragraph(it, place.takes_images),
            Kind::BlockHeading1(it) => self.heading(2, Heading::of(it)),
            Kind::BlockHeading2(it) => self.heading(3, Heading::of(it)),
            Kind::BlockHeading3(it) => self.heading(4, Heading::of(it)),
            Kind::BlockListOrdered(it) => self.ordered(it, place.second_mark),
            Kind::BlockListUnordered(it) => self.bullets(it.nodes.as_deref(), false, place.second_mark),
            Kind::BlockListTasks(it) => self.bullets(it.nodes.as_deref(), true, place.second_mark),
            Kind::BlockDivider(it) => {
                self.divider(it);
                Ok(())
            }
            Kind::BlockBlockquote(it) => {
                self.out.enter("> ", "> ");
                let nodes = it.nodes.as_deref().unwrap_or_default();
                self.deeper(1, |writer| writer.blocks("nodes", nodes, Surroundings::INNER))?;
                self.out.leave();
                Ok(())
            }
            Kind::BlockHint(it) => self.hint(it),
            Kind::BlockIf(it) => self.condition(it),
            Kind::BlockTabs(it) => self.tabs(it),
            Kind::BlockStepper(it) => self.stepper(it),
            Kind::BlockColumns(it) => self.columns(it),
            Kind::BlockExpandable(it) => self.expandable(it),
            Kind::BlockImages(it) => self.images(it),
            Kind::BlockFile(it) => self.file(it),
            Kind::BlockDrawing(it) => self.drawing(it),
            Kind::BlockEmbed(it) => self.embed(it),
            Kind::BlockContentRef(it) => self.content_ref(it),
            Kind::BlockIntegration(it) => self.integration(it),
            Kind::BlockReusableContent(it) => self.reusable(it),
            Kind::BlockCode(it) => self.code_block(it),
            Kind::BlockMath(it) => {
                self.math(it);
                Ok(())
            }
            Kind::BlockTable(it) => self.table(it),
            Kind::BlockSwagger(it) => self.swagger(it),
            Kind::BlockOpenApiOperation(it) => self.openapi_operation(it),
            Kind::BlockOpenApiSchemas(it) => self.openapi_schemas(it),
            Kind::BlockOpenApiWebhook(it) => self.openapi_webhook(it),
        }
    }

    pub(super) fn paragraph(&mut self, paragraph: &'d BlockParagraph, takes_images: bool) -> Result<(), Refusal> {
        let nodes = paragraph.nodes.as_deref().unwrap_or_default();
        let align = align(paragraph.data.as_ref().and_then(|data| data.align));
        // A picture alone would be a block of pictures, brackets at the beginning of an item a task.
        let picture = takes_images && is_picture(nodes);
        let task = self.out.begins_item() && begins_with_bracket(nodes);
        if !align.is_empty() || nodes.iter().all(is_blank) || picture || task {
            let html = self.inlines(nodes, Mode::Html)?;
            match picture && align.is_empty() {
                true => self.out.line(&html),
                false => self.out.line(&format!("<p{align}>{html}</p>")),
            }
            return Ok(());
        }
        let words = self.inlines(nodes, Mode::Lines)?;
        self.out.paragraph(&words);
        Ok(())
    }

    fn heading(&mut self, level: usize, heading: Heading<'d>) -> Result<(), Refusal> {
        let align = align(heading.align);
        let mode = if align.is_empty() { Mode::Line } else { Mode::Html };
        let mut words = self.inlines(heading.nodes, mode)?;
        if let Some(id) = heading.id {
            let space = if words.is_empty() { "" } else { " " };
            words.push_str(&format!("{space}<a href=\"#{id}\" id=\"{id}\"></a>"));
        }
        match mode {
            Mode::Html => self.out.line(&format!("<h{level}{align}>{words}</h{level}>")),
            _ => self.out.line(format!("{} {words}", "#".repeat(level)).trim_end()),
        }
        Ok(())
    }

    /// Neither the mark of a list nor the line below a heading.
    fn divider(&mut self, _: &BlockDivider) {
        self.out.line("___");
    }

    fn math(&mut self, math: &BlockMath) {
        self.out.line("$$");
        self.out.lines(&math.data.formula);
        self.out.line("$$");
    }
}

/// What headings of all levels have.
struct Heading<'d> {
    nodes: &'d [InlineNode],
    id: Option<&'d str>,
    align: Option<TextAlignment>,
}

macro_rules! heading {
    ($($kind:ident),+) => {
        $(impl<'d> From<&'d $kind> for Heading<'d> {
            fn from(heading: &'d $kind) -> Self {
                Self {
                    nodes: heading.nodes.as_deref().unwrap_or_default(),
                    id: heading.data.id.as_deref(),
                    align: heading.data.align,
                }
            }
        })+
    };
}
heading!(BlockHeading1, BlockHeading2, BlockHeading3);

impl<'d> Heading<'d> {
    fn of(heading: impl Into<Self>) -> Self {
        heading.into()
    }
}

/// The attribute for an alignment that is not the usual one.
pub fn align(align: Option<TextAlignment>) -> String {
    match align {
        None | Some(TextAlignment::Start) => String::new(),
        Some(TextAlignment::Center) => format!(" {}", attribute("align", "center")),
        Some(TextAlignment::End) => format!(" {}", attribute("align", "right")),
    }
}

fn is_picture(nodes: &[InlineNode]) -> bool {
    let mut says = nodes.iter().filter(|node| !is_blank(node));
    let first = says.next();
    matches!(first, Some(InlineNode::Inline(Inline::InlineImage(_)))) && says.next().is_none()
}

fn begins_with_bracket(nodes: &[InlineNode]) -> bool {
    let first = nodes.iter().find(|node| !is_blank(node));
    let Some(InlineNode::Text(text)) = first else {
        return false;
    };
    let leaf = text.leaves.iter().find(|leaf| !leaf.text.is_empty());
    leaf.is_some_and(|leaf| leaf.text.starts_with('['))
}
