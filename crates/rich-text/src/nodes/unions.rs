//! The families of blocks: which blocks the contract allows in which place.
//!
//! Every family is a part of `DocumentBlock`. Blocks are made as such and then narrowed to the family of their place.

use openapi::models::{
    AnnotationBlock, BlockBlockquote, BlockCode, BlockColumns, BlockContentRef, BlockDivider, BlockDrawing, BlockEmbed,
    BlockExpandable, BlockFile, BlockHeading1, BlockHeading2, BlockHeading3, BlockHint, BlockIf, BlockImages,
    BlockIntegration, BlockListOrdered, BlockListTasks, BlockListUnordered, BlockMath, BlockOpenApiOperation,
    BlockOpenApiSchemas, BlockOpenApiWebhook, BlockParagraph, BlockReusableContent, BlockStepper, BlockSwagger,
    BlockTable, BlockTabs, BlockquoteBlock, CodeLineInline, CodeLineNode, ColumnBlock, DocumentBlock, EssentialBlock,
    ExpandableBlock, ExpandableFragment, Inline, InlineNode, LinkNode, ListItemBlock, PanelBlock,
};

use super::node::{AsNode, Node};

/// A family of blocks.
pub trait Family: AsNode + Sized {
    /// The block as one of this family, or as it was.
    fn narrow(block: DocumentBlock) -> Result<Self, Box<DocumentBlock>>;
    fn kind(&self) -> Kind<'_>;
}

/// A block of one type as a block of a document.
pub trait Whole {
    fn whole(self) -> DocumentBlock;
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
        /// A block of any family.
        #[derive(Clone, Copy)]
        pub enum Kind<'a> {
            $($kind(&'a $kind)),+
        }

        impl Family for DocumentBlock {
            fn narrow(block: DocumentBlock) -> Result<Self, Box<DocumentBlock>> {
                Ok(block)
            }
            fn kind(&self) -> Kind<'_> {
                match self { $(Self::$kind(it) => Kind::$kind(it)),+ }
            }
        }

        $(impl Whole for $kind {
            fn whole(self) -> DocumentBlock {
                DocumentBlock::$kind(self)
            }
        })+

        as_node!(DocumentBlock: $($kind),+);
    };
}

macro_rules! family {
    ($family:ident: $($kind:ident),+ $(,)?) => {
        impl Family for $family {
            fn narrow(block: DocumentBlock) -> Result<Self, Box<DocumentBlock>> {
                match block {
                    $(DocumentBlock::$kind(it) => Ok(Self::$kind(it)),)+
                    other => Err(Box::new(other)),
                }
            }
            fn kind(&self) -> Kind<'_> {
                match self { $(Self::$kind(it) => Kind::$kind(it)),+ }
            }
        }

        as_node!($family: $($kind),+);
    };
}

/// A family that has the essential blocks and further ones.
macro_rules! family_with_essentials {
    ($family:ident: $($kind:ident),* $(,)?) => {
        family!(
            $family: BlockParagraph, BlockHeading1, BlockHeading2, BlockHeading3, BlockListOrdered, BlockListUnordered,
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

family_with_essentials!(EssentialBlock:);
family_with_essentials!(BlockquoteBlock: BlockBlockquote);
family_with_essentials!(AnnotationBlock: BlockCode);
family_with_essentials!(ListItemBlock: BlockCode, BlockHint, BlockBlockquote, BlockMath, BlockTable);
family_with_essentials!(
    ExpandableBlock: BlockImages, BlockCode, BlockTable, BlockHint, BlockBlockquote, BlockReusableContent
);
family_with_essentials!(
    PanelBlock: BlockContentRef, BlockCode, BlockEmbed, BlockFile, BlockImages, BlockDrawing, BlockHint,
    BlockBlockquote, BlockMath, BlockIntegration
);
family_with_essentials!(
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
