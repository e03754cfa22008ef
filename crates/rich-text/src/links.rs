//! The references of a document, with their positions.

use std::{any::Any, sync::Arc};

use openapi::models::{BlockIf, ContentRef, Document, DocumentBlock};

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
    /// The conditions of the blocks around the reference: readers see it if all of them hold.
    pub conditions: Arc<[String]>,
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
        let around = Around {
            key: None,
            anchor: own.or(self.anchor.as_deref()),
            conditions: &Arc::default(),
        };
        append_node(node, around, &mut self.links);
        if let Some(own) = own.filter(|_| is_heading(node)) {
            self.anchor = Some(own.to_owned());
        }
    }

    pub fn finish(self) -> Vec<DocumentLink> {
        self.links
    }
}

/// The surroundings of a node.
#[derive(Clone, Copy)]
struct Around<'a> {
    key: Option<&'a str>,
    anchor: Option<&'a str>,
    conditions: &'a Arc<[String]>,
}

fn append_children<'a>(children: ChildNodes<'a>, mut around: Around<'a>, links: &mut Vec<DocumentLink>) {
    for child in children {
        let node = child.node;
        let own = node.anchor_id();
        let anchor = own.or(around.anchor);
        append_node(node, Around { anchor, ..around }, links);
        if is_heading(node) {
            around.anchor = anchor;
        }
    }
}

fn append_node(node: &dyn DocumentNode, around: Around<'_>, links: &mut Vec<DocumentLink>) {
    let key = match node.is_block() {
        true => node.key().as_deref(),
        false => around.key,
    };
    links.extend(node.references().into_iter().map(|(role, reference)| DocumentLink {
        reference,
        role,
        key: key.map(str::to_owned),
        anchor: around.anchor.map(str::to_owned),
        conditions: Arc::clone(around.conditions),
    }));
    let any: &dyn Any = node;
    let with_own = any.downcast_ref::<BlockIf>().map(|block| {
        let own = block.data.expression.clone();
        around.conditions.iter().cloned().chain([own]).collect()
    });
    let within = Around {
        key,
        conditions: with_own.as_ref().unwrap_or(around.conditions),
        ..around
    };
    append_children(node.children(), within, links);
}

fn is_heading(node: &dyn DocumentNode) -> bool {
    matches!(node.name(), "heading-1" | "heading-2" | "heading-3")
}
