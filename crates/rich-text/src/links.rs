//! The references of a document, with their positions.

use openapi::models::{ContentRef, Document, DocumentBlock};

use super::{
    nodes::node::{AsNode, ChildNodes, DocumentNode},
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
    let mut links = LinkCollector::default();
    for block in &document.nodes {
        links.add(block);
    }
    links.finish()
}

/// Collects the references of a document block by block.
#[derive(Default)]
pub struct LinkCollector {
    links: Vec<DocumentLink>,
    /// Anchor of the preceding heading.
    anchor: Option<String>,
}

impl LinkCollector {
    pub fn add(&mut self, block: &DocumentBlock) {
        let node = block.as_node();
        let own = node.anchor_id();
        append_node(node, None, own.or(self.anchor.as_deref()), &mut self.links);
        if let Some(own) = own.filter(|_| is_heading(node)) {
            self.anchor = Some(own.to_owned());
        }
    }

    pub fn finish(self) -> Vec<DocumentLink> {
        self.links
    }
}

fn append_children(children: ChildNodes<'_>, key: Option<&str>, anchor: Option<&str>, links: &mut Vec<DocumentLink>) {
    let mut anchor = anchor;
    for child in children {
        let node = child.node;
        let own = node.anchor_id();
        append_node(node, key, own.or(anchor), links);
        if is_heading(node) {
            anchor = own.or(anchor);
        }
    }
}

fn append_node(node: &dyn DocumentNode, holder: Option<&str>, anchor: Option<&str>, links: &mut Vec<DocumentLink>) {
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
    append_children(node.children(), key, anchor, links);
}

fn is_heading(node: &dyn DocumentNode) -> bool {
    matches!(node.name(), "heading-1" | "heading-2" | "heading-3")
}
