//! The common interface of all nodes: key, data and children.

use std::any::Any;

use openapi::models::{BlockTable, ContentRef, Text};
use serde_json::Value;

use crate::resolver::ReferenceRole;

/// The source of an anchor.
pub enum AnchorSource {
    /// Id that the author set.
    Explicit(String),
    /// Text to derive the anchor from.
    Derived(String),
}

pub trait DocumentNode: Any {
    fn key(&self) -> &Option<String>;
    fn key_mut(&mut self) -> &mut Option<String>;
    /// Type of the node.
    fn name(&self) -> &'static str;
    /// Data of the node itself, without its children and without members that the server computes. Digests read that of a
    /// table, which is long, from the table.
    fn data(&self) -> Value;
    /// Source of the node's anchor; `None` for nodes that cannot be linked to.
    fn anchor(&self) -> Option<AnchorSource> {
        None
    }
    fn set_anchor(&mut self, _: String) {}
    /// Anchor that was assigned.
    fn anchor_id(&self) -> Option<&str> {
        None
    }
    fn is_block(&self) -> bool {
        true
    }
    /// References of the node itself, without those of its children.
    fn references(&self) -> Vec<(ReferenceRole, ContentRef)> {
        Vec::new()
    }
    /// Addresses of the node itself that are not references.
    fn addresses(&self) -> Vec<(ReferenceRole, &str)> {
        Vec::new()
    }
    /// The node as text: digests join adjacent text nodes.
    fn text(&self) -> Option<&Text> {
        None
    }
    fn table(&self) -> Option<&BlockTable> {
        None
    }
    fn children(&self) -> ChildNodes<'_>;
    /// The same children in the same order.
    fn children_mut(&mut self) -> NodesMut<'_>;
}

/// Nodes one by one: a list of them takes more memory than the text of short ones.
pub type ChildNodes<'a> = Box<dyn Iterator<Item = ChildNode<'a>> + 'a>;

pub type NodesMut<'a> = Box<dyn Iterator<Item = &'a mut dyn DocumentNode> + 'a>;

/// A node, or a union of nodes.
pub trait AsNode {
    fn as_node(&self) -> &dyn DocumentNode;
    fn as_node_mut(&mut self) -> &mut dyn DocumentNode;
}

impl<T: DocumentNode> AsNode for T {
    fn as_node(&self) -> &dyn DocumentNode {
        self
    }

    fn as_node_mut(&mut self) -> &mut dyn DocumentNode {
        self
    }
}

/// A child and its position in the parent.
pub struct ChildNode<'a> {
    pub member: &'static str,
    pub index: usize,
    pub node: &'a dyn DocumentNode,
}

/// A list of children that may be absent.
pub trait NodeList<T> {
    fn all(&self) -> &[T];
    fn all_mut(&mut self) -> &mut [T];
}

impl<T> NodeList<T> for Vec<T> {
    fn all(&self) -> &[T] {
        self
    }

    fn all_mut(&mut self) -> &mut [T] {
        self
    }
}

impl<T> NodeList<T> for Option<Vec<T>> {
    fn all(&self) -> &[T] {
        self.as_deref().unwrap_or_default()
    }

    fn all_mut(&mut self) -> &mut [T] {
        self.as_deref_mut().unwrap_or_default()
    }
}

pub fn children_of<'a, T: AsNode>(member: &'static str, nodes: &'a [T]) -> impl Iterator<Item = ChildNode<'a>> {
    nodes.iter().enumerate().map(move |(index, node)| ChildNode {
        member,
        index,
        node: node.as_node(),
    })
}
