//! The nodes of tries: see [`crate::trie`].

use serde::{Deserialize, Serialize};

use super::Hash;

/// The most entries of a leaf: a compromise between the bytes written by a change and the number of nodes.
pub(crate) const MAX_LEAF_ENTRIES: usize = 16;

/// A map from keys to values, by its root. `None`: the map is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Trie {
    pub(crate) root: Option<NodeLink>,
}

/// A reference to a node, with the number of entries below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NodeLink {
    pub hash: Hash,
    pub count: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Node {
    /// In the order of their keys.
    Leaf(Vec<TrieEntry>),
    Branch(Branch),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrieEntry {
    pub key: Vec<u8>,
    pub value: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Branch {
    /// The common prefix of all keys below, one half-byte in each byte.
    pub(crate) prefix: Vec<u8>,
    /// The children, ordered by the half-byte after the prefix; at least two.
    pub(crate) children: Vec<Child>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Child {
    pub nibble: u8,
    pub link: NodeLink,
}

impl Node {
    /// Returns the hashes of the child nodes.
    pub fn children(&self) -> impl Iterator<Item = Hash> + '_ {
        let children = match self {
            Self::Leaf(_) => [].as_slice(),
            Self::Branch(branch) => branch.children.as_slice(),
        };
        children.iter().map(|child| child.link.hash)
    }
}

impl Branch {
    pub(crate) fn count(&self) -> u32 {
        self.children.iter().map(|child| child.link.count).sum()
    }
}

/// Returns the half-byte of a key at an index; 0 after the end of the key.
pub(crate) fn nibble(key: &[u8], at: usize) -> u8 {
    let byte = key.get(at / 2).copied().unwrap_or(0);
    if at.is_multiple_of(2) { byte >> 4 } else { byte & 15 }
}

/// Returns the length of the common prefix of two keys, in half-bytes.
pub(crate) fn common_prefix_length(one: &[u8], other: &[u8]) -> usize {
    let bytes = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let more = bytes < one.len().min(other.len()) && nibble(one, bytes * 2) == nibble(other, bytes * 2);
    bytes * 2 + usize::from(more)
}

/// Returns whether the key begins with these half-bytes.
pub(crate) fn has_prefix(key: &[u8], prefix: &[u8]) -> bool {
    prefix
        .iter()
        .enumerate()
        .all(|(at, expected)| nibble(key, at) == *expected)
}
