//! Documents block by block.

use std::borrow::Cow;

use openapi::models::DocumentBlock;

use super::{
    error::DocumentError,
    limits::DocumentLimits,
    nodes::{anchors::AnchorAssigner, keys::KeyAssigner, node::AsNode},
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

    /// Gives the blocks that end with the next piece of the text to `sink`. Returns whether there are more pieces.
    pub fn next_piece(&mut self, sink: &mut dyn FnMut(DocumentBlock)) -> Result<bool, DocumentError> {
        let (anchors, keys) = (&mut self.anchors, &mut self.keys);
        self.parser.next_piece(&mut |mut block| {
            anchors.assign(block.as_node_mut());
            keys.assign(&mut block)?;
            sink(block);
            Ok(())
        })
    }

    pub fn for_each(&mut self, sink: &mut dyn FnMut(DocumentBlock)) -> Result<(), DocumentError> {
        while self.next_piece(sink)? {}
        Ok(())
    }
}
