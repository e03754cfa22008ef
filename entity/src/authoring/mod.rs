//! Content: revisions, change requests, comments, and the rows derived from content.

pub mod change_requests;
pub mod comments;
pub mod content_objects;
pub mod page_links;
pub mod pdf_exports;
pub mod revisions;
pub mod search;
