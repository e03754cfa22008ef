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
    let (mut finder, mut links) = (LinkFinder::default(), Vec::new());
    for block in &document.nodes {
        finder.add(block, &mut |link| links.push(link));
    }
    links
}

/// Finds the references of a document block by block.
#[derive(Default)]
pub struct LinkFinder {
    /// Anchor of the preceding heading.
    anchor: Option<String>,
}

impl LinkFinder {
    /// Gives the references of the next block to `sink`.
    pub fn add(&mut self, block: &DocumentBlock, sink: LinkSink<'_>) {
        let node = block.as_node();
        let own = node.anchor_id();
        let around = Around {
            key: None,
            anchor: own.or(self.anchor.as_deref()),
            conditions: &Arc::default(),
        };
        find_in_node(node, around, sink);
        if let Some(own) = own.filter(|_| is_heading(node)) {
            self.anchor = Some(own.to_owned());
        }
    }
}

/// Takes the references of a document.
type LinkSink<'s> = &'s mut dyn FnMut(DocumentLink);

/// The surroundings of a node.
#[derive(Clone, Copy)]
struct Around<'a> {
    key: Option<&'a str>,
    anchor: Option<&'a str>,
    conditions: &'a Arc<[String]>,
}

fn find_in_children<'a>(children: ChildNodes<'a>, mut around: Around<'a>, sink: LinkSink<'_>) {
    for child in children {
        let node = child.node;
        let own = node.anchor_id();
        let anchor = own.or(around.anchor);
        find_in_node(node, Around { anchor, ..around }, sink);
        if is_heading(node) {
            around.anchor = anchor;
        }
    }
}

fn find_in_node(node: &dyn DocumentNode, around: Around<'_>, sink: LinkSink<'_>) {
    let key = match node.is_block() {
        true => node.key().as_deref(),
        false => around.key,
    };
    for (role, reference) in node.references() {
        sink(DocumentLink {
            reference,
            role,
            key: key.map(str::to_owned),
            anchor: around.anchor.map(str::to_owned),
            conditions: Arc::clone(around.conditions),
        });
    }
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
    find_in_children(node.children(), within, sink);
}

fn is_heading(node: &dyn DocumentNode) -> bool {
    matches!(node.name(), "heading-1" | "heading-2" | "heading-3")
}
