//! Lookup of blocks and table cells by key, the references of nodes, and the size of documents.

use openapi::models::{ContentRef, Document, DocumentBlock};

use super::nodes::node::{AsNode, ChildNode, DocumentNode};

/// Returns whether a block, or a block in it, has this key.
pub fn has_block(block: &DocumentBlock, key: &str) -> bool {
    let is_match = |node: &dyn DocumentNode| node.is_block() && node.key().as_deref() == Some(key);
    any_node(block.as_node(), &is_match)
}

/// Bytes of the Markdown of a node without text.
const NODE_BYTES: usize = 16;

/// Returns about how many bytes the Markdown of a document has.
pub fn text_bytes(document: &Document) -> usize {
    document.nodes.iter().map(|block| bytes_of(block.as_node())).sum()
}

fn bytes_of(node: &dyn DocumentNode) -> usize {
    let leaves = node.text().into_iter().flat_map(|text| &text.leaves);
    let own: usize = leaves.map(|leaf| leaf.text.len() + NODE_BYTES).sum();
    let children: usize = node.children().map(|child| bytes_of(child.node)).sum();
    own + children + NODE_BYTES
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

/// Returns all references of blocks, in document order.
pub fn references(blocks: &[DocumentBlock]) -> Vec<ContentRef> {
    let mut references = Vec::new();
    blocks
        .iter()
        .for_each(|block| append_references(block.as_node(), &mut references));
    references
}

fn append_references(node: &dyn DocumentNode, references: &mut Vec<ContentRef>) {
    references.extend(node.references().into_iter().map(|(_, reference)| reference));
    node.children()
        .for_each(|child| append_references(child.node, references));
}

/// Returns the addresses of the pages that blocks embed.
pub fn embedded(blocks: &[DocumentBlock]) -> Vec<String> {
    let mut addresses = Vec::new();
    blocks
        .iter()
        .for_each(|block| append_embedded(block.as_node(), &mut addresses));
    addresses
}

fn append_embedded(node: &dyn DocumentNode, addresses: &mut Vec<String>) {
    if node.name() == "embed" {
        addresses.extend(node.addresses().into_iter().map(|(_, address)| address.to_owned()));
    }
    node.children().for_each(|child| append_embedded(child.node, addresses));
}

fn any_node(node: &dyn DocumentNode, holds: &dyn Fn(&dyn DocumentNode) -> bool) -> bool {
    let in_child = |child: ChildNode<'_>| any_node(child.node, holds);
    holds(node) || node.children().any(in_child)
}
