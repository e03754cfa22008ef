//! Nodes with what every node of their type has.

use openapi::models::{
    BlockDivider, BlockDividerData, BlockHeading1, BlockHeading1Data, BlockHeading2, BlockHeading2Data, BlockHeading3,
    BlockHeading3Data, BlockParagraph, BlockParagraphData, DocumentBlock, InlineNode, Text, TextAlignment, TextLeaf,
};

use super::marks::Marks;

pub fn paragraph(nodes: Vec<InlineNode>) -> BlockParagraph {
    aligned(nodes, None)
}

pub fn aligned(nodes: Vec<InlineNode>, align: Option<TextAlignment>) -> BlockParagraph {
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

/// What a heading is made from.
pub struct Heading {
    pub level: u8,
    pub nodes: Vec<InlineNode>,
    /// An anchor that the author chose.
    pub id: Option<String>,
    pub align: Option<TextAlignment>,
}

impl Heading {
    pub fn block(self) -> DocumentBlock {
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

/// The contract limits the length of a leaf; a longer text gets several.
const LEAF_LENGTH: usize = 100_000;

pub fn text(leaves: Vec<(String, Marks)>) -> Text {
    let mut made = Vec::with_capacity(leaves.len());
    for (text, marks) in leaves {
        match text.len() > LEAF_LENGTH {
            false => made.push(leaf(text, marks)),
            true => {
                let mut rest = text.as_str();
                while !rest.is_empty() {
                    let end = rest.char_indices().nth(LEAF_LENGTH).map_or(rest.len(), |(at, _)| at);
                    let (part, after) = rest.split_at(end);
                    made.push(leaf(part.to_owned(), marks));
                    rest = after;
                }
            }
        }
    }
    Text {
        object: Default::default(),
        key: None,
        leaves: made,
    }
}

pub fn plain(words: &str) -> Text {
    let leaves = match words.is_empty() {
        true => Vec::new(),
        false => vec![(words.to_owned(), Marks::default())],
    };
    text(leaves)
}

fn leaf(text: String, marks: Marks) -> TextLeaf {
    TextLeaf {
        object: Default::default(),
        text,
        marks: marks.to_nodes(),
    }
}
