//! What a document refers to, and where.

use openapi::models::{ContentRef, Document};

use super::{
    nodes::{
        digest,
        node::{Child, Node},
    },
    references::Role,
};

/// One reference of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    pub reference: ContentRef,
    pub role: Role,
    /// The key of the block that holds it.
    pub key: Option<String>,
    /// The anchor next to it: that of the block, of what the block lies in, or of the heading before it.
    pub anchor: Option<String>,
}

/// Every reference, in the order of the document.
pub fn links(document: &Document) -> Vec<Link> {
    let mut found = Vec::new();
    of_children(&digest::blocks(&document.nodes), None, None, &mut found);
    found
}

fn of_children<'d>(children: &[Child<'d>], key: Option<&'d str>, mut anchor: Option<&'d str>, found: &mut Vec<Link>) {
    for child in children {
        let node = child.node;
        let own = node.anchor_id();
        of_node(node, key, own.or(anchor), found);
        if is_heading(node) {
            anchor = own.or(anchor);
        }
    }
}

fn of_node<'d>(node: &'d dyn Node, holder: Option<&'d str>, anchor: Option<&'d str>, found: &mut Vec<Link>) {
    let key = match node.is_block() {
        true => node.key().as_deref(),
        false => holder,
    };
    found.extend(node.references().into_iter().map(|(role, reference)| Link {
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
