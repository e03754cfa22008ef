//! Places and keys of pages.

use entity::ids::PageId;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The place of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<PageId>,
    pub slug: String,
}

/// Returns the prefix of the children of a page in the map of pages.
pub fn below(parent: Option<PageId>) -> Vec<u8> {
    parent.map_or([0; 16], |parent| *parent.as_uuid().as_bytes()).to_vec()
}

pub fn key(parent: Option<PageId>, slug: &str) -> Vec<u8> {
    let mut key = below(parent);
    let slug = Sha256::digest(slug.as_bytes());
    key.extend(slug.iter().take(16));
    key
}
