//! Documents block by block: the nodes of a long text take many times its bytes.

use std::borrow::Cow;

use openapi::models::DocumentBlock;

use super::{
    error::DocumentError,
    limits::DocumentLimits,
    nodes::{
        anchors::AnchorAssigner,
        keys::KeyAssigner,
        node::AsNode,
        parts::{BlockPart, PartJoiner},
    },
    parse::BlockParser,
    resolver::LinkResolver,
    syntax::prepare::has_definitions,
};

/// A document that is being parsed. Its blocks are those of `parse_with`.
pub struct DocumentStream<'t> {
    parser: BlockParser<'t>,
    anchors: AnchorAssigner,
    keys: KeyAssigner,
    joiner: PartJoiner,
}

/// A text that grows by doubling has up to this many times its bytes for a moment.
const COPY_GROWTH: usize = 3;

/// Memory of giving a piece, however short it is.
const STEP_BYTES: usize = 8 * 1024;

/// Returns the most memory that opening the stream of a text takes besides the text: ends of lines are made alike in a copy that
/// grows, and definitions are collected first, in a pass over all pieces.
pub fn opening_memory(text: &str, limits: &DocumentLimits) -> usize {
    match has_definitions(text) {
        true => limits.parse_memory(text),
        false => text.len().saturating_mul(COPY_GROWTH),
    }
}

impl<'t> DocumentStream<'t> {
    pub fn new(
        markdown: impl Into<Cow<'t, str>>,
        limits: &DocumentLimits,
        resolver: &'t dyn LinkResolver,
    ) -> Result<Self, DocumentError> {
        Ok(Self {
            parser: BlockParser::new(markdown.into(), limits, resolver)?,
            anchors: AnchorAssigner::default(),
            keys: KeyAssigner::new(Default::default(), *limits),
            joiner: PartJoiner::default(),
        })
    }

    /// Returns the most memory that the next piece takes, with the JSON of the blocks that it gives.
    pub fn next_memory(&mut self) -> usize {
        self.parser.next_memory().saturating_add(STEP_BYTES)
    }

    /// Gives the blocks of the next piece of the text to `sink`, long ones in parts. Returns whether there are more pieces.
    pub fn next_piece(&mut self, sink: &mut dyn FnMut(BlockPart)) -> Result<bool, DocumentError> {
        let (anchors, keys) = (&mut self.anchors, &mut self.keys);
        self.parser.next_piece(&mut |mut part| {
            anchors.assign(part.block.as_node_mut());
            keys.assign(&mut part)?;
            sink(part);
            Ok(())
        })
    }

    /// Gives the blocks that end with the next piece of the text to `sink`. Returns whether there are more pieces.
    pub fn next_blocks(&mut self, sink: &mut dyn FnMut(DocumentBlock)) -> Result<bool, DocumentError> {
        let mut joiner = std::mem::take(&mut self.joiner);
        let has_more = self.next_piece(&mut |part| joiner.add(part).into_iter().for_each(&mut *sink));
        self.joiner = joiner;
        has_more
    }

    /// Gives all blocks to `sink`, long ones in parts.
    pub fn for_each_part(&mut self, sink: &mut dyn FnMut(&DocumentBlock)) -> Result<(), DocumentError> {
        while self.next_piece(&mut |part| sink(&part.block))? {}
        Ok(())
    }

    pub fn for_each(&mut self, sink: &mut dyn FnMut(DocumentBlock)) -> Result<(), DocumentError> {
        while self.next_blocks(sink)? {}
        Ok(())
    }
}
