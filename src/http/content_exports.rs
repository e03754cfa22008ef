//! Content as zip files, at signed URLs that work without a token until they expire.

use openapi::error::ApiError;
use poem::{
    Body, Response,
    http::{HeaderValue, header},
};

use crate::app::App;

/// The address is temporary, and each download is made anew.
const CACHING: HeaderValue = HeaderValue::from_static("private, no-store");

/// Answers `{signature}/{time}/{space}/{revision}`.
pub async fn answer(app: &App, path: &str) -> Result<Response, ApiError> {
    let revision = app.exchange.exported_revision(path).await?;
    let name = format!("attachment; filename=\"{}.zip\"", revision.space);
    let bytes = app.exchange.start_zip(revision)?;
    Ok(Response::builder()
        .content_type("application/zip")
        .header(header::CONTENT_DISPOSITION, name)
        .header(header::CACHE_CONTROL, CACHING)
        .body(Body::from_bytes_stream(bytes)))
}
