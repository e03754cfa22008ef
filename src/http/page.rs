//! Static pages, which change only with the build or the settings.

use openapi::conditional::EntityTag;
use poem::{
    Body, Response,
    http::{HeaderMap, HeaderValue, StatusCode, header},
};
use sha2::{Digest, Sha256};

/// Bytes with their strong entity tag. Caches revalidate them at each use.
pub struct StaticPage {
    content_type: HeaderValue,
    tag: EntityTag,
    bytes: Bytes,
}

/// Bytes in the program itself, or created once.
type Bytes = std::borrow::Cow<'static, [u8]>;

impl StaticPage {
    pub fn new(content_type: &str, bytes: Bytes) -> Self {
        let digest = Sha256::digest(&bytes);
        let name: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        Self {
            content_type: HeaderValue::try_from(content_type).unwrap_or(HeaderValue::from_static("text/plain")),
            tag: EntityTag::new(name),
            bytes,
        }
    }

    /// Returns the page, or 304 if the client has it.
    pub fn answer(&self, request: &HeaderMap) -> Response {
        let known = is_known(request, &self.tag);
        let builder = Response::builder()
            .header(header::ETAG, self.tag.header())
            .header(header::CACHE_CONTROL, "no-cache");
        if known {
            return builder.status(StatusCode::NOT_MODIFIED).finish();
        }
        let body = match &self.bytes {
            Bytes::Borrowed(bytes) => Body::from(*bytes),
            Bytes::Owned(bytes) => Body::from(bytes.clone()),
        };
        builder.header(header::CONTENT_TYPE, &self.content_type).body(body)
    }
}

/// Returns whether `If-None-Match` names this entity tag.
pub fn is_known(request: &HeaderMap, tag: &EntityTag) -> bool {
    let kept = request.get_all(header::IF_NONE_MATCH).iter();
    kept.into_iter().any(|tags| tag.is_kept(tags.to_str().ok()))
}

/// A small answer that is never kept.
pub fn state(status: StatusCode, state: &str) -> Response {
    let body = format!("{{\"status\":\"{state}\"}}");
    Response::builder()
        .status(status)
        .content_type("application/json")
        .header(header::CACHE_CONTROL, "no-store")
        .body(body)
}
