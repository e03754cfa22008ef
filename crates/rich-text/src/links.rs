//! The references of a document, with their positions.

use openapi::models::{ContentRef, Document};

use super::{
    nodes::{
        digest,
        node::{Child, Node},
    },
    resolver::ReferenceRole,
};

/// One reference of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentLink {
    pub reference: ContentRef,
    pub role: ReferenceRole,
    /// Key of the block that contains the reference.
    pub key: Option<String>,
    /// Nearest anchor: that of the block, of an enclosing block, or of the preceding heading.
    pub anchor: Option<String>,
}

/// Returns every reference in document order.
pub fn extract_links(document: &Document) -> Vec<DocumentLink> {
    let mut found = Vec::new();
    of_children(&digest::blocks(&document.nodes), None, None, &mut found);
    found
}

fn of_children<'d>(
    children: &[Child<'d>],
    key: Option<&'d str>,
    mut anchor: Option<&'d str>,
    found: &mut Vec<DocumentLink>,
) {
    for child in children {
        let node = child.node;
        let own = node.anchor_id();
        of_node(node, key, own.or(anchor), found);
        if is_heading(node) {
            anchor = own.or(anchor);
        }
    }
}

fn of_node<'d>(node: &'d dyn Node, holder: Option<&'d str>, anchor: Option<&'d str>, found: &mut Vec<DocumentLink>) {
    let key = match node.is_block() {
        true => node.key().as_deref(),
        false => holder,
    };
    found.extend(node.references().into_iter().map(|(role, reference)| DocumentLink {
        reference,
        role,
        key: key.map(str::to_owned),
        anchor: anchor.map(str::to_owned),
    }));
    of_children(&node.children(), key, anchor, found);
}

fn is_heading(node: &dyn Node) -> bool {
    matches!(node.name(), "heading-1" | "heading-2" | "heading-3")
}
