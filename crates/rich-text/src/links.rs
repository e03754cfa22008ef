//! The references of a document, with their positions.

use openapi::models::{ContentRef, Document};

use super::{
    nodes::{
        digest,
        node::{ChildNode, DocumentNode},
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
    let mut links = Vec::new();
    append_children(&digest::block_children(&document.nodes), None, None, &mut links);
    links
}

fn append_children<'d>(
    children: &[ChildNode<'d>],
    key: Option<&'d str>,
    mut anchor: Option<&'d str>,
    links: &mut Vec<DocumentLink>,
) {
    for child in children {
        let node = child.node;
        let own = node.anchor_id();
        append_node(node, key, own.or(anchor), links);
        if is_heading(node) {
            anchor = own.or(anchor);
        }
    }
}

fn append_node<'d>(
    node: &'d dyn DocumentNode,
    holder: Option<&'d str>,
    anchor: Option<&'d str>,
    links: &mut Vec<DocumentLink>,
) {
    let key = match node.is_block() {
        true => node.key().as_deref(),
        false => holder,
    };
    links.extend(node.references().into_iter().map(|(role, reference)| DocumentLink {
        reference,
        role,
        key: key.map(str::to_owned),
        anchor: anchor.map(str::to_owned),
    }));
    append_children(&node.children(), key, anchor, links);
}

fn is_heading(node: &dyn DocumentNode) -> bool {
    matches!(node.name(), "heading-1" | "heading-2" | "heading-3")
}
