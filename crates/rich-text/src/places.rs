//! Whether a document has what somebody points at.

use openapi::models::Document;

use super::nodes::{
    digest,
    node::{Child, Node},
};

/// Whether there is a block with this key.
pub fn has_block(document: &Document, key: &str) -> bool {
    let is_it = |node: &dyn Node| node.is_block() && node.key().as_deref() == Some(key);
    any(&digest::blocks(&document.nodes), &is_it)
}

/// Whether there is a table, the one with this key if one is given, that has the row and the column.
pub fn has_cell(document: &Document, table: Option<&str>, record: &str, definition: &str) -> bool {
    let has_it = |node: &dyn Node| {
        node.table().is_some_and(|found| {
            let data = &found.data;
            table.is_none_or(|key| found.key.as_deref() == Some(key))
                && data.records.contains_key(record)
                && data.definition.contains_key(definition)
        })
    };
    any(&digest::blocks(&document.nodes), &has_it)
}

fn any(children: &[Child<'_>], holds: &dyn Fn(&dyn Node) -> bool) -> bool {
    children
        .iter()
        .any(|child| holds(child.node) || any(&child.node.children(), holds))
}
