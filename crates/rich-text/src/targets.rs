//! Targets that could run in a browser, in documents that are stored as nodes.

use openapi::models::Document;

use super::{
    error::DocumentError,
    nodes::{
        node::{ChildNodes, DocumentNode, children_of},
        table_cells,
    },
    resolver::{IdPathResolver, LinkResolver, is_safe_target},
};

/// The most errors that are returned.
const MAX_ERRORS: usize = 100;

/// Returns an error for each node with a target that `render_with` refuses, also if it would leave out the node or refuse
/// the document for another reason.
pub fn unsafe_targets(document: &Document) -> Vec<DocumentError> {
    let (mut path, mut errors) = (Vec::new(), Vec::new());
    let mut levels: Vec<ChildNodes<'_>> = vec![Box::new(children_of("nodes", &document.nodes))];
    while let Some(level) = levels.last_mut() {
        let Some(child) = level.next() else {
            levels.pop();
            path.pop();
            continue;
        };
        path.push((child.member, child.index));
        if has_unsafe_target(child.node) {
            errors.push(DocumentError::unsafe_target(&path));
            if errors.len() == MAX_ERRORS {
                break;
            }
        }
        levels.push(stored_children(child.node));
    }
    errors
}

/// Each child once: several cells of a table may name the same fragment, and tables can be nested in it.
fn stored_children(node: &dyn DocumentNode) -> ChildNodes<'_> {
    match node.table() {
        Some(table) => Box::new(children_of("fragments", &table.fragments)),
        None => node.children(),
    }
}

fn has_unsafe_target(node: &dyn DocumentNode) -> bool {
    let references = match node.table() {
        Some(table) => table_cells::stored_references(table),
        None => node.references(),
    };
    let has_reference = references.iter().any(|(role, reference)| {
        let target = IdPathResolver.format_target(*role, reference);
        target.is_some_and(|target| !is_safe_target(*role, &target))
    });
    let mut addresses = node.addresses().into_iter();
    has_reference || addresses.any(|(role, address)| !is_safe_target(role, address))
}
