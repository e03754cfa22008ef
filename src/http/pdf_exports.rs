//! PDFs, at signed URLs that work without a token until they expire.

use entity::authoring::pdf_exports::PdfExportState;
use openapi::error::ApiError;
use platform::blobs;
use poem::{
    Request, Response,
    http::{HeaderValue, StatusCode, header},
};

use super::files::Download;

use crate::{
    app::App,
    areas::authoring::pdf_exports::{export, store},
};

/// The address is temporary, and so is what is kept of it.
const CACHING: HeaderValue = HeaderValue::from_static("private, max-age=3600");
const NOT_KEPT: HeaderValue = HeaderValue::from_static("no-store");

/// Seconds after which a PDF that is being made may be ready.
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("3");

/// Answers `{signature}/{time}/{export}`.
pub async fn answer(app: &App, path: &str, request: &Request) -> Result<Response, ApiError> {
    let unknown = || ApiError::not_found("PDF");
    let id = app
        .kernel
        .urls
        .pdf_links()
        .verify(path, app.kernel.clock.now())
        .ok_or_else(unknown)?;
    let db = app.kernel.db.read();
    let found = store::find_shown(db, id).await?.ok_or_else(unknown)?;
    match found.state {
        PdfExportState::Queued => Ok(not_ready()),
        PdfExportState::Failed => Err(export::failed(&found)),
        PdfExportState::Ready => {
            let hash = found.hash.as_deref().unwrap_or_default();
            let blob = blobs::load(db, hash).await?.ok_or_else(unknown)?;
            let download = Download {
                name: &found.file_name,
                content_type: "application/pdf",
                caching: CACHING,
            };
            download.answer(app, &blob, request.headers()).await
        }
    }
}

fn not_ready() -> Response {
    Response::builder()
        .status(StatusCode::ACCEPTED)
        .content_type("application/json")
        .header(header::CACHE_CONTROL, NOT_KEPT)
        .header(header::RETRY_AFTER, RETRY_AFTER)
        .body(r#"{"status":"queued"}"#)
}
