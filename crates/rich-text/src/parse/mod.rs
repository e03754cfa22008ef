//! The parser: Markdown to nodes.
//!
//! Blocks are parsed from the syntax tree in one pass from top to bottom, piece by piece of the text. A block that its container does not accept
//! follows the container (`hoist`), so that nothing is lost; unknown syntax is text.

mod attribute_values;
mod block_tags;
mod cell_blocks;
pub mod code;
mod container_kind;
mod containers;
mod emphasis;
mod fallback_link;
mod footnotes;
mod frame_stack;
mod headings;
mod hoist;
mod html_blocks;
mod html_lists;
mod html_slice;
mod html_tables;
mod images;
mod inline_builder;
mod inline_elements;
mod inline_tokens;
mod inlines;
mod lists;
mod openapi_blocks;
mod pipe_tables;
mod sources;
mod table_builder;

use openapi::error::ErrorRule;
use std::{borrow::Cow, collections::HashMap, ops::Range};

use comrak::{
    Node,
    nodes::{NodeMath, NodeValue},
};
use openapi::models::{BlockBlockquote, BlockquoteBlock, ContentRef, DocumentBlock, InlineNode};

use super::{
    error::DocumentError,
    limits::DocumentLimits,
    nodes::builders,
    resolver::{LinkResolver, MAX_ID_LENGTH, MAX_URL_LENGTH, ReferenceRole, is_safe_target, url_reference},
    syntax::{
        ast,
        block_tags::BlockTag,
        definition_pass,
        pieces::{Piece, PieceOffsets, Pieces},
        prepare::{self, Placeholder, PreparedSource},
        text_definitions::TextDefinitions,
    },
};
use container_kind::ContainerKind;
use frame_stack::FrameStack;

/// Takes the blocks of a document.
pub type BlockSink<'s> = &'s mut dyn FnMut(DocumentBlock) -> Result<(), DocumentError>;

/// Parses a document block by block. The blocks have no keys and no anchors yet.
pub struct BlockParser<'t> {
    text: Cow<'t, str>,
    limits: DocumentLimits,
    resolver: &'t dyn LinkResolver,
    pieces: Pieces,
    definitions: TextDefinitions,
    frames: FrameStack,
    /// Blocks that annotations do not accept; they follow at the end of the document.
    hoisted: Vec<DocumentBlock>,
    /// Syntax nodes, and the contents that count as such, since the last block, while a tag is open.
    pending_nodes: usize,
    /// Only the definitions without a reference are left.
    at_end: bool,
    next_footnote: usize,
    /// Offset of the last closing tag of each name.
    closing_tags: HashMap<String, usize>,
    misplaced_includes: Vec<MisplacedInclude>,
}

/// A tag that includes a text, in a container that has no block for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MisplacedInclude {
    /// The range of the tag in the text.
    pub at: Range<usize>,
    pub target: String,
}

impl<'t> BlockParser<'t> {
    pub fn new(
        text: Cow<'t, str>,
        limits: &DocumentLimits,
        resolver: &'t dyn LinkResolver,
    ) -> Result<Self, DocumentError> {
        if text.len() > limits.bytes {
            let message = format!("The Markdown has more than {} bytes.", limits.bytes);
            return Err(DocumentError::new("", ErrorRule::TooLong, message));
        }
        let text = match text.contains('\r') {
            true => Cow::Owned(prepare::normalize_line_ends(&text).into_owned()),
            false => text,
        };
        Self::in_pieces(text, limits, resolver, Pieces::new)
    }

    fn in_pieces(
        text: Cow<'t, str>,
        limits: &DocumentLimits,
        resolver: &'t dyn LinkResolver,
        pieces: impl Fn() -> Pieces,
    ) -> Result<Self, DocumentError> {
        Ok(Self {
            definitions: definition_pass::collect(&text, pieces(), limits)?,
            closing_tags: block_tags::closing_tags(&text),
            text,
            limits: *limits,
            resolver,
            pieces: pieces(),
            frames: FrameStack::new(ContainerKind::Document, 0),
            hoisted: Vec::new(),
            pending_nodes: 0,
            at_end: false,
            next_footnote: 0,
            misplaced_includes: Vec::new(),
        })
    }

    #[cfg(test)]
    pub fn in_pieces_of(self, least: usize) -> Result<Self, DocumentError> {
        Self::in_pieces(self.text, &self.limits, self.resolver, || Pieces::of_at_least(least))
    }

    /// Parses the next piece of the text and gives its blocks to `sink`. Returns whether there are more pieces.
    pub fn next_piece(&mut self, sink: BlockSink<'_>) -> Result<bool, DocumentError> {
        if self.at_end {
            return self.next_unused(sink);
        }
        let next = self.pieces.next_text(&self.text, &self.definitions);
        let arena = next.arena(&self.limits);
        let Some(piece) = self.pieces.parse(&arena, next, &self.limits)? else {
            return Ok(true);
        };
        let mut frames = std::mem::replace(&mut self.frames, FrameStack::new(ContainerKind::Document, 0));
        let mut parser = self.parser(&piece);
        parser.collect_footnotes(piece.root);
        for node in piece.root.children() {
            parser.pending_nodes += node.descendants().count();
            parser.feed(vec![node], &mut frames);
            if let Some(error) = parser.error.take() {
                return Err(error);
            }
            if let Some(blocks) = frames.take_finished() {
                parser.pending_nodes = 0;
                give(blocks, sink)?;
            }
        }
        let pending_nodes = parser.pending_nodes;
        if piece.is_last {
            let mut nodes = frames.finish(&mut parser);
            nodes.append(&mut parser.hoisted);
            if let Some(error) = parser.error {
                return Err(error);
            }
            give(nodes, sink)?;
            parser.unreferenced_footnotes(piece.root, sink)?;
            self.at_end = true;
        } else {
            self.hoisted = parser.hoisted;
            self.frames = frames;
        }
        self.pending_nodes = pending_nodes;
        let limit = self.limits.nodes;
        if pending_nodes > limit {
            return Err(ast::too_many_nodes(limit));
        }
        Ok(true)
    }

    /// Returns the tags so far that include a text where no block stands for it, in any order.
    pub fn into_misplaced_includes(self) -> Vec<MisplacedInclude> {
        self.misplaced_includes
    }

    fn parser<'p, 'a>(&'p mut self, piece: &'p Piece<'a>) -> MarkdownParser<'a, 'p> {
        MarkdownParser {
            source: &piece.source,
            text: &self.text,
            offsets: &piece.offsets,
            closing_tags: &self.closing_tags,
            limits: &self.limits,
            resolver: self.resolver,
            footnotes: HashMap::new(),
            open_footnotes: Vec::new(),
            definitions: &mut self.definitions,
            pending_nodes: self.pending_nodes,
            hoisted: std::mem::take(&mut self.hoisted),
            misplaced_includes: &mut self.misplaced_includes,
            error: None,
        }
    }
}

struct MarkdownParser<'a, 'r> {
    source: &'r PreparedSource,
    /// The whole text, and the offsets of the parts of the piece in it.
    text: &'r str,
    offsets: &'r PieceOffsets,
    closing_tags: &'r HashMap<String, usize>,
    limits: &'r DocumentLimits,
    resolver: &'r dyn LinkResolver,
    /// The footnote definitions by name.
    footnotes: HashMap<String, Node<'a>>,
    /// The names of the footnotes around the current block.
    open_footnotes: Vec<String>,
    definitions: &'r mut TextDefinitions,
    /// Syntax nodes, and the contents that count as such, since the last block of the document.
    pending_nodes: usize,
    /// Blocks that annotations do not accept.
    hoisted: Vec<DocumentBlock>,
    misplaced_includes: &'r mut Vec<MisplacedInclude>,
    /// The first error of the document.
    error: Option<DocumentError>,
}

impl<'a> MarkdownParser<'a, '_> {
    /// Returns the offset in the whole text of an offset in the prepared source.
    fn text_offset(&self, at: usize) -> Option<usize> {
        Some(self.offsets.text_offset(self.source.source_offset(at)?))
    }

    /// Returns the bytes of the lines of a block.
    fn length_of(&self, node: Node<'a>) -> usize {
        let position = node.data().sourcepos;
        let line = |number: usize| self.source.line(number.checked_sub(1)?);
        let first = line(position.start.line).map_or(0, |(start, _)| start);
        let end = line(position.end.line).map_or(self.source.text.len(), |(start, line)| start + line.len());
        end.saturating_sub(first)
    }

    fn blocks(&mut self, parent: Node<'a>, container: ContainerKind, depth: usize) -> Vec<DocumentBlock> {
        let mut frames = FrameStack::new(container, depth);
        self.feed(parent.reverse_children().collect(), &mut frames);
        frames.finish(self)
    }

    /// Parses these nodes, last one first. Blocks nested too deep are replaced by their children. Iterative.
    fn feed(&mut self, mut pending: Vec<Node<'a>>, frames: &mut FrameStack) {
        while let Some(node) = pending.pop() {
            let depth = frames.depth();
            let value = &node.data().value;
            if self.skip(node, value, frames) {
                continue;
            }
            let levels = match value {
                NodeValue::List(_) => 2,
                NodeValue::BlockQuote => 1,
                NodeValue::Item(_) | NodeValue::TaskItem(_) => usize::MAX,
                _ => 0,
            };
            match levels > 0 && depth.saturating_add(levels) > self.limits.depth {
                true => pending.extend(node.reverse_children()),
                false => self.block(node, value, frames),
            }
        }
    }

    fn block(&mut self, node: Node<'a>, value: &NodeValue, frames: &mut FrameStack) {
        let (container, depth) = (frames.container(), frames.depth());
        match value {
            NodeValue::Paragraph => {
                let block = self.paragraph(node, container, depth);
                frames.push(block);
            }
            NodeValue::Heading(heading) => {
                let block = self.heading(node, heading.level, depth);
                frames.push(block);
            }
            NodeValue::ThematicBreak => frames.push(builders::divider().into()),
            NodeValue::List(_) => frames.extend(self.list(node, depth)),
            NodeValue::BlockQuote if !container.accepts("blockquote") => {
                frames.extend(self.source_of_node(node, depth).into_iter().collect())
            }
            NodeValue::BlockQuote => {
                let blocks = self.blocks(node, ContainerKind::Blockquote, depth + 1);
                frames.extend(hoist::split_container(blocks, blockquote));
            }
            NodeValue::CodeBlock(code) if self.is_too_long(&code.literal, '\n', self.limits.max_code_lines()) => {}
            NodeValue::CodeBlock(code) if !self.count(&code.literal, '\n') => {}
            NodeValue::CodeBlock(code) if !container.accepts("code") => {
                frames.extend(self.source_of_code(node, code).into_iter().collect());
            }
            NodeValue::CodeBlock(code) => frames.push(self.code_block(code)),
            NodeValue::HtmlBlock(html) => match self.source.placeholder(&html.literal) {
                Some(Placeholder::BlockTag(raw)) => {
                    if let Some(tag) = BlockTag::parse(raw) {
                        self.tag(node, &tag, frames);
                    }
                }
                Some(Placeholder::Formula(formula)) if !container.accepts("math") => {
                    let formula = Some(formula).filter(|formula| !formula.trim().is_empty());
                    let block = match formula.and_then(|formula| inline_elements::math_node(formula)) {
                        Some(inline) => Some(builders::paragraph(vec![InlineNode::Inline(inline)]).into()),
                        None => self.source_of_node(node, depth),
                    };
                    frames.extend(block.into_iter().collect());
                }
                Some(Placeholder::Formula(formula)) => frames.push(self.formula(formula)),
                Some(Placeholder::InlineTag(raw)) => self.push_tag_source(raw, "", frames),
                None if self.is_too_long(&html.literal, '<', self.max_tags()) => {}
                None if !self.count(&html.literal, '<') => {}
                None => {
                    let html = self.source.restore(&html.literal).into_owned();
                    self.html_block(&html, frames);
                }
            },
            NodeValue::Table(_) if !container.accepts("table") => {
                frames.extend(self.source_of_node(node, depth).into_iter().collect())
            }
            NodeValue::Table(table) => {
                let block = self.pipe_table(node, table, depth);
                frames.push(block);
            }
            // Parsed at the reference.
            NodeValue::FootnoteDefinition(_) => {}
            // The enabled extensions of the parser produce no other blocks.
            _ => {}
        }
    }

    /// Returns the most tags of an HTML block.
    fn max_tags(&self) -> usize {
        let children = self.limits.children;
        children.saturating_mul(self.limits.nodes / children.max(1))
    }

    /// Returns whether a text has a character more often than the limit, which is an error of the document.
    fn is_too_long(&mut self, text: &str, character: char, limit: usize) -> bool {
        let is_too_long = text.len() > limit && text.matches(character).count() > limit;
        if is_too_long {
            self.error.get_or_insert_with(|| ast::too_many_nodes(limit));
        }
        is_too_long
    }

    /// Counts the occurrences of a character, each of which becomes a node, as syntax nodes. Returns whether these are within
    /// the limit: too many are an error of the document.
    fn count(&mut self, text: &str, character: char) -> bool {
        if !self.limits.counts_contents {
            return true;
        }
        let limit = self.limits.nodes;
        self.pending_nodes += text.matches(character).count();
        let is_within = self.pending_nodes <= limit;
        if !is_within {
            self.error.get_or_insert_with(|| ast::too_many_nodes(limit));
        }
        is_within
    }

    fn paragraph(&mut self, node: Node<'a>, container: ContainerKind, depth: usize) -> DocumentBlock {
        let mut children = node.children();
        if let (Some(only), None) = (children.next(), children.next())
            && container.takes_images()
            && let NodeValue::Image(image) = &only.data().value
            && let Some(block) = self.standalone_image(only, image)
        {
            return block;
        }
        builders::paragraph(self.inlines(node, depth)).into()
    }

    /// Resolves a target; `None` if the target is longer than the contract allows, or could run in a browser.
    fn resolve(&mut self, role: ReferenceRole, target: &str) -> Option<ContentRef> {
        let limit = match role {
            ReferenceRole::Link | ReferenceRole::Media => MAX_URL_LENGTH,
            ReferenceRole::File | ReferenceRole::ReusableContent | ReferenceRole::Specification => MAX_ID_LENGTH,
        };
        self.definitions.mark_used(target);
        (target.chars().count() <= limit && is_safe_target(role, target)).then(|| {
            let reference = self.resolver.parse_target(role, target);
            // A resolver may return a reference of a kind that the role does not allow.
            let fits = matches!(
                (role, &reference),
                (ReferenceRole::Link, _)
                    | (
                        ReferenceRole::Media,
                        ContentRef::ContentRefFile(_) | ContentRef::ContentRefUrl(_)
                    )
                    | (ReferenceRole::File, ContentRef::ContentRefFile(_))
                    | (ReferenceRole::ReusableContent, ContentRef::ContentRefReusableContent(_))
                    | (ReferenceRole::Specification, ContentRef::ContentRefOpenApi(_))
            );
            match (fits, role) {
                (true, _) => reference,
                (false, ReferenceRole::Media) => url_reference(target),
                (false, _) => super::resolver::UrlResolver.parse_target(role, target),
            }
        })
    }
}

fn give(blocks: Vec<DocumentBlock>, sink: BlockSink<'_>) -> Result<(), DocumentError> {
    blocks.into_iter().try_for_each(sink)
}

fn blockquote(nodes: Vec<BlockquoteBlock>) -> DocumentBlock {
    BlockBlockquote {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: None,
        data: None,
        nodes: Some(nodes),
    }
    .into()
}

/// Builds a paragraph of plain text.
fn text_paragraph(text: &str) -> DocumentBlock {
    let text = InlineNode::Text(builders::plain_text(text));
    builders::paragraph(vec![text]).into()
}

/// Returns whether math has two dollar signs: with one sign the text is more likely an amount of money.
fn is_display_math(math: &NodeMath) -> bool {
    math.display_math
}
