//! The content of spaces: revisions, the objects that they share, and the rows derived from them.

pub mod computed_contents;
pub mod content_objects;
pub mod page_links;
pub mod revisions;
pub mod search;
