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
};

/// A document that is being parsed. Its blocks are those of `parse_with`.
pub struct DocumentStream<'t> {
    parser: BlockParser<'t>,
    anchors: AnchorAssigner,
    keys: KeyAssigner,
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
        })
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

    /// Gives all blocks to `sink`, long ones in parts.
    pub fn for_each_part(&mut self, sink: &mut dyn FnMut(&DocumentBlock)) -> Result<(), DocumentError> {
        while self.next_piece(&mut |part| sink(&part.block))? {}
        Ok(())
    }

    pub fn for_each(&mut self, sink: &mut dyn FnMut(DocumentBlock)) -> Result<(), DocumentError> {
        let mut joiner = PartJoiner::default();
        while self.next_piece(&mut |part| joiner.add(part).into_iter().for_each(&mut *sink))? {}
        Ok(())
    }
}
