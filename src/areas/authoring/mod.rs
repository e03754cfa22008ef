//! Authoring: content, change requests, reviews, comments, links, search and PDFs.

pub mod change_request_comments;
pub mod change_request_conflicts;
pub mod change_request_content;
pub mod change_requests;
pub mod comments;
pub mod content;
pub mod content_links;
pub mod editor;
pub mod pdf_exports;
pub mod reader;
pub mod reviews;
pub mod revisions;
pub mod search;
