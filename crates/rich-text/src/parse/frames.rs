//! What tags enclose. A frame is open from its tag to the closing one, or to the end of what it was opened in.

use openapi::models::{
    BlockCodeData, BlockColumn, BlockColumnData, BlockColumnsData, BlockHintData, BlockIfData, BlockStepperStep,
    BlockStepperStepData, BlockTabsData, BlockTabsItem, BlockTabsItemData, ContentRef, DocumentBlock, Inline,
    InlineNode,
};

use super::{Place, Reader, code, containers, hoist, paragraph_of};
use crate::{
    limits::Limits,
    nodes::{plain_text, unions::Family},
};

pub enum Opener {
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
    /// A block without content of its own. What stands before its closing tag is a caption, or repeats the target.
    Leaf {
        block: Box<DocumentBlock>,
        target: String,
    },
}

/// What lies in a frame.
pub enum Content {
    Block(DocumentBlock),
    Tab(BlockTabsItem),
    Step(BlockStepperStep),
    Column(BlockColumn),
}

struct Frame {
    opener: Opener,
    /// What closes it.
    name: String,
    /// The opening tag as it was written.
    raw: String,
    place: Place,
    depth: usize,
    contents: Vec<Content>,
}

/// The open frames of one container.
pub struct Frames {
    outer: Frame,
    inner: Vec<Frame>,
}

impl Frames {
    pub fn new(place: Place, depth: usize) -> Self {
        let outer = Frame {
            opener: Opener::Root,
            name: String::new(),
            raw: String::new(),
            place,
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

    pub fn place(&self) -> Place {
        self.top().place
    }

    pub fn depth(&self) -> usize {
        self.top().depth
    }

    pub fn push(&mut self, block: DocumentBlock) {
        self.top_mut().contents.push(Content::Block(block));
    }

    pub fn extend(&mut self, blocks: Vec<DocumentBlock>) {
        self.top_mut().contents.extend(blocks.into_iter().map(Content::Block));
    }

    pub fn text(&mut self, text: &str) {
        self.push(paragraph_of(text.trim_end()));
    }

    pub fn opener(&self) -> &Opener {
        &self.top().opener
    }

    pub fn has_room(&self, limits: &Limits) -> bool {
        self.depth() + LEVELS <= limits.depth
    }

    pub fn has_details(&self) -> bool {
        self.inner
            .iter()
            .any(|frame| matches!(frame.opener, Opener::Details { .. }))
    }

    pub fn wants_summary(&self) -> bool {
        let frame = self.top();
        frame.contents.is_empty() && matches!(frame.opener, Opener::Details { title: None, .. })
    }

    fn open(&mut self, opener: Opener, name: &str, raw: &str, place: Option<Place>) {
        let depth = self.depth()
            + if matches!(opener, Opener::Leaf { .. }) {
                0
            } else {
                LEVELS
            };
        self.inner.push(Frame {
            opener,
            name: name.to_owned(),
            raw: raw.to_owned(),
            place: place.unwrap_or(self.place()),
            depth,
            contents: Vec::new(),
        });
    }

    /// All blocks, after closing what was left open.
    pub fn finish(mut self, reader: &mut Reader<'_, '_>) -> Vec<DocumentBlock> {
        while let Some(frame) = self.inner.pop() {
            let made = reader.made(frame, false);
            self.top_mut().contents.extend(made);
        }
        let blocks = self.outer.contents.into_iter().filter_map(|content| match content {
            Content::Block(block) => Some(block),
            Content::Tab(_) | Content::Step(_) | Content::Column(_) => None,
        });
        blocks.collect()
    }
}

/// The levels that a frame may add: a block and a part of it, or a block and a fragment.
const LEVELS: usize = 2;

impl Reader<'_, '_> {
    /// Opens a frame; one of a block without content ends before it.
    pub(super) fn open(&mut self, frames: &mut Frames, opener: Opener, name: &str, raw: &str, place: Option<Place>) {
        self.end_leaf(frames);
        frames.open(opener, name, raw, place);
    }

    /// Ends a block without content whose closing tag was left out, as it usually is.
    pub(super) fn end_leaf(&mut self, frames: &mut Frames) {
        if matches!(frames.opener(), Opener::Leaf { .. }) {
            self.close_top(frames, false);
        }
    }

    /// Closes the frame of this name with all in it that was left open. Answers whether there was one.
    pub(super) fn close(&mut self, frames: &mut Frames, name: &str) -> bool {
        if !frames.inner.iter().any(|frame| frame.name == name) {
            return false;
        }
        while !frames.inner.is_empty() {
            let found = frames.top().name == name;
            self.close_top(frames, found);
            if found {
                break;
            }
        }
        true
    }

    fn close_top(&mut self, frames: &mut Frames, by_tag: bool) {
        if let Some(frame) = frames.inner.pop() {
            let made = self.made(frame, by_tag);
            frames.top_mut().contents.extend(made);
        }
    }

    pub(super) fn open_details(&mut self, frames: &mut Frames, open: Option<bool>, raw: &str) {
        let opener = Opener::Details {
            open: open.filter(|open| *open),
            title: None,
        };
        self.open(frames, opener, "details", raw, Some(Place::Expandable));
    }

    pub(super) fn summary(&mut self, frames: &mut Frames, nodes: Vec<InlineNode>) {
        if let Opener::Details { title, .. } = &mut frames.top_mut().opener {
            *title = Some(nodes);
        }
    }

    /// What a frame becomes, whether it has a closing tag or not.
    fn made(&mut self, frame: Frame, by_tag: bool) -> Vec<Content> {
        let Frame {
            opener, contents, raw, ..
        } = frame;
        match opener {
            Opener::Root => contents,
            Opener::Hint(data) => blocks(hoist::around(only_blocks(contents), |nodes| {
                containers::hint(data.clone(), nodes)
            })),
            Opener::If(data) => blocks(vec![containers::condition(data, only_blocks(contents))]),
            Opener::Tabs(data) => grouped(contents, tab, |nodes| containers::tabs(data.clone(), nodes)),
            Opener::Stepper => grouped(contents, step, containers::stepper),
            Opener::Columns(data) => grouped(contents, column, |nodes| containers::columns(data.clone(), nodes)),
            Opener::Tab(data) => part(contents, |nodes| Content::Tab(containers::tabs_item(data, nodes))),
            Opener::Step(data) => part(contents, |nodes| Content::Step(containers::stepper_step(data, nodes))),
            Opener::Column(data) => part(contents, |nodes| Content::Column(containers::column_of(data, nodes))),
            Opener::Code(data) => blocks(code::with_options(*data, only_blocks(contents), &raw)),
            Opener::Details { open, title } => blocks(containers::details(
                open,
                title.unwrap_or_default(),
                only_blocks(contents),
            )),
            Opener::Leaf { block, target } => {
                let mut made = vec![*block];
                let repeated = |block: &DocumentBlock| by_tag && repeats_target(block, &target);
                made.extend(only_blocks(contents).into_iter().filter(|block| !repeated(block)));
                blocks(made)
            }
        }
    }
}

fn blocks(blocks: Vec<DocumentBlock>) -> Vec<Content> {
    blocks.into_iter().map(Content::Block).collect()
}

fn only_blocks(contents: Vec<Content>) -> Vec<DocumentBlock> {
    let blocks = contents.into_iter().filter_map(|content| match content {
        Content::Block(block) => Some(block),
        Content::Tab(_) | Content::Step(_) | Content::Column(_) => None,
    });
    blocks.collect()
}

/// A part with the blocks that may stand in it; the others come after the part.
fn part<T: Family>(contents: Vec<Content>, part: impl FnOnce(Vec<T>) -> Content) -> Vec<Content> {
    let (inside, outside) = hoist::split(only_blocks(contents));
    let mut made = vec![part(inside)];
    made.extend(blocks(outside));
    made
}

/// Containers around parts, and blocks between these.
fn grouped<T>(
    contents: Vec<Content>,
    take: impl Fn(Content) -> Result<T, Box<Content>>,
    container: impl Fn(Vec<T>) -> DocumentBlock,
) -> Vec<Content> {
    let mut made = Vec::new();
    let mut parts = Vec::new();
    let nothing = contents.is_empty();
    for content in contents {
        match take(content) {
            Ok(part) => parts.push(part),
            Err(other) => {
                if !parts.is_empty() {
                    made.push(Content::Block(container(std::mem::take(&mut parts))));
                }
                made.push(*other);
            }
        }
    }
    if !parts.is_empty() || nothing {
        made.push(Content::Block(container(parts)));
    }
    made
}

fn tab(content: Content) -> Result<BlockTabsItem, Box<Content>> {
    match content {
        Content::Tab(tab) => Ok(tab),
        other => Err(Box::new(other)),
    }
}

fn step(content: Content) -> Result<BlockStepperStep, Box<Content>> {
    match content {
        Content::Step(step) => Ok(step),
        other => Err(Box::new(other)),
    }
}

fn column(content: Content) -> Result<BlockColumn, Box<Content>> {
    match content {
        Content::Column(column) => Ok(column),
        other => Err(Box::new(other)),
    }
}

/// Whether a block is only a link to the target that the block before it has already, or to a part of its words.
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
            let words = plain_text::of_line(paragraph.nodes.as_deref().unwrap_or_default());
            same && target.contains(words.trim())
        }
        _ => false,
    }
}
