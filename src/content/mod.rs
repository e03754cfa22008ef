//! The content of spaces: revisions of pages and files.

mod copying;
pub mod draft;
mod first;
pub mod objects;
pub mod pages;
pub mod state;
pub mod trie;

pub use self::copying::copy;
pub use self::first::first;
