//! Lookup of blocks and table cells by key.

use openapi::models::Document;

use super::nodes::{
    digest,
    node::{ChildNode, DocumentNode},
};

/// Returns whether the document has a block with this key.
pub fn has_block(document: &Document, key: &str) -> bool {
    let is_match = |node: &dyn DocumentNode| node.is_block() && node.key().as_deref() == Some(key);
    any_node(&digest::block_children(&document.nodes), &is_match)
}

/// Returns whether a table has this record and this column. `table` is the key of the table; without it any table
/// matches.
pub fn has_cell(document: &Document, table: Option<&str>, record: &str, definition: &str) -> bool {
    let has_cell = |node: &dyn DocumentNode| {
        node.table().is_some_and(|table_block| {
            let data = &table_block.data;
            table.is_none_or(|key| table_block.key.as_deref() == Some(key))
                && data.records.contains_key(record)
                && data.definition.contains_key(definition)
        })
    };
    any_node(&digest::block_children(&document.nodes), &has_cell)
}

fn any_node(children: &[ChildNode<'_>], holds: &dyn Fn(&dyn DocumentNode) -> bool) -> bool {
    children
        .iter()
        .any(|child| holds(child.node) || any_node(&child.node.children(), holds))
}
