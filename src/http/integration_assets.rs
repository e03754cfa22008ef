//! Icons and preview images of integrations, which need no token: their names are hashes, and so only those know them who see the
//! integration.

use openapi::error::ApiError;
use poem::{Request, Response, http::HeaderValue};

use super::files::Download;

use crate::{app::App, areas::integrations::integrations::find_image};

/// The bytes of an address never change.
const CACHING: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// Answers `{integration}/{image}`.
pub async fn answer(app: &App, path: &str, request: &Request) -> Result<Response, ApiError> {
    let unknown = || ApiError::not_found("image");
    let (integration, name) = path.split_once('/').ok_or_else(unknown)?;
    let image = find_image(&app.kernel, integration, name).await?.ok_or_else(unknown)?;
    let download = Download {
        name,
        content_type: image.content_type,
        caching: CACHING,
    };
    download.answer(app, &image.blob, request.headers()).await
}
