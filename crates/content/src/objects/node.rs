//! The nodes of tries: see [`crate::trie`].

use serde::{Deserialize, Serialize};

use super::Hash;

/// Entries of one leaf at most: a compromise between the bytes that a change writes and the number of nodes.
pub(crate) const LEAF: usize = 16;

/// A map: none of its nodes if it is empty, or its root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Trie {
    pub(crate) root: Option<Link>,
}

/// A part of a map with the number of its entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Link {
    pub hash: Hash,
    pub count: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Node {
    /// In the order of their keys.
    Leaf(Vec<Entry>),
    Branch(Branch),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub key: Vec<u8>,
    pub value: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Branch {
    /// The half-bytes that all keys below begin with, one in each byte.
    pub(crate) prefix: Vec<u8>,
    /// By the half-byte that follows, in its order; there are at least two.
    pub(crate) children: Vec<Child>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Child {
    pub nibble: u8,
    pub link: Link,
}

impl Node {
    /// The nodes that this one names.
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

/// The half-byte of a key at this place; behind its end there is nothing, which is 0.
pub(crate) fn nibble(key: &[u8], at: usize) -> u8 {
    let byte = key.get(at / 2).copied().unwrap_or(0);
    if at.is_multiple_of(2) { byte >> 4 } else { byte & 15 }
}

/// How many half-bytes two keys have in common at their beginning.
pub(crate) fn common(one: &[u8], other: &[u8]) -> usize {
    let bytes = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let more = bytes < one.len().min(other.len()) && nibble(one, bytes * 2) == nibble(other, bytes * 2);
    bytes * 2 + usize::from(more)
}

/// Whether the key begins with these half-bytes.
pub(crate) fn begins(key: &[u8], prefix: &[u8]) -> bool {
    prefix.iter().enumerate().all(|(at, wanted)| nibble(key, at) == *wanted)
}
