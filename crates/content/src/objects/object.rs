//! One object and its stored form.

use serde::{Deserialize, Serialize};

use super::node::Node;

/// One object. Its first byte says what it is, so that a text can never pass for a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Object {
    /// A part of a trie.
    Node(Node),
    /// The Markdown of a document.
    Text(String),
}

impl Object {
    /// None if the bytes are no object.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }

    /// The Markdown of a document. A hash names one kind of object only.
    pub fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Node(_) => "",
        }
    }

    /// What is stored, and what the hash is made of.
    pub fn encode(&self) -> Vec<u8> {
        // Writing to memory cannot fail, and an empty object is none that anything refers to.
        postcard::to_allocvec(self).unwrap_or_default()
    }
}
