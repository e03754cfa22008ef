//! The unions of the contract as nodes.

use openapi::models::{
    AnnotationBlock, BlockCode, BlockquoteBlock, CodeLineInline, CodeLineNode, ColumnBlock, DocumentBlock,
    DocumentBlockKind, ExpandableBlock, ExpandableFragment, HintBlock, Inline, InlineNode, LinkNode, ListItemBlock,
    PanelBlock, StepBlock, UpdateBlock,
};

use super::node::{AsNode, DocumentNode};

/// A union of blocks: those that one kind of container accepts.
pub trait BlockUnion: AsNode {
    fn kind(&self) -> DocumentBlockKind<'_>;
}

macro_rules! as_node {
    ($union:ident: $($variant:ident),+) => {
        impl AsNode for $union {
            fn as_node(&self) -> &dyn DocumentNode {
                match self { $(Self::$variant(it) => it.as_node()),+ }
            }
            fn as_node_mut(&mut self) -> &mut dyn DocumentNode {
                match self { $(Self::$variant(it) => it.as_node_mut()),+ }
            }
        }
    };
}

macro_rules! block_unions {
    ($($union:ident),+ $(,)?) => {
        $(impl BlockUnion for $union {
            fn kind(&self) -> DocumentBlockKind<'_> {
                self.kind()
            }
        }

        openapi::variants!($union, as_node);)+
    };
}

block_unions!(
    AnnotationBlock,
    BlockquoteBlock,
    ColumnBlock,
    DocumentBlock,
    ExpandableBlock,
    HintBlock,
    ListItemBlock,
    PanelBlock,
    StepBlock,
    UpdateBlock,
);
openapi::variants!(CodeLineInline, as_node);
openapi::variants!(ExpandableFragment, as_node);
openapi::variants!(Inline, as_node);

/// A prompt contains only code.
impl BlockUnion for BlockCode {
    fn kind(&self) -> DocumentBlockKind<'_> {
        DocumentBlockKind::BlockCode(self)
    }
}

// Unions with text: text has no `type` that decides.
as_node!(CodeLineNode: Text, CodeLineInline);
as_node!(InlineNode: Text, Inline);
as_node!(LinkNode: Text, InlineImage);
