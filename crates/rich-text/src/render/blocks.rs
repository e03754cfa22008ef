//! Lists of blocks, paragraphs, headings, dividers and math.

use openapi::models::{
    BlockDivider, BlockHeading1, BlockHeading2, BlockHeading3, BlockParagraph, DocumentBlockKind, Inline, InlineNode,
    TextAlignment,
};

use super::{MarkdownRenderer, attributes::align_attribute};
use crate::{
    error::DocumentError,
    nodes::{
        plain_text::{self, is_blank_inline},
        unions::BlockUnion,
    },
    syntax::{escape::EscapeMode, html},
};

/// The rendering context of a list of blocks.
#[derive(Clone, Copy)]
pub struct BlockContext {
    /// An image alone in a paragraph would parse as an images block here.
    pub lone_image_is_block: bool,
    /// A formula on lines of its own would parse as a block of math here, not as a formula in a paragraph.
    pub has_math: bool,
    /// The enclosing bullet list has the alternate marker: a list at the beginning of an item needs the other one.
    pub in_alternate_list: bool,
}

impl BlockContext {
    pub const DOCUMENT: Self = Self {
        lone_image_is_block: true,
        has_math: true,
        in_alternate_list: true,
    };
    pub const INNER: Self = Self {
        lone_image_is_block: false,
        has_math: false,
        in_alternate_list: true,
    };
}

/// The rendering options of one block.
#[derive(Clone, Copy)]
pub struct BlockStyle {
    lone_image_is_block: bool,
    has_math: bool,
    /// The list has the alternate marker.
    pub alternate_marker: bool,
}

/// The lists that would merge if they followed each other with the same marker.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ListMarkerKind {
    Bullets,
    Numbers,
}

impl<'d> MarkdownRenderer<'d, '_> {
    pub(super) fn blocks<F: BlockUnion>(
        &mut self,
        member: &'static str,
        blocks: &'d [F],
        context: BlockContext,
    ) -> Result<(), DocumentError> {
        let mut last: Option<(ListMarkerKind, bool)> = None;
        let mut last_is_tag = false;
        for (index, block) in blocks.iter().enumerate() {
            let block = block.kind();
            let is_tag = is_tag_source(&block);
            if index > 0 && !is_tag && !last_is_tag && !self.needs_no_blank_line(&block) {
                self.out.line("");
            }
            last_is_tag = is_tag;
            let marks = match block {
                DocumentBlockKind::BlockListUnordered(_) | DocumentBlockKind::BlockListTasks(_) => {
                    Some(ListMarkerKind::Bullets)
                }
                DocumentBlockKind::BlockListOrdered(_) => Some(ListMarkerKind::Numbers),
                _ => None,
            };
            // Alternate with the preceding list, or with the enclosing list.
            let alternate = match last.filter(|(last, _)| Some(*last) == marks) {
                Some((_, alternate)) => !alternate,
                None => marks == Some(ListMarkerKind::Bullets) && !context.in_alternate_list,
            };
            let style = BlockStyle {
                lone_image_is_block: context.lone_image_is_block,
                has_math: context.has_math,
                alternate_marker: alternate,
            };
            self.with_path(member, index, |renderer| renderer.block(block, style))?;
            last = marks.map(|marks| (marks, alternate));
        }
        Ok(())
    }

    /// Returns whether a block needs no blank line before it: a list right after the text of its item.
    fn needs_no_blank_line(&self, block: &DocumentBlockKind<'_>) -> bool {
        let starts = match block {
            DocumentBlockKind::BlockListUnordered(list) => list.nodes.as_deref(),
            DocumentBlockKind::BlockListTasks(list) => list.nodes.as_deref(),
            DocumentBlockKind::BlockListOrdered(list) if list.data.start.unwrap_or(1) == 1 => list.nodes.as_deref(),
            _ => None,
        };
        // A list interrupts a paragraph only if its first item is not empty and an ordered list begins with 1.
        let first = starts.and_then(|items| items.first()?.nodes.as_deref()?.first());
        let has_text = first.is_some_and(|first| match first.kind() {
            DocumentBlockKind::BlockParagraph(paragraph) => {
                paragraph.nodes.as_ref().is_some_and(|nodes| !nodes.is_empty())
            }
            _ => false,
        });
        has_text && self.out.in_item() && self.out.ends_with_text()
    }

    fn block(&mut self, block: DocumentBlockKind<'d>, style: BlockStyle) -> Result<(), DocumentError> {
        match block {
            DocumentBlockKind::BlockParagraph(it) => match lone_formula(it).filter(|_| !style.has_math) {
                Some(formula) => {
                    self.formula(formula);
                    Ok(())
                }
                None => self.paragraph(it, style.lone_image_is_block),
            },
            DocumentBlockKind::BlockHeading1(it) => self.heading(2, HeadingParts::of(it)),
            DocumentBlockKind::BlockHeading2(it) => self.heading(3, HeadingParts::of(it)),
            DocumentBlockKind::BlockHeading3(it) => self.heading(4, HeadingParts::of(it)),
            DocumentBlockKind::BlockListOrdered(it) => self.ordered_list(it, style.alternate_marker),
            DocumentBlockKind::BlockListUnordered(it) => {
                self.bullet_list(it.nodes.as_deref(), false, style.alternate_marker)
            }
            DocumentBlockKind::BlockListTasks(it) => {
                self.bullet_list(it.nodes.as_deref(), true, style.alternate_marker)
            }
            DocumentBlockKind::BlockDivider(it) => {
                self.divider(it);
                Ok(())
            }
            DocumentBlockKind::BlockBlockquote(it) => {
                self.out.enter("> ", "> ");
                let nodes = it.nodes.as_deref().unwrap_or_default();
                self.nested(1, |renderer| renderer.blocks("nodes", nodes, BlockContext::INNER))?;
                self.out.leave();
                Ok(())
            }
            DocumentBlockKind::BlockHint(it) => self.hint(it),
            DocumentBlockKind::BlockIf(it) => self.condition(it),
            DocumentBlockKind::BlockTabs(it) => self.tabs(it),
            DocumentBlockKind::BlockStepper(it) => self.stepper(it),
            DocumentBlockKind::BlockColumns(it) => self.columns(it),
            DocumentBlockKind::BlockUpdates(it) => self.updates(it),
            DocumentBlockKind::BlockPrompt(it) => self.prompt(it),
            DocumentBlockKind::BlockExpandable(it) => self.expandable(it),
            DocumentBlockKind::BlockImages(it) => self.images(it),
            DocumentBlockKind::BlockFile(it) => self.file(it),
            DocumentBlockKind::BlockDrawing(it) => self.drawing(it),
            DocumentBlockKind::BlockEmbed(it) => self.embed(it),
            DocumentBlockKind::BlockContentRef(it) => self.content_ref(it),
            DocumentBlockKind::BlockIntegration(it) => self.integration(it),
            DocumentBlockKind::BlockReusableContent(it) => self.reusable_content(it),
            DocumentBlockKind::BlockCode(it) => self.code_block(it),
            DocumentBlockKind::BlockMath(it) => {
                self.formula(&it.data.formula);
                Ok(())
            }
            DocumentBlockKind::BlockTable(it) => self.table(it),
            DocumentBlockKind::BlockSwagger(it) => self.swagger(it),
            DocumentBlockKind::BlockOpenApiOperation(it) => self.openapi_operation(it),
            DocumentBlockKind::BlockOpenApiSchemas(it) => self.openapi_schemas(it),
            DocumentBlockKind::BlockOpenApiWebhook(it) => self.openapi_webhook(it),
        }
    }

    pub(super) fn paragraph(
        &mut self,
        paragraph: &'d BlockParagraph,
        lone_image_is_block: bool,
    ) -> Result<(), DocumentError> {
        let nodes = paragraph.nodes.as_deref().unwrap_or_default();
        let align = align_attribute(paragraph.data.as_ref().and_then(|data| data.align));
        if align.is_empty()
            && let Some(source) = plain_text::only_source(nodes)
        {
            match source.starts_with("{%") {
                true => self.out.tag_lines(source),
                false => self.out.lines(source),
            }
            return Ok(());
        }
        // As Markdown, a lone image would parse as an images block, and a bracket at the beginning of an item as a
        // task.
        let image = lone_image_is_block && is_lone_image(nodes);
        let task = self.out.begins_item() && begins_with_bracket(nodes);
        let html = plain_text::first_source(nodes).is_some_and(|source| html::paragraph_end(source).is_some());
        if !align.is_empty() || nodes.iter().all(is_blank_inline) || image || task || html {
            let is_bare = (image || html) && align.is_empty();
            let html = self.inlines(nodes, EscapeMode::Html)?;
            match is_bare {
                true => self.out.line(&html),
                false => self.out.line(&format!("<p{align}>{html}</p>")),
            }
            return Ok(());
        }
        let content = self.inlines(nodes, EscapeMode::Paragraph)?;
        self.out.paragraph(&content);
        Ok(())
    }

    fn heading(&mut self, level: usize, heading: HeadingParts<'d>) -> Result<(), DocumentError> {
        let align = align_attribute(heading.align);
        let mode = if align.is_empty() {
            EscapeMode::Heading
        } else {
            EscapeMode::Html
        };
        let mut content = self.inlines(heading.nodes, mode)?;
        if let Some(id) = heading.id {
            let space = if content.is_empty() { "" } else { " " };
            content.push_str(&format!("{space}<a href=\"#{id}\" id=\"{id}\"></a>"));
        }
        match mode {
            EscapeMode::Html => self.out.line(&format!("<h{level}{align}>{content}</h{level}>")),
            _ => self.out.line(format!("{} {content}", "#".repeat(level)).trim_end()),
        }
        Ok(())
    }

    /// `---` and `***` could parse as a heading underline or a list marker.
    fn divider(&mut self, _: &BlockDivider) {
        self.out.line("___");
    }

    fn formula(&mut self, formula: &str) {
        self.out.line("$$");
        self.out.lines(formula);
        self.out.line("$$");
    }
}

/// Returns whether a block is the source of a tag, which ends every block before it.
fn is_tag_source(block: &DocumentBlockKind<'_>) -> bool {
    match block {
        DocumentBlockKind::BlockParagraph(paragraph) => {
            let source = plain_text::only_source(paragraph.nodes.as_deref().unwrap_or_default());
            source.is_some_and(|source| source.starts_with("{%"))
        }
        _ => false,
    }
}

/// The common parts of headings of all levels.
struct HeadingParts<'d> {
    nodes: &'d [InlineNode],
    id: Option<&'d str>,
    align: Option<TextAlignment>,
}

macro_rules! heading {
    ($($kind:ident),+) => {
        $(impl<'d> From<&'d $kind> for HeadingParts<'d> {
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

impl<'d> HeadingParts<'d> {
    fn of(heading: impl Into<Self>) -> Self {
        heading.into()
    }
}

fn is_lone_image(nodes: &[InlineNode]) -> bool {
    let mut has_text = nodes.iter().filter(|node| !is_blank_inline(node));
    let first = has_text.next();
    matches!(first, Some(InlineNode::Inline(Inline::InlineImage(_)))) && has_text.next().is_none()
}

/// Returns the formula that is alone in a paragraph, if lines of its own can express it.
fn lone_formula(paragraph: &BlockParagraph) -> Option<&str> {
    let align = paragraph.data.as_ref().and_then(|data| data.align);
    let nodes = paragraph.nodes.iter().flatten();
    let mut nodes = nodes.filter(|node| !is_blank_inline(node));
    let (Some(InlineNode::Inline(Inline::InlineMath(math))), None) = (nodes.next(), nodes.next()) else {
        return None;
    };
    let formula = math.data.formula.as_str();
    let is_kept = |line: &str| line.is_empty() || !line.trim().is_empty();
    let is_written = !formula.trim().is_empty() && !formula.contains("$$") && !formula.contains('\r');
    (is_written && formula.split('\n').all(is_kept) && align_attribute(align).is_empty()).then_some(formula)
}

fn begins_with_bracket(nodes: &[InlineNode]) -> bool {
    let first = nodes.iter().find(|node| !is_blank_inline(node));
    let Some(InlineNode::Text(text)) = first else {
        return false;
    };
    let leaf = text.leaves.iter().find(|leaf| !leaf.text.is_empty());
    leaf.is_some_and(|leaf| leaf.text.starts_with('['))
}
