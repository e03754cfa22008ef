//! Change requests, comments and PDFs.

pub mod change_requests;
pub mod comments;
pub mod pdf_exports;
