//! Targets of documents that are stored as they are sent. Texts that are stored as Markdown are checked by their renderer.

use openapi::{
    error::ApiError,
    models::{Document, ErrorDetail},
};

/// Refuses a document with targets that could run in a browser. `pointer` is the location of the document in the request.
pub fn require_safe(pointer: &str, document: &Document) -> Result<(), ApiError> {
    let found = rich_text::unsafe_targets(document).into_iter();
    let details = found.map(|refusal| ErrorDetail {
        pointer: format!("{pointer}{}", refusal.pointer),
        code: refusal.code,
        message: refusal.message,
    });
    ApiError::refuse(details.collect())
}
