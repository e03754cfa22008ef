//! Downloads of files, at signed URLs that work without a token, and of fonts.

pub mod media_types;
pub mod ranges;

use openapi::{
    conditional::EntityTag,
    error::{ApiError, ErrorType},
};
use platform::blobs::{self, StoredBlob};
use poem::{
    Body, Request, Response,
    http::{HeaderMap, HeaderValue, StatusCode, header},
};

use self::ranges::RequestedRange;
use super::page;

use crate::{app::App, areas::publishing::custom_fonts::files as fonts};

/// The bytes of a URL never change. Only the requesting browser may cache them.
const CACHE_CONTROL: HeaderValue = HeaderValue::from_static("private, max-age=31536000, immutable");

/// The beginning of the paths of fonts, which is no signature.
const FONTS: &str = "fonts/";

/// Pages of sites load fonts for whoever reads them.
const FONT_CACHING: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// Answers `{signature}/{space}/{hash}/{name}?type={content type}`, and files of fonts.
pub async fn answer(app: &App, path: &str, request: &Request) -> Result<Response, ApiError> {
    if let Some(path) = path.strip_prefix(FONTS) {
        return font(app, path, request).await;
    }
    let link = app
        .kernel
        .urls
        .files()
        .read(path, request.uri().query())
        .ok_or_else(unknown)?;
    let found = blobs::find(app.kernel.db.read(), link.space, link.hash).await?;
    let found = found.ok_or_else(unknown)?;
    let download = Download {
        name: &link.name,
        content_type: &link.content_type,
        caching: CACHE_CONTROL,
    };
    download.answer(app, &found, request.headers()).await
}

/// Answers `{font}/{name}`.
async fn font(app: &App, path: &str, request: &Request) -> Result<Response, ApiError> {
    let (font, name) = path.split_once('/').ok_or_else(unknown)?;
    let file = fonts::find(&app.kernel, font, name).await?.ok_or_else(unknown)?;
    let download = Download {
        name,
        content_type: file.content_type,
        caching: FONT_CACHING,
    };
    download.answer(app, &file.blob, request.headers()).await
}

/// Bytes from the store with the name and the media type that browsers get.
pub struct Download<'a> {
    pub name: &'a str,
    pub content_type: &'a str,
    pub caching: HeaderValue,
}

impl Download<'_> {
    /// The requested range of the bytes, or 304.
    pub async fn answer(self, app: &App, found: &StoredBlob, request: &HeaderMap) -> Result<Response, ApiError> {
        let tag = EntityTag::new(found.name.hash);
        let mut response = body(app, found, &tag, request).await?;
        self.describe(response.headers_mut(), tag.header());
        Ok(response)
    }

    /// Adds the headers that restrict browsers. The file may come from any writer, and is served from the server's own origin.
    fn describe(self, headers: &mut HeaderMap, etag: HeaderValue) {
        let kind = media_types::policy_of(self.content_type);
        // An error has its own type of body and is not cached.
        if !headers.contains_key(header::CONTENT_TYPE) {
            let content_type = HeaderValue::try_from(kind.content_type.as_ref());
            headers.insert(header::CONTENT_TYPE, content_type.unwrap_or(media_types::BYTES));
            headers.insert(
                header::CONTENT_DISPOSITION,
                media_types::disposition(kind.shown, self.name),
            );
            headers.insert(header::CACHE_CONTROL, self.caching);
            headers.insert(header::ETAG, etag);
        }
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(kind.policy));
        headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        let embedded = if kind.embedded { "cross-origin" } else { "same-origin" };
        headers.insert("cross-origin-resource-policy", HeaderValue::from_static(embedded));
    }
}

/// The same error for an absent file and a wrong signature.
fn unknown() -> ApiError {
    ApiError::not_found("file")
}

/// Returns the response with the requested range of the bytes.
async fn body(app: &App, found: &StoredBlob, tag: &EntityTag, request: &HeaderMap) -> Result<Response, ApiError> {
    let builder = Response::builder().header(header::ACCEPT_RANGES, "bytes");
    if page::is_known(request, tag) {
        return Ok(builder.status(StatusCode::NOT_MODIFIED).finish());
    }
    let (status, range) = match ranges::requested_range(request, &tag.header(), found.size) {
        RequestedRange::Whole => (StatusCode::OK, 0..found.size),
        RequestedRange::Part(range) => (StatusCode::PARTIAL_CONTENT, range),
        RequestedRange::Unsatisfiable => return Ok(out_of_range(found.size)),
    };
    let bytes = app.kernel.blobs.objects.stream(found.name, range.clone()).await;
    let bytes = bytes.map_err(|error| app.kernel.blob_error(&error))?;
    let builder = match status {
        StatusCode::PARTIAL_CONTENT => {
            let last = range.end.saturating_sub(1);
            let place = format!("bytes {}-{last}/{}", range.start, found.size);
            builder.header(header::CONTENT_RANGE, place)
        }
        _ => builder,
    };
    Ok(builder
        .status(status)
        .header(header::CONTENT_LENGTH, range.end - range.start)
        .body(Body::from_bytes_stream(bytes)))
}

fn out_of_range(size: u64) -> Response {
    let message = format!("`Range` lies outside of the file, which has {size} bytes.");
    let error = ApiError::new(ErrorType::RangeNotSatisfiable, message);
    let mut response = error.into_response();
    if let Ok(place) = HeaderValue::try_from(format!("bytes */{size}")) {
        response.headers_mut().insert(header::CONTENT_RANGE, place);
    }
    response
}
