//! Lookup of blocks and table cells by key, and the size of documents.

use std::any::Any;

use openapi::models::{BlockMath, Document, DocumentBlock, InlineMath, TextLeaf};

use super::nodes::node::{AsNode, ChildNode, DocumentNode};

/// Returns whether a block, or a block in it, has this key.
pub fn has_block(block: &DocumentBlock, key: &str) -> bool {
    let is_match = |node: &dyn DocumentNode| node.is_block() && node.key().as_deref() == Some(key);
    any_node(block.as_node(), &is_match)
}

/// Memory of a node while it is rendered, parsed again and compared, in bytes.
const NODE_BYTES: usize = 2400;

/// Memory of a character that is escaped in Markdown, in bytes.
const ESCAPED_BYTES: usize = 1050;

/// Copies of a text while it is rendered and parsed again.
const COPIES: usize = 10;

/// Returns the most memory that rendering a document and parsing the result takes.
pub fn rendering_memory(document: &Document) -> usize {
    document.nodes.iter().map(|block| node_memory(block.as_node())).sum()
}

fn node_memory(node: &dyn DocumentNode) -> usize {
    let leaves = node.text().into_iter().flat_map(|text| &text.leaves);
    let of_leaf = |leaf: &TextLeaf| {
        let texts = [leaf.text.as_str(), leaf.source.as_deref().unwrap_or_default()];
        texts.into_iter().map(text_memory).sum::<usize>() + NODE_BYTES
    };
    let any: &dyn Any = node;
    let formula = any.downcast_ref::<BlockMath>().map(|math| math.data.formula.as_str());
    let formula = formula.or_else(|| any.downcast_ref::<InlineMath>().map(|math| math.data.formula.as_str()));
    let children: usize = node.children().map(|child| node_memory(child.node)).sum();
    let own: usize = leaves.map(of_leaf).sum();
    let cells = node
        .table()
        .map(|table| table.data.records.len() * table.data.definition.len());
    children + cells.unwrap_or_default() * NODE_BYTES + own + text_memory(formula.unwrap_or_default()) + NODE_BYTES
}

fn text_memory(text: &str) -> usize {
    let is_plain = |byte: &u8| matches!(byte, b'.' | b',' | b';' | b'?' | b'\'' | b'"' | b'(' | b')');
    let escaped = text
        .bytes()
        .filter(|byte| byte.is_ascii_punctuation() && !is_plain(byte) || *byte == b'\n');
    escaped.count() * ESCAPED_BYTES + text.len() * COPIES
}

/// Bytes of the Markdown of a node without text.
const SHORTEST_BYTES: usize = 16;

/// Returns about how many bytes the Markdown of a document has.
pub fn text_bytes(document: &Document) -> usize {
    document.nodes.iter().map(|block| bytes_of(block.as_node())).sum()
}

fn bytes_of(node: &dyn DocumentNode) -> usize {
    let leaves = node.text().into_iter().flat_map(|text| &text.leaves);
    let own: usize = leaves.map(|leaf| leaf.text.len() + SHORTEST_BYTES).sum();
    let children: usize = node.children().map(|child| bytes_of(child.node)).sum();
    own + children + SHORTEST_BYTES
}

/// Returns whether the block is or has a table with this record and this column. `table` is the key of the table; without it any table
/// matches.
pub fn has_cell(block: &DocumentBlock, table: Option<&str>, record: &str, definition: &str) -> bool {
    let has_cell = |node: &dyn DocumentNode| {
        node.table().is_some_and(|table_block| {
            let data = &table_block.data;
            table.is_none_or(|key| table_block.key.as_deref() == Some(key))
                && data.records.contains_key(record)
                && data.definition.contains_key(definition)
        })
    };
    any_node(block.as_node(), &has_cell)
}

fn any_node(node: &dyn DocumentNode, holds: &dyn Fn(&dyn DocumentNode) -> bool) -> bool {
    let in_child = |child: ChildNode<'_>| any_node(child.node, holds);
    holds(node) || node.children().any(in_child)
}
