//! A page that changes only with the build or the settings.

use openapi::conditional::EntityTag;
use poem::{
    Body, Response,
    http::{HeaderMap, HeaderValue, StatusCode, header},
};
use sha2::{Digest, Sha256};

/// Bytes with their strong entity tag. Caches ask each time, and get them only when they have changed.
pub struct Page {
    content_type: HeaderValue,
    tag: EntityTag,
    bytes: Bytes,
}

/// In the program itself, or made once.
type Bytes = std::borrow::Cow<'static, [u8]>;

impl Page {
    pub fn new(content_type: &str, bytes: Bytes) -> Self {
        let digest = Sha256::digest(&bytes);
        let name: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        Self {
            content_type: HeaderValue::try_from(content_type).unwrap_or(HeaderValue::from_static("text/plain")),
            tag: EntityTag::new(name),
            bytes,
        }
    }

    /// The page, or 304 to who has it.
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

/// Whether the caller says that it has this state.
pub fn is_known(request: &HeaderMap, tag: &EntityTag) -> bool {
    let kept = request.get_all(header::IF_NONE_MATCH).iter();
    kept.into_iter().any(|tags| tag.is_kept(tags.to_str().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(page: &Page, tags: &str) -> StatusCode {
        let mut headers = HeaderMap::new();
        headers.insert(header::IF_NONE_MATCH, tags.parse().unwrap());
        page.answer(&headers).status()
    }

    #[test]
    fn who_has_it_gets_304() {
        let page = Page::new("text/plain", Bytes::Borrowed(b"one"));
        let other = Page::new("text/plain", Bytes::Borrowed(b"two"));
        let header = page.tag.header();
        let tag = header.to_str().unwrap();
        for tags in [tag, "*", &format!("\"x\", {tag}"), &format!("W/{tag}")] {
            assert_eq!(status(&page, tags), StatusCode::NOT_MODIFIED, "{tags}");
            assert_eq!(status(&other, tags) == StatusCode::OK, tags != "*", "{tags}");
        }
    }
}
