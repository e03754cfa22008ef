//! Constructors of common nodes.

use openapi::models::{
    BlockDivider, BlockDividerData, BlockHeading1, BlockHeading1Data, BlockHeading2, BlockHeading2Data, BlockHeading3,
    BlockHeading3Data, BlockParagraph, BlockParagraphData, DocumentBlock, InlineNode, Text, TextAlignment, TextLeaf,
};

use super::marks::MarkSet;

pub fn paragraph(nodes: Vec<InlineNode>) -> BlockParagraph {
    aligned_paragraph(nodes, None)
}

pub fn aligned_paragraph(nodes: Vec<InlineNode>, align: Option<TextAlignment>) -> BlockParagraph {
    BlockParagraph {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: None,
        data: align.map(|align| BlockParagraphData { align: Some(align) }),
        nodes: Some(nodes),
    }
}

pub fn divider() -> BlockDivider {
    BlockDivider {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: Default::default(),
        data: BlockDividerData {},
    }
}

/// The parts of a heading.
pub struct HeadingBuilder {
    pub level: u8,
    pub nodes: Vec<InlineNode>,
    /// Explicit anchor.
    pub id: Option<String>,
    pub align: Option<TextAlignment>,
}

impl HeadingBuilder {
    pub fn build(self) -> DocumentBlock {
        macro_rules! heading {
            ($kind:ident, $data:ident) => {
                DocumentBlock::$kind($kind {
                    object: Default::default(),
                    r#type: Default::default(),
                    key: None,
                    is_void: None,
                    data: $data {
                        id: self.id,
                        align: self.align,
                    },
                    meta: None,
                    nodes: Some(self.nodes),
                })
            };
        }
        match self.level {
            0 | 1 => heading!(BlockHeading1, BlockHeading1Data),
            2 => heading!(BlockHeading2, BlockHeading2Data),
            _ => heading!(BlockHeading3, BlockHeading3Data),
        }
    }
}

/// Maximum length of a leaf in the contract; longer text becomes several leaves.
const MAX_LEAF_LENGTH: usize = 100_000;

pub fn text(leaves: Vec<(String, MarkSet)>) -> Text {
    let mut split = Vec::with_capacity(leaves.len());
    for (text, marks) in leaves {
        match text.len() > MAX_LEAF_LENGTH {
            false => split.push(leaf(text, marks)),
            true => {
                let mut rest = text.as_str();
                while !rest.is_empty() {
                    let end = rest
                        .char_indices()
                        .nth(MAX_LEAF_LENGTH)
                        .map_or(rest.len(), |(at, _)| at);
                    let (part, after) = rest.split_at(end);
                    split.push(leaf(part.to_owned(), marks));
                    rest = after;
                }
            }
        }
    }
    Text {
        object: Default::default(),
        key: None,
        leaves: split,
    }
}

pub fn plain_text(content: &str) -> Text {
    let leaves = match content.is_empty() {
        true => Vec::new(),
        false => vec![(content.to_owned(), MarkSet::default())],
    };
    text(leaves)
}

fn leaf(text: String, marks: MarkSet) -> TextLeaf {
    TextLeaf {
        object: Default::default(),
        text,
        marks: marks.to_nodes(),
    }
}
