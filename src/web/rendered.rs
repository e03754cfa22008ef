//! Rendered pages and pictures in memory, by the hash of all that they are made from: they never become old.

use std::sync::{Arc, PoisonError, RwLock};

use bytes::Bytes;
use content::cache::{ByteCache, Cached};
use openapi::{conditional::EntityTag, error::ApiError, models::PublishedContentSite};
use platform::hash::Hash;
use poem::{
    http::{HeaderMap, HeaderValue, header},
    web::CompressionAlgo,
};
use serde_json::json;
use web::Href;

use super::site::Site;

use crate::areas::{authoring::reader::RevisionReader, publishing::published_content::Here};

/// Bytes of an entry beside its HTML.
const OVERHEAD: usize = 512;

/// The compressed forms of a text that is sent many times, by their coding.
#[derive(Default)]
pub struct Compressed(RwLock<Vec<(CompressionAlgo, Bytes, HeaderValue)>>);

impl Compressed {
    /// The bytes, and the value of `Content-Encoding`.
    pub fn get(&self, algorithm: CompressionAlgo) -> Option<(Bytes, HeaderValue)> {
        let forms = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let form = forms.iter().find(|(known, ..)| *known == algorithm);
        form.map(|(_, bytes, coding)| (bytes.clone(), coding.clone()))
    }

    pub fn keep(&self, algorithm: CompressionAlgo, bytes: &Bytes, headers: &HeaderMap) {
        let mut forms = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(coding) = headers.get(header::CONTENT_ENCODING)
            && !forms.iter().any(|(known, ..)| *known == algorithm)
        {
            forms.push((algorithm, bytes.clone(), coding.clone()));
        }
    }
}

/// A page as it is sent.
pub struct Rendered {
    pub html: Bytes,
    pub compressed: Arc<Compressed>,
    pub tag: EntityTag,
    pub policy: HeaderValue,
    /// The id of the page, and its address.
    pub page: String,
    pub href: Href,
}

impl Cached for Rendered {
    const CACHE_BYTES: u64 = 32 * 1024 * 1024;

    fn weight(&self) -> usize {
        // Half as much again for the compressed forms.
        self.html.len().saturating_mul(3).div_ceil(2).saturating_add(OVERHEAD)
    }
}

/// A picture as it is sent. `None`: it cannot be made.
pub struct Picture(pub Option<Bytes>);

impl Cached for Picture {
    const CACHE_BYTES: u64 = 8 * 1024 * 1024;

    fn weight(&self) -> usize {
        self.0.as_ref().map_or(0, Bytes::len).saturating_add(OVERHEAD)
    }
}

#[derive(Default)]
pub struct Kept {
    pub pages: ByteCache<Hash, Rendered>,
    pub pictures: ByteCache<Hash, Picture>,
}

/// The hash of what the page at a place is made from: the site as the visitor sees it, the revision, the claims, and the address.
/// `None`: a preview, which is seen once.
pub async fn key(
    site: &Site,
    here: &Here,
    profile: &PublishedContentSite,
    reader: &mut RevisionReader<'_>,
) -> Result<Option<Hash>, ApiError> {
    if site.visit.visit.preview_of.is_some() {
        return Ok(None);
    }
    let tag = reader.shown_tag().await?;
    let place = json!([
        profile,
        tag.header().to_str().unwrap_or_default(),
        site.url.origin().ascii_serialization(),
        site.base,
        site.address.canonical,
        here.item.to_string(),
        here.rest,
        site.is_proxied(),
    ]);
    Ok(Some(Hash::of(&serde_json::to_vec(&place)?)))
}
