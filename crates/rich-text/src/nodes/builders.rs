//! Constructors of common nodes.

use openapi::models::{
    BlockDivider, BlockDividerData, BlockHeading1, BlockHeading1Data, BlockHeading2, BlockHeading2Data, BlockHeading3,
    BlockHeading3Data, BlockOpenApiOperation, BlockOpenApiOperationData, BlockOpenApiSchemas, BlockOpenApiSchemasData,
    BlockOpenApiWebhook, BlockOpenApiWebhookData, BlockParagraph, BlockParagraphData, DocumentBlock, InlineNode, Text,
    TextAlignment, TextLeaf,
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

pub fn openapi_operation(data: BlockOpenApiOperationData) -> DocumentBlock {
    DocumentBlock::from(BlockOpenApiOperation {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: Default::default(),
        data,
        meta: None,
    })
}

pub fn openapi_webhook(data: BlockOpenApiWebhookData) -> DocumentBlock {
    DocumentBlock::from(BlockOpenApiWebhook {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: Default::default(),
        data,
        meta: None,
    })
}

pub fn openapi_schemas(data: BlockOpenApiSchemasData) -> DocumentBlock {
    DocumentBlock::from(BlockOpenApiSchemas {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: Default::default(),
        data,
        meta: None,
    })
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
                DocumentBlock::from($kind {
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

/// The parts of a leaf.
#[derive(Default)]
pub struct LeafParts {
    pub text: String,
    pub marks: MarkSet,
    /// The source of unknown syntax.
    pub source: Option<String>,
}

pub fn text(leaves: Vec<LeafParts>) -> Text {
    let mut split = Vec::with_capacity(leaves.len());
    for LeafParts {
        mut text,
        marks,
        source,
    } in leaves
    {
        match text.len() > MAX_LEAF_LENGTH {
            false => split.push(leaf(text, marks, source)),
            true if source.is_some() => {
                // The source has the whole text.
                text.truncate(text.floor_char_boundary(MAX_LEAF_LENGTH));
                split.push(leaf(text, marks, source));
            }
            true => {
                let mut rest = text.as_str();
                while !rest.is_empty() {
                    let end = rest
                        .char_indices()
                        .nth(MAX_LEAF_LENGTH)
                        .map_or(rest.len(), |(at, _)| at);
                    let (part, after) = rest.split_at(end);
                    split.push(leaf(part.to_owned(), marks, None));
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

/// Appends the leaves of another text. Leaves with the same marks become one.
pub fn append_leaves(text: &mut Text, other: &mut Text) {
    for leaf in other.leaves.drain(..) {
        match text.leaves.last_mut() {
            Some(last)
                if last.marks == leaf.marks
                    && last.source.is_none()
                    && leaf.source.is_none()
                    && last.text.len() + leaf.text.len() <= MAX_LEAF_LENGTH =>
            {
                last.text.push_str(&leaf.text);
            }
            _ => text.leaves.push(leaf),
        }
    }
}

pub fn plain_text(content: &str) -> Text {
    let leaves = match content.is_empty() {
        true => Vec::new(),
        false => vec![LeafParts {
            text: content.to_owned(),
            ..LeafParts::default()
        }],
    };
    text(leaves)
}

/// Builds the paragraph of a block that no node type expresses: its source, and what readers see of it.
pub fn source_paragraph(source: &str, visible: String, marks: MarkSet) -> DocumentBlock {
    let leaf = LeafParts {
        text: visible,
        marks,
        source: Some(source.to_owned()),
    };
    paragraph(vec![InlineNode::Text(text(vec![leaf]))]).into()
}

fn leaf(text: String, marks: MarkSet, source: Option<String>) -> TextLeaf {
    TextLeaf {
        object: Default::default(),
        text,
        marks: marks.to_nodes(),
        source,
    }
}

/// The time of a date without a time.
pub const MIDNIGHT: &str = "T00:00:00.000Z";
