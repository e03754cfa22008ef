//! One object and its stored form.

use serde::{Deserialize, Serialize};

use super::node::Node;

/// One object. Its first byte is its type, so that a text can never be read as a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Object {
    /// A part of a trie.
    Node(Node),
    /// The Markdown of a document.
    Text(String),
}

impl Object {
    /// Decodes stored bytes. `None`: the bytes are not an object.
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

    /// Encodes the object. The result is stored and hashed.
    pub fn encode(&self) -> Vec<u8> {
        // Writing to memory cannot fail.
        postcard::to_allocvec(self).unwrap_or_default()
    }
}
