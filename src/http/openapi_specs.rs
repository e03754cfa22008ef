//! Documents of OpenAPI specifications: the latest one of a public specification, and others at signed URLs.

use openapi::{conditional::EntityTag, error::ApiError};
use poem::{
    Body, Request, Response,
    http::{HeaderMap, HeaderValue, StatusCode, header},
};

use super::page;

use crate::{app::App, areas::specifications::openapi_specs::documents};

/// The latest document changes; those at signed URLs never do.
const CHANGES: HeaderValue = HeaderValue::from_static("public, no-cache");
const STAYS: HeaderValue = HeaderValue::from_static("private, max-age=31536000, immutable");

/// Answers `{specification}`, or `{signature}/{version}`.
pub async fn answer(app: &App, path: &str, request: &Request) -> Result<Response, ApiError> {
    let (found, caching) = match path.split_once('/') {
        None => {
            let spec = path.parse().map_err(|_| unknown())?;
            (documents::published(&app.kernel, spec).await?, CHANGES)
        }
        Some((signature, version)) => {
            let version = version.parse().map_err(|_| unknown())?;
            if !app.kernel.urls.openapi_documents().verify(version, signature) {
                return Err(unknown());
            }
            (documents::of_version(&app.kernel, version).await?, STAYS)
        }
    };
    let found = found.ok_or_else(unknown)?;
    let tag = EntityTag::new(found.name.hash);
    let mut response = if page::is_known(request.headers(), &tag) {
        Response::builder().status(StatusCode::NOT_MODIFIED).finish()
    } else {
        let bytes = documents::stream(&app.kernel, &found).await?;
        Response::builder()
            .content_type("application/json")
            .header(header::CONTENT_LENGTH, found.size)
            .body(Body::from_bytes_stream(bytes))
    };
    describe(response.headers_mut(), tag.header(), caching);
    Ok(response)
}

/// The same error for an absent document, a private one and a wrong signature.
fn unknown() -> ApiError {
    ApiError::not_found("document")
}

/// Adds the headers that restrict browsers, which must not take the document for a page of the server.
fn describe(headers: &mut HeaderMap, etag: HeaderValue, caching: HeaderValue) {
    headers.insert(header::ETAG, etag);
    headers.insert(header::CACHE_CONTROL, caching);
    let policy = HeaderValue::from_static("sandbox; default-src 'none'");
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("cross-origin"));
}
