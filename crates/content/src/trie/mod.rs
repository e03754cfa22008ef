//! Persistent sorted maps, made of content-addressed nodes.
//!
//! A map has one form only, whatever the order of the changes that led to it: up to 16 entries are one leaf, and
//! more are a branch at the first half-byte in which their keys differ. So two maps are equal if their hashes are, a
//! change writes one node for each level, and comparing two maps skips what they share.
//!
//! All keys of a map have the same length.

mod build;
mod compare;
mod read;
#[cfg(test)]
mod tests;
mod update;

pub use self::compare::Difference;
pub use self::update::Changes;
pub use crate::objects::node::{Trie, TrieEntry};
