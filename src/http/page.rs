//! Static pages, which change only with the build or the settings.

use std::io::{self, Read};

use bytes::Bytes;
use flate2::{
    Compression,
    bufread::{GzDecoder, GzEncoder},
};
use openapi::{conditional::EntityTag, error::ApiError};
use poem::{
    Response,
    http::{HeaderMap, HeaderValue, StatusCode, header},
};
use sha2::{Digest, Sha256};

use super::compression::{CODINGS, GZIP, negotiate};

/// Bytes that are kept compressed, and sent so to clients that can read them. Caches revalidate them at each use.
pub struct StaticPage {
    content_type: HeaderValue,
    /// The hash of the bytes.
    name: String,
    compressed: Bytes,
}

impl StaticPage {
    pub fn new(content_type: &str, bytes: &[u8]) -> io::Result<Self> {
        let mut compressed = Vec::new();
        GzEncoder::new(bytes, Compression::default()).read_to_end(&mut compressed)?;
        Ok(Self::from_gzip(content_type, compressed.into()))
    }

    /// A page of bytes in the form of gzip.
    pub fn from_gzip(content_type: &str, compressed: Bytes) -> Self {
        let digest = Sha256::digest(&compressed);
        Self {
            content_type: HeaderValue::try_from(content_type).unwrap_or(HeaderValue::from_static("text/plain")),
            name: digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect(),
            compressed,
        }
    }

    /// Returns the page, or 304 if the client has it.
    pub fn answer(&self, request: &HeaderMap) -> Result<Response, ApiError> {
        let kept = negotiate(request, &[GZIP]);
        // The forms of other codings are made of the plain one when it is sent.
        let tag = match kept.or_else(|| negotiate(request, &CODINGS)) {
            Some((coding, _)) => EntityTag::new(format!("{}.{coding}", self.name)),
            None => EntityTag::new(&self.name),
        };
        let builder = Response::builder()
            .header(header::ETAG, tag.header())
            .header(header::CACHE_CONTROL, "no-cache")
            .header(header::VARY, "accept-encoding");
        if is_known(request, &tag) {
            return Ok(builder.status(StatusCode::NOT_MODIFIED).finish());
        }
        let builder = builder.header(header::CONTENT_TYPE, &self.content_type);
        if let Some((coding, _)) = kept {
            let builder = builder.header(header::CONTENT_ENCODING, coding);
            return Ok(builder.body(self.compressed.clone()));
        }
        let mut bytes = Vec::new();
        let read = GzDecoder::new(self.compressed.as_ref()).read_to_end(&mut bytes);
        read.map_err(|e| ApiError::internal(e.to_string()))?;
        Ok(builder.body(bytes))
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
