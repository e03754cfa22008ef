//! Answers of the protocol itself, to heads that it cannot read: it sends a status alone, and callers get the error body.

use bytes::Bytes;
use openapi::error::{ApiError, ErrorType};
use poem::http::StatusCode;

/// Returns the answer with a body that says the same as `bytes`, if that is such an answer.
pub fn with_body(bytes: &[u8], request_id: impl FnOnce() -> String) -> Option<Bytes> {
    let status = bytes.strip_prefix(b"HTTP/1.1 ")?.first_chunk::<3>()?;
    let status = StatusCode::from_bytes(status)
        .ok()
        .filter(StatusCode::is_client_error)?;
    let id = request_id();
    let body = serde_json::to_string(&error(status).body(Some(&id))).ok()?;
    tracing::info!(target: "bindery::access", request_id = id, status = status.as_u16(), "refused an unreadable request");
    let reason = status.canonical_reason().unwrap_or_default();
    let answer = format!(
        "HTTP/1.1 {} {reason}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nx-request-id: {id}\r\n\
         cache-control: no-store\r\nx-content-type-options: nosniff\r\nconnection: close\r\n\r\n{body}",
        status.as_u16(),
        body.len()
    );
    Some(answer.into())
}

fn error(status: StatusCode) -> ApiError {
    match status {
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => super::super::errors::too_many_headers(),
        StatusCode::URI_TOO_LONG => ApiError::new(ErrorType::UriTooLong, "The URL of the request is too long."),
        _ => ApiError::new(ErrorType::MalformedRequest, "The request is not valid HTTP."),
    }
}
