//! The block unions of the contract: the blocks that each container accepts.
//!
//! Every union is a subset of `DocumentBlock`. The parser makes a `DocumentBlock` and converts it to the union of its
//! container.

use openapi::models::{
    AnnotationBlock, BlockBlockquote, BlockCode, BlockColumns, BlockContentRef, BlockDivider, BlockDrawing, BlockEmbed,
    BlockExpandable, BlockFile, BlockHeading1, BlockHeading2, BlockHeading3, BlockHint, BlockIf, BlockImages,
    BlockIntegration, BlockListOrdered, BlockListTasks, BlockListUnordered, BlockMath, BlockOpenApiOperation,
    BlockOpenApiSchemas, BlockOpenApiWebhook, BlockParagraph, BlockReusableContent, BlockStepper, BlockSwagger,
    BlockTable, BlockTabs, BlockquoteBlock, CodeLineInline, CodeLineNode, ColumnBlock, DocumentBlock, EssentialBlock,
    ExpandableBlock, ExpandableFragment, Inline, InlineNode, LinkNode, ListItemBlock, PanelBlock,
};

use super::node::{AsNode, Node};

/// A union of blocks.
pub trait BlockUnion: AsNode + Sized {
    /// Converts a block to this union; returns the block if the union does not include its type.
    fn try_from_block(block: DocumentBlock) -> Result<Self, Box<DocumentBlock>>;
    fn as_block_ref(&self) -> BlockRef<'_>;
}

/// A block that converts to a `DocumentBlock`.
pub trait IntoBlock {
    fn into_block(self) -> DocumentBlock;
}

macro_rules! as_node {
    ($union:ident: $($variant:ident),+) => {
        impl AsNode for $union {
            fn as_node(&self) -> &dyn Node {
                match self { $(Self::$variant(it) => it.as_node()),+ }
            }
            fn as_node_mut(&mut self) -> &mut dyn Node {
                match self { $(Self::$variant(it) => it.as_node_mut()),+ }
            }
        }
    };
}

macro_rules! document_blocks {
    ($($kind:ident),+ $(,)?) => {
        /// A reference to a block of any type.
        #[derive(Clone, Copy)]
        pub enum BlockRef<'a> {
            $($kind(&'a $kind)),+
        }

        impl BlockUnion for DocumentBlock {
            fn try_from_block(block: DocumentBlock) -> Result<Self, Box<DocumentBlock>> {
                Ok(block)
            }
            fn as_block_ref(&self) -> BlockRef<'_> {
                match self { $(Self::$kind(it) => BlockRef::$kind(it)),+ }
            }
        }

        $(impl IntoBlock for $kind {
            fn into_block(self) -> DocumentBlock {
                DocumentBlock::$kind(self)
            }
        })+

        as_node!(DocumentBlock: $($kind),+);
    };
}

macro_rules! block_union {
    ($union:ident: $($kind:ident),+ $(,)?) => {
        impl BlockUnion for $union {
            fn try_from_block(block: DocumentBlock) -> Result<Self, Box<DocumentBlock>> {
                match block {
                    $(DocumentBlock::$kind(it) => Ok(Self::$kind(it)),)+
                    other => Err(Box::new(other)),
                }
            }
            fn as_block_ref(&self) -> BlockRef<'_> {
                match self { $(Self::$kind(it) => BlockRef::$kind(it)),+ }
            }
        }

        as_node!($union: $($kind),+);
    };
}

/// A union of the essential blocks and some others.
macro_rules! essential_block_union {
    ($union:ident: $($kind:ident),* $(,)?) => {
        block_union!(
            $union: BlockParagraph, BlockHeading1, BlockHeading2, BlockHeading3, BlockListOrdered, BlockListUnordered,
            BlockListTasks, BlockDivider $(, $kind)*
        );
    };
}

document_blocks!(
    BlockParagraph,
    BlockHeading1,
    BlockHeading2,
    BlockHeading3,
    BlockListOrdered,
    BlockListUnordered,
    BlockListTasks,
    BlockDivider,
    BlockBlockquote,
    BlockHint,
    BlockImages,
    BlockFile,
    BlockDrawing,
    BlockEmbed,
    BlockCode,
    BlockMath,
    BlockExpandable,
    BlockTabs,
    BlockTable,
    BlockSwagger,
    BlockOpenApiOperation,
    BlockOpenApiSchemas,
    BlockOpenApiWebhook,
    BlockContentRef,
    BlockIntegration,
    BlockReusableContent,
    BlockStepper,
    BlockColumns,
    BlockIf,
);

essential_block_union!(EssentialBlock:);
essential_block_union!(BlockquoteBlock: BlockBlockquote);
essential_block_union!(AnnotationBlock: BlockCode);
essential_block_union!(ListItemBlock: BlockCode, BlockHint, BlockBlockquote, BlockMath, BlockTable);
essential_block_union!(
    ExpandableBlock: BlockImages, BlockCode, BlockTable, BlockHint, BlockBlockquote, BlockReusableContent
);
essential_block_union!(
    PanelBlock: BlockContentRef, BlockCode, BlockEmbed, BlockFile, BlockImages, BlockDrawing, BlockHint,
    BlockBlockquote, BlockMath, BlockIntegration
);
essential_block_union!(
    ColumnBlock: BlockImages, BlockCode, BlockHint, BlockContentRef, BlockDrawing, BlockEmbed, BlockFile,
    BlockIntegration, BlockMath, BlockBlockquote, BlockTable
);

as_node!(ExpandableFragment: ExpandableTitleFragment, ExpandableBodyFragment);
as_node!(InlineNode: Text, Inline);
as_node!(LinkNode: Text, InlineImage);
as_node!(CodeLineNode: Text, CodeLineInline);
as_node!(CodeLineInline: InlineAnnotation, InlineExpression);
as_node!(
    Inline: InlineLink, InlineEmoji, InlineIcon, InlineExpression, InlineMath, InlineImage, InlineMention, InlineButton,
    InlineAnnotation
);
