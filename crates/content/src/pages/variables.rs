//! The variables of a space, for the expressions of its pages.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable {
    pub name: String,
    pub value: String,
}

/// The key of a variable in its map, whose keys have one length.
pub(super) fn key(name: &str) -> Vec<u8> {
    Sha256::digest(name.as_bytes()).iter().take(16).copied().collect()
}
