//! Every node behind one interface: its key, its own data and its children.

use openapi::models::{BlockTable, ContentRef, Text};
use serde_json::Value;

use crate::references::Role;

/// The source of an anchor.
pub enum AnchorSource {
    /// An id that the author set.
    Explicit(String),
    /// Text that the anchor is derived from.
    Derived(String),
}

pub trait Node {
    fn key(&self) -> &Option<String>;
    fn key_mut(&mut self) -> &mut Option<String>;
    /// The type of the node.
    fn name(&self) -> &'static str;
    /// What the node says by itself, without children and without what the server found out.
    fn facts(&self) -> Value;
    /// What the anchor of the node is made from, if it has one.
    fn anchor(&self) -> Option<AnchorSource> {
        None
    }
    fn set_anchor(&mut self, _: String) {}
    /// The anchor that was given.
    fn anchor_id(&self) -> Option<&str> {
        None
    }
    fn is_block(&self) -> bool {
        true
    }
    /// What the node refers to by itself, without its children.
    fn references(&self) -> Vec<(Role, ContentRef)> {
        Vec::new()
    }
    /// Texts are compared together with their neighbours.
    fn text(&self) -> Option<&Text> {
        None
    }
    fn table(&self) -> Option<&BlockTable> {
        None
    }
    fn children(&self) -> Vec<Child<'_>>;
    /// The same in the same order.
    fn children_mut(&mut self) -> Vec<&mut dyn Node>;
}

/// A node, or a union of nodes.
pub trait AsNode {
    fn as_node(&self) -> &dyn Node;
    fn as_node_mut(&mut self) -> &mut dyn Node;
}

impl<T: Node> AsNode for T {
    fn as_node(&self) -> &dyn Node {
        self
    }

    fn as_node_mut(&mut self) -> &mut dyn Node {
        self
    }
}

/// A child and its place in its parent.
pub struct Child<'a> {
    pub member: &'static str,
    pub index: usize,
    pub node: &'a dyn Node,
}

/// A list that may be left out.
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

pub fn children_of<'a, T: AsNode>(member: &'static str, nodes: &'a [T]) -> impl Iterator<Item = Child<'a>> {
    nodes.iter().enumerate().map(move |(index, node)| Child {
        member,
        index,
        node: node.as_node(),
    })
}
