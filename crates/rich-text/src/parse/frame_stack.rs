//! The stack of open container tags. A frame is open from its tag to the closing tag, or to the end of the enclosing
//! container.

use openapi::models::{
    BlockCodeData, BlockColumn, BlockColumnData, BlockColumnsData, BlockHintData, BlockIfData, BlockStepperStep,
    BlockStepperStepData, BlockTabsData, BlockTabsItem, BlockTabsItemData, ContentRef, DocumentBlock, Inline,
    InlineNode,
};

use super::{ContainerKind, MarkdownParser, code, containers, hoist, text_paragraph};
use crate::{limits::DocumentLimits, nodes::plain_text};

pub enum FrameKind {
    Root,
    Hint(BlockHintData),
    If(BlockIfData),
    Tabs(BlockTabsData),
    Tab(BlockTabsItemData),
    Stepper,
    Step(BlockStepperStepData),
    Columns(BlockColumnsData),
    Column(BlockColumnData),
    Code(Box<BlockCodeData>),
    Details {
        open: Option<bool>,
        title: Option<Vec<InlineNode>>,
    },
    /// A block without children. The content before its closing tag is a caption or repeats the target.
    Leaf {
        block: Box<DocumentBlock>,
        target: String,
    },
}

/// The content of a frame.
pub enum FrameContent {
    Block(DocumentBlock),
    Tab(BlockTabsItem),
    Step(BlockStepperStep),
    Column(BlockColumn),
}

struct Frame {
    kind: FrameKind,
    /// Name of the closing tag.
    name: String,
    /// Source of the opening tag.
    raw: String,
    container: ContainerKind,
    depth: usize,
    contents: Vec<FrameContent>,
}

/// The open frames within one container.
pub struct FrameStack {
    outer: Frame,
    inner: Vec<Frame>,
}

impl FrameStack {
    pub fn new(container: ContainerKind, depth: usize) -> Self {
        let outer = Frame {
            kind: FrameKind::Root,
            name: String::new(),
            raw: String::new(),
            container,
            depth,
            contents: Vec::new(),
        };
        Self {
            outer,
            inner: Vec::new(),
        }
    }

    fn top(&self) -> &Frame {
        self.inner.last().unwrap_or(&self.outer)
    }

    fn top_mut(&mut self) -> &mut Frame {
        self.inner.last_mut().unwrap_or(&mut self.outer)
    }

    pub fn container(&self) -> ContainerKind {
        self.top().container
    }

    pub fn depth(&self) -> usize {
        self.top().depth
    }

    pub fn push(&mut self, block: DocumentBlock) {
        self.top_mut().contents.push(FrameContent::Block(block));
    }

    pub fn extend(&mut self, blocks: Vec<DocumentBlock>) {
        self.top_mut()
            .contents
            .extend(blocks.into_iter().map(FrameContent::Block));
    }

    pub fn text(&mut self, text: &str) {
        self.push(text_paragraph(text.trim_end()));
    }

    pub fn kind(&self) -> &FrameKind {
        &self.top().kind
    }

    pub fn has_room(&self, limits: &DocumentLimits) -> bool {
        self.depth() + FRAME_LEVELS <= limits.depth
    }

    pub fn has_details(&self) -> bool {
        self.inner
            .iter()
            .any(|frame| matches!(frame.kind, FrameKind::Details { .. }))
    }

    pub fn expects_summary(&self) -> bool {
        let frame = self.top();
        frame.contents.is_empty() && matches!(frame.kind, FrameKind::Details { title: None, .. })
    }

    fn open(&mut self, kind: FrameKind, name: &str, raw: &str, container: Option<ContainerKind>) {
        let depth = self.depth()
            + if matches!(kind, FrameKind::Leaf { .. }) {
                0
            } else {
                FRAME_LEVELS
            };
        self.inner.push(Frame {
            kind,
            name: name.to_owned(),
            raw: raw.to_owned(),
            container: container.unwrap_or(self.container()),
            depth,
            contents: Vec::new(),
        });
    }

    /// Takes the blocks so far. `None` while a frame is open.
    pub fn take_finished(&mut self) -> Option<Vec<DocumentBlock>> {
        let finished = self.inner.is_empty() && !self.outer.contents.is_empty();
        finished.then(|| into_blocks(std::mem::take(&mut self.outer.contents)))
    }

    /// Closes all open frames and returns the blocks.
    pub fn finish(mut self, parser: &mut MarkdownParser<'_, '_>) -> Vec<DocumentBlock> {
        while let Some(frame) = self.inner.pop() {
            let built = parser.build_content(frame, false);
            self.top_mut().contents.extend(built);
        }
        into_blocks(self.outer.contents)
    }
}

/// Nesting levels that a frame adds at most: a block and an item, or a block and a fragment.
const FRAME_LEVELS: usize = 2;

impl MarkdownParser<'_, '_> {
    /// Opens a frame. An open leaf frame ends first.
    pub(super) fn open(
        &mut self,
        frames: &mut FrameStack,
        kind: FrameKind,
        name: &str,
        raw: &str,
        container: Option<ContainerKind>,
    ) {
        self.end_leaf(frames);
        frames.open(kind, name, raw, container);
    }

    /// Closes a leaf frame whose closing tag is missing, as it usually is.
    pub(super) fn end_leaf(&mut self, frames: &mut FrameStack) {
        if matches!(frames.kind(), FrameKind::Leaf { .. }) {
            self.close_top(frames, false);
        }
    }

    /// Closes the frame with this name and all unclosed frames in it. Returns whether there was one.
    pub(super) fn close(&mut self, frames: &mut FrameStack, name: &str) -> bool {
        if !frames.inner.iter().any(|frame| frame.name == name) {
            return false;
        }
        while !frames.inner.is_empty() {
            let matches_name = frames.top().name == name;
            self.close_top(frames, matches_name);
            if matches_name {
                break;
            }
        }
        true
    }

    fn close_top(&mut self, frames: &mut FrameStack, by_tag: bool) {
        if let Some(frame) = frames.inner.pop() {
            let built = self.build_content(frame, by_tag);
            frames.top_mut().contents.extend(built);
        }
    }

    pub(super) fn open_details(&mut self, frames: &mut FrameStack, open: Option<bool>, raw: &str) {
        let kind = FrameKind::Details {
            open: open.filter(|open| *open),
            title: None,
        };
        self.open(frames, kind, "details", raw, Some(ContainerKind::Expandable));
    }

    pub(super) fn summary(&mut self, frames: &mut FrameStack, nodes: Vec<InlineNode>) {
        if let FrameKind::Details { title, .. } = &mut frames.top_mut().kind {
            *title = Some(nodes);
        }
    }

    /// Builds the content of a frame that ends, with or without a closing tag.
    fn build_content(&mut self, frame: Frame, by_tag: bool) -> Vec<FrameContent> {
        let Frame {
            kind, contents, raw, ..
        } = frame;
        match kind {
            FrameKind::Root => contents,
            FrameKind::Hint(data) => blocks(hoist::split_container(into_blocks(contents), |nodes| {
                containers::hint(data.clone(), nodes)
            })),
            FrameKind::If(data) => blocks(vec![containers::condition(data, into_blocks(contents))]),
            FrameKind::Tabs(data) => group_items(contents, tab, |nodes| containers::tabs(data.clone(), nodes)),
            FrameKind::Stepper => group_items(contents, step, containers::stepper),
            FrameKind::Columns(data) => group_items(contents, column, |nodes| containers::columns(data.clone(), nodes)),
            FrameKind::Tab(data) => build_item(contents, |nodes| FrameContent::Tab(containers::tabs_item(data, nodes))),
            FrameKind::Step(data) => build_item(contents, |nodes| {
                FrameContent::Step(containers::stepper_step(data, nodes))
            }),
            FrameKind::Column(data) => {
                build_item(contents, |nodes| FrameContent::Column(containers::column(data, nodes)))
            }
            FrameKind::Code(data) => blocks(code::apply_options(*data, into_blocks(contents), &raw)),
            FrameKind::Details { open, title } => blocks(containers::details(
                open,
                title.unwrap_or_default(),
                into_blocks(contents),
            )),
            FrameKind::Leaf { block, target } => {
                let mut built = vec![*block];
                let repeated = |block: &DocumentBlock| by_tag && repeats_target(block, &target);
                built.extend(into_blocks(contents).into_iter().filter(|block| !repeated(block)));
                blocks(built)
            }
        }
    }
}

fn blocks(blocks: Vec<DocumentBlock>) -> Vec<FrameContent> {
    blocks.into_iter().map(FrameContent::Block).collect()
}

fn into_blocks(contents: Vec<FrameContent>) -> Vec<DocumentBlock> {
    let blocks = contents.into_iter().filter_map(|content| match content {
        FrameContent::Block(block) => Some(block),
        FrameContent::Tab(_) | FrameContent::Step(_) | FrameContent::Column(_) => None,
    });
    let mut blocks: Vec<DocumentBlock> = blocks.collect();
    blocks.shrink_to_fit();
    blocks
}

/// Builds an item from the blocks that it accepts; the others follow the item.
fn build_item<T: TryFrom<DocumentBlock, Error = Box<DocumentBlock>>>(
    contents: Vec<FrameContent>,
    build: impl FnOnce(Vec<T>) -> FrameContent,
) -> Vec<FrameContent> {
    let (inside, outside) = hoist::split_at_first(into_blocks(contents));
    let mut built = vec![build(inside)];
    built.extend(blocks(outside));
    built
}

/// Groups adjacent items into containers; other content goes between them.
fn group_items<T>(
    contents: Vec<FrameContent>,
    take: impl Fn(FrameContent) -> Result<T, Box<FrameContent>>,
    container: impl Fn(Vec<T>) -> DocumentBlock,
) -> Vec<FrameContent> {
    let mut built = Vec::new();
    let mut items = Vec::new();
    let nothing = contents.is_empty();
    for content in contents {
        match take(content) {
            Ok(item) => items.push(item),
            Err(other) => {
                if !items.is_empty() {
                    built.push(FrameContent::Block(container(std::mem::take(&mut items))));
                }
                built.push(*other);
            }
        }
    }
    if !items.is_empty() || nothing {
        built.push(FrameContent::Block(container(items)));
    }
    built
}

fn tab(content: FrameContent) -> Result<BlockTabsItem, Box<FrameContent>> {
    match content {
        FrameContent::Tab(tab) => Ok(tab),
        other => Err(Box::new(other)),
    }
}

fn step(content: FrameContent) -> Result<BlockStepperStep, Box<FrameContent>> {
    match content {
        FrameContent::Step(step) => Ok(step),
        other => Err(Box::new(other)),
    }
}

fn column(content: FrameContent) -> Result<BlockColumn, Box<FrameContent>> {
    match content {
        FrameContent::Column(column) => Ok(column),
        other => Err(Box::new(other)),
    }
}

/// Returns whether a block is only a link whose text repeats the target of the preceding tag.
fn repeats_target(block: &DocumentBlock, target: &str) -> bool {
    let DocumentBlock::BlockParagraph(paragraph) = block else {
        return false;
    };
    match paragraph.nodes.as_deref() {
        Some([InlineNode::Inline(Inline::InlineLink(link))]) => {
            let same = match &link.data.r#ref {
                ContentRef::ContentRefUrl(url) => url.url == target,
                _ => true,
            };
            let label = plain_text::of_inlines(paragraph.nodes.as_deref().unwrap_or_default());
            same && target.contains(label.trim())
        }
        _ => false,
    }
}
