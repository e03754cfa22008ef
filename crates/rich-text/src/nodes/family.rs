//! The families of blocks: which blocks the contract allows in which place.
//!
//! Every family is a part of `DocumentBlock`. Blocks are made as such and then narrowed to the family of their place.

use openapi::models::{
    AnnotationBlock, BlockBlockquote, BlockCode, BlockColumns, BlockContentRef, BlockDivider, BlockDrawing, BlockEmbed,
    BlockExpandable, BlockFile, BlockHeading1, BlockHeading2, BlockHeading3, BlockHint, BlockIf, BlockImages,
    BlockIntegration, BlockListOrdered, BlockListTasks, BlockListUnordered, BlockMath, BlockOpenApiOperation,
    BlockOpenApiSchemas, BlockOpenApiWebhook, BlockParagraph, BlockReusableContent, BlockStepper, BlockSwagger,
    BlockTable, BlockTabs, BlockquoteBlock, ColumnBlock, DocumentBlock, EssentialBlock, ExpandableBlock, ListItemBlock,
    PanelBlock,
};

use super::walk::{Node, Step};

/// A family of blocks.
pub trait Family: Node + Sized {
    /// The block as one of this family, or as it was.
    fn narrow(block: DocumentBlock) -> Result<Self, Box<DocumentBlock>>;
    fn kind(&self) -> Kind<'_>;
}

/// A block of one type as a block of a document.
pub trait Whole {
    fn whole(self) -> DocumentBlock;
}

macro_rules! node_of_variants {
    ($family:ident: $($kind:ident),+) => {
        impl Node for $family {
            fn key(&self) -> &Option<String> {
                match self { $(Self::$kind(it) => it.key()),+ }
            }
            fn key_mut(&mut self) -> &mut Option<String> {
                match self { $(Self::$kind(it) => it.key_mut()),+ }
            }
            fn name(&self) -> &'static str {
                match self { $(Self::$kind(it) => it.name()),+ }
            }
            fn facts(&self) -> serde_json::Value {
                match self { $(Self::$kind(it) => it.facts()),+ }
            }
            fn anchor(&self) -> Option<super::anchors::Source> {
                match self { $(Self::$kind(it) => it.anchor()),+ }
            }
            fn set_anchor(&mut self, id: String) {
                match self { $(Self::$kind(it) => it.set_anchor(id)),+ }
            }
            fn anchor_id(&self) -> Option<&str> {
                match self { $(Self::$kind(it) => it.anchor_id()),+ }
            }
            fn is_block(&self) -> bool {
                match self { $(Self::$kind(it) => it.is_block()),+ }
            }
            fn references(
                &self,
            ) -> Vec<(crate::references::Role, openapi::models::ContentRef)> {
                match self { $(Self::$kind(it) => it.references()),+ }
            }
            fn text(&self) -> Option<&openapi::models::Text> {
                match self { $(Self::$kind(it) => it.text()),+ }
            }
            fn table(&self) -> Option<&openapi::models::BlockTable> {
                match self { $(Self::$kind(it) => it.table()),+ }
            }
            fn children(&self) -> Vec<Step<'_>> {
                match self { $(Self::$kind(it) => it.children()),+ }
            }
            fn children_mut(&mut self) -> Vec<&mut dyn Node> {
                match self { $(Self::$kind(it) => it.children_mut()),+ }
            }
        }
    };
}
pub(super) use node_of_variants;

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

        node_of_variants!(DocumentBlock: $($kind),+);
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

        node_of_variants!($family: $($kind),+);
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
