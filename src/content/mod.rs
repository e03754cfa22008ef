//! The content of spaces: revisions of pages and files.

pub mod objects;
pub mod pages;
pub mod trie;
