//! The content of spaces as a history of immutable revisions: objects named by their hashes, tries of them, the pages
//! and files of a revision, three-way merges and semantic changes.

pub mod cache;
mod content_references;
pub mod copy;
pub mod draft;
pub mod index;
pub mod initial;
pub mod link_set;
pub mod merge;
pub mod objects;
pub mod pages;
pub mod reading;
pub mod revisions;
pub mod semantic;
pub mod shown_parts;
pub mod state;
pub mod summary;
pub mod template;
pub mod trie;
