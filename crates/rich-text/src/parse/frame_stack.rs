//! The stack of open container tags. A frame is open from its tag to the closing tag, or to the end of the enclosing
//! container.

use openapi::models::{
    BlockCodeData, BlockColumn, BlockColumnData, BlockColumnsData, BlockHintData, BlockIfData, BlockPromptData,
    BlockStepperStep, BlockStepperStepData, BlockTabsData, BlockTabsItem, BlockTabsItemData, BlockUpdate,
    BlockUpdateData, BlockUpdatesData, ColumnBlock, DocumentBlock, InlineNode, PanelBlock, StepBlock, UpdateBlock,
};

use super::{MarkdownParser, code, container_kind::ContainerKind, containers, fallback_link, hoist, sources};
use crate::{
    limits::DocumentLimits,
    nodes::{builders, marks::MarkSet},
};

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
    Updates(BlockUpdatesData),
    Update(BlockUpdateData),
    Prompt(Box<BlockPromptData>),
    /// A container that is not accepted here: its tags keep their source, and its content follows the rules of the
    /// container around it.
    /// Readers see this text in place of the opening tag.
    Markers(String),
    /// An unknown container, which keeps its source as a whole.
    Unknown(UnknownContent),
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

/// The skipped content of an unknown container.
pub struct UnknownContent {
    /// Number of the open tags of its name.
    pub open: usize,
    /// Offset of the end in the text.
    pub end: usize,
    /// The end of the last block, if that is missing.
    pub missing_end: Option<String>,
}

/// The content of a frame.
pub enum FrameContent {
    Block(DocumentBlock),
    Tab(BlockTabsItem),
    Step(BlockStepperStep),
    Column(BlockColumn),
    Update(BlockUpdate),
}

struct Frame {
    kind: FrameKind,
    /// Name of the closing tag.
    name: String,
    /// Source of the opening tag.
    raw: String,
    container: ContainerKind,
    depth: usize,
    /// Offset of the opening tag in the text, and in its line.
    start: usize,
    column: usize,
    contents: Vec<FrameContent>,
}

/// The opening tag of a frame.
#[derive(Clone, Copy)]
pub struct OpeningTag<'t> {
    /// Name of the closing tag.
    pub name: &'t str,
    pub raw: &'t str,
    pub start: usize,
    pub column: usize,
}

/// The end of a frame.
#[derive(Clone, Copy)]
pub struct ClosingTag<'t> {
    pub raw: &'t str,
    /// Offset of the end of the tag in the text.
    pub end: usize,
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
            start: 0,
            column: 0,
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

    pub fn kind(&self) -> &FrameKind {
        &self.top().kind
    }

    /// Returns the offset of the opening tag of the innermost frame in the text.
    pub fn start(&self) -> usize {
        self.top().start
    }

    /// Returns the unknown container that is open, and its name.
    pub fn unknown(&mut self) -> Option<(&str, &mut UnknownContent)> {
        let frame = self.inner.last_mut()?;
        match &mut frame.kind {
            FrameKind::Unknown(content) => Some((&frame.name, content)),
            _ => None,
        }
    }

    pub fn has_room(&self, limits: &DocumentLimits) -> bool {
        self.depth() + FRAME_LEVELS <= limits.depth
    }

    pub fn has_details(&self) -> bool {
        self.inner.iter().any(|frame| frame.name == "details")
    }

    pub fn expects_summary(&self) -> bool {
        let frame = self.top();
        frame.contents.is_empty() && matches!(frame.kind, FrameKind::Details { title: None, .. })
    }

    fn open(&mut self, kind: FrameKind, tag: OpeningTag<'_>, container: Option<ContainerKind>) {
        let depth = self.depth()
            + if matches!(kind, FrameKind::Leaf { .. }) {
                0
            } else {
                FRAME_LEVELS
            };
        self.inner.push(Frame {
            kind,
            name: tag.name.to_owned(),
            raw: tag.raw.trim_end().to_owned(),
            container: container.unwrap_or(self.container()),
            depth,
            start: tag.start,
            column: tag.column,
            contents: Vec::new(),
        });
    }

    /// Returns whether no frame is open.
    pub fn is_closed(&self) -> bool {
        self.inner.is_empty()
    }

    /// Takes the blocks so far. `None` while a frame is open.
    pub fn take_finished(&mut self) -> Option<Vec<DocumentBlock>> {
        let finished = self.is_closed() && !self.outer.contents.is_empty();
        finished.then(|| into_blocks(std::mem::take(&mut self.outer.contents)))
    }

    /// Closes all open frames and returns the blocks.
    pub fn finish(mut self, parser: &mut MarkdownParser<'_, '_>) -> Vec<DocumentBlock> {
        while let Some(frame) = self.inner.pop() {
            let built = parser.build_content(frame, None);
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
        tag: OpeningTag<'_>,
        container: Option<ContainerKind>,
    ) {
        self.end_leaf(frames);
        frames.open(kind, tag, container);
    }

    /// Closes a leaf frame whose closing tag is missing, as it usually is.
    pub(super) fn end_leaf(&mut self, frames: &mut FrameStack) {
        if matches!(frames.kind(), FrameKind::Leaf { .. }) {
            self.close_top(frames, None);
        }
    }

    /// Closes the frame with this name and all unclosed frames in it. Returns whether there was one.
    pub(super) fn close(&mut self, frames: &mut FrameStack, name: &str, tag: ClosingTag<'_>) -> bool {
        if !frames.inner.iter().any(|frame| frame.name == name) {
            return false;
        }
        while !frames.inner.is_empty() {
            let matches_name = frames.top().name == name;
            self.close_top(frames, matches_name.then_some(tag));
            if matches_name {
                break;
            }
        }
        true
    }

    fn close_top(&mut self, frames: &mut FrameStack, tag: Option<ClosingTag<'_>>) {
        if let Some(frame) = frames.inner.pop() {
            let built = self.build_content(frame, tag);
            frames.top_mut().contents.extend(built);
        }
    }

    /// Adds a tag that is no block here.
    pub(super) fn push_tag_source(&mut self, raw: &str, visible: &str, frames: &mut FrameStack) {
        self.end_leaf(frames);
        frames.push(builders::source_paragraph(
            raw.trim_end(),
            visible.to_owned(),
            MarkSet::default(),
        ));
    }

    pub(super) fn open_details(&mut self, frames: &mut FrameStack, open: Option<bool>, raw: &str) {
        let tag = OpeningTag {
            name: "details",
            raw,
            start: 0,
            column: 0,
        };
        if !frames.container().accepts("expandable") {
            self.open(frames, FrameKind::Markers(String::new()), tag, None);
            return;
        }
        let kind = FrameKind::Details {
            open: open.filter(|open| *open),
            title: None,
        };
        self.open(frames, kind, tag, Some(ContainerKind::Expandable));
    }

    pub(super) fn summary(&mut self, frames: &mut FrameStack, nodes: Vec<InlineNode>) {
        if let FrameKind::Details { title, .. } = &mut frames.top_mut().kind {
            *title = Some(nodes);
        }
    }

    /// Builds the content of a frame that ends, with or without a closing tag.
    fn build_content(&mut self, frame: Frame, tag: Option<ClosingTag<'_>>) -> Vec<FrameContent> {
        let Frame {
            kind,
            name,
            contents,
            raw,
            depth,
            start,
            column,
            ..
        } = frame;
        let markers = |contents| with_markers(&raw, String::new(), contents, &name, tag);
        match kind {
            FrameKind::Root => contents,
            FrameKind::Markers(visible) => with_markers(&raw, visible, contents, &name, tag),
            FrameKind::Unknown(content) => {
                let closing = match tag {
                    Some(_) => String::new(),
                    None => format!("{}\n{{% end{name} %}}", content.missing_end.unwrap_or_default()),
                };
                let end = tag.map_or(content.end, |tag| tag.end);
                blocks(vec![self.unknown_block((start, column), end, &closing, depth)])
            }
            FrameKind::Hint(data) => blocks(hoist::split_container(into_blocks(contents), |nodes| {
                containers::hint(data.clone(), nodes)
            })),
            FrameKind::If(data) => blocks(vec![containers::condition(data, into_blocks(contents))]),
            FrameKind::Tabs(data) => items(contents, |nodes| containers::tabs(data, nodes)).unwrap_or_else(markers),
            FrameKind::Stepper => items(contents, containers::stepper).unwrap_or_else(markers),
            FrameKind::Columns(data) => {
                items(contents, |nodes| containers::columns(data, nodes)).unwrap_or_else(markers)
            }
            FrameKind::Updates(data) => {
                items(contents, |nodes| containers::updates(data, nodes)).unwrap_or_else(markers)
            }
            FrameKind::Tab(data) => build_item(contents, |nodes| FrameContent::Tab(containers::tabs_item(data, nodes))),
            FrameKind::Step(data) => build_item(contents, |nodes| {
                FrameContent::Step(containers::stepper_step(data, nodes))
            }),
            FrameKind::Column(data) => {
                build_item(contents, |nodes| FrameContent::Column(containers::column(data, nodes)))
            }
            FrameKind::Update(data) => {
                build_item(contents, |nodes| FrameContent::Update(containers::update(data, nodes)))
            }
            FrameKind::Prompt(data) => self.prompt(*data, contents, &raw, tag, (start, column)),
            FrameKind::Code(data) => blocks(code::apply_options(
                *data,
                into_blocks(contents),
                &raw,
                tag.map(|tag| tag.raw),
            )),
            FrameKind::Details { open, title } => blocks(containers::details(
                open,
                title.unwrap_or_default(),
                into_blocks(contents),
            )),
            FrameKind::Leaf { mut block, target } => {
                let mut contents = into_blocks(contents);
                if tag.is_some() {
                    contents.retain(|content| !fallback_link::take(&mut block, content, &target));
                }
                contents.insert(0, *block);
                blocks(contents)
            }
        }
    }

    /// Builds the block of an unknown container from its source, and from its closing tag if that is missing.
    fn unknown_block(
        &mut self,
        (start, column): (usize, usize),
        end: usize,
        closing: &str,
        depth: usize,
    ) -> DocumentBlock {
        let source = self.text.get(start..end).unwrap_or_default();
        let source = sources::without_prefixes(source, column);
        self.source_block(&format!("{source}{closing}"), depth)
    }

    /// Builds a prompt, which contains code. Any other content becomes code.
    fn prompt(
        &mut self,
        data: BlockPromptData,
        contents: Vec<FrameContent>,
        raw: &str,
        tag: Option<ClosingTag<'_>>,
        (start, column): (usize, usize),
    ) -> Vec<FrameContent> {
        let Some(tag) = tag else {
            return with_markers(raw, data.description, contents, "prompt", None);
        };
        let mut codes = Vec::new();
        for block in into_blocks(contents) {
            match block {
                DocumentBlock::BlockCode(code) => codes.push(*code),
                _ => {
                    let from = start + raw.len();
                    let inner = self
                        .text
                        .get(from..tag.end.saturating_sub(tag.raw.len()))
                        .unwrap_or_default();
                    let inner = sources::without_prefixes(inner, column);
                    let inner = inner.trim_matches('\n');
                    codes = match self.count(inner, '\n') {
                        true => vec![code::plain_block(inner)],
                        false => Vec::new(),
                    };
                    break;
                }
            }
        }
        blocks(vec![containers::prompt(data, codes)])
    }
}

/// Puts the tags of a container around its content, as their source. A missing closing tag is added, so that the container
/// ends where it does now.
fn with_markers(
    raw: &str,
    visible: String,
    contents: Vec<FrameContent>,
    name: &str,
    tag: Option<ClosingTag<'_>>,
) -> Vec<FrameContent> {
    let marker =
        |raw: &str, visible: String| FrameContent::Block(builders::source_paragraph(raw, visible, MarkSet::default()));
    let mut built = vec![marker(raw, visible)];
    built.extend(contents);
    let closing = match tag {
        Some(tag) => tag.raw.trim_end().to_owned(),
        None if raw.starts_with('<') => format!("</{name}>"),
        None => format!("{{% end{name} %}}"),
    };
    built.push(marker(&closing, String::new()));
    built
}

fn blocks(blocks: Vec<DocumentBlock>) -> Vec<FrameContent> {
    blocks.into_iter().map(FrameContent::Block).collect()
}

fn into_blocks(contents: Vec<FrameContent>) -> Vec<DocumentBlock> {
    let blocks = contents.into_iter().filter_map(|content| match content {
        FrameContent::Block(block) => Some(block),
        FrameContent::Tab(_) | FrameContent::Step(_) | FrameContent::Column(_) | FrameContent::Update(_) => None,
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

/// An item of a container.
trait ContainerItem: Sized {
    type Block: TryFrom<DocumentBlock, Error = Box<DocumentBlock>> + Into<DocumentBlock>;

    fn from_content(content: FrameContent) -> Result<Self, Box<FrameContent>>;
    fn blocks(&mut self) -> &mut Vec<Self::Block>;
}

macro_rules! container_item {
    ($($variant:ident: $item:ident of $block:ident),+ $(,)?) => {
        $(impl ContainerItem for $item {
            type Block = $block;

            fn from_content(content: FrameContent) -> Result<Self, Box<FrameContent>> {
                match content {
                    FrameContent::$variant(item) => Ok(item),
                    other => Err(Box::new(other)),
                }
            }

            fn blocks(&mut self) -> &mut Vec<$block> {
                self.nodes.get_or_insert_default()
            }
        })+
    };
}
container_item!(
    Tab: BlockTabsItem of PanelBlock,
    Step: BlockStepperStep of StepBlock,
    Column: BlockColumn of ColumnBlock,
    Update: BlockUpdate of UpdateBlock,
);

/// Groups items into a container. Content before the first item belongs to that item, and content after an item to that
/// item. Without any item the content is returned.
fn items<T: ContainerItem>(
    contents: Vec<FrameContent>,
    container: impl FnOnce(Vec<T>) -> DocumentBlock,
) -> Result<Vec<FrameContent>, Vec<FrameContent>> {
    let (mut before, mut items, mut rest) = (Vec::new(), Vec::<T>::new(), Vec::new());
    let nothing = contents.is_empty();
    for content in contents {
        match T::from_content(content).map_err(|other| *other) {
            Ok(mut item) => {
                if items.is_empty() {
                    item.blocks().splice(0..0, before.drain(..));
                }
                items.push(item);
            }
            Err(FrameContent::Block(block)) => match (T::Block::try_from(block), items.last_mut()) {
                (Ok(block), Some(item)) => item.blocks().push(block),
                (Ok(block), None) => before.push(block),
                (Err(block), _) => rest.push(FrameContent::Block(*block)),
            },
            Err(other) => rest.push(other),
        }
    }
    if items.is_empty() && !nothing {
        let before = before.into_iter().map(|block| FrameContent::Block(block.into()));
        return Err(before.chain(rest).collect());
    }
    let mut built = vec![FrameContent::Block(container(items))];
    built.append(&mut rest);
    Ok(built)
}
