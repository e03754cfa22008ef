//! One file of a revision, as it is stored.

use entity::ids::FileId;
use serde::{Deserialize, Serialize};

use crate::objects::Hash;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    pub id: FileId,
    pub name: String,
    pub content_type: String,
    /// In bytes.
    pub size: u64,
    /// Width and height of a picture, in pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<(u32, u32)>,
    /// The name of its bytes in the store of blobs.
    pub blob: Hash,
}
