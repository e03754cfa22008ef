//! The last entry: counts, and a hash over all entries before it.

use std::collections::BTreeMap;

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Trailer {
    /// Rows by table.
    pub rows: BTreeMap<String, u64>,
    pub blobs: u64,
    /// Bytes of all blobs.
    pub blob_bytes: u64,
    /// SHA-256 over the names, lengths and hashes of all entries before the trailer.
    pub sha256: String,
}

/// Counts and hashes entries; both directions compute the same trailer.
#[derive(Default)]
pub(crate) struct Totals {
    counts: Trailer,
    entries: Sha256,
}

impl Totals {
    pub fn add_entry(&mut self, name: &str, length: u64, hash: &[u8; 32]) {
        self.entries.update((name.len() as u64).to_be_bytes());
        self.entries.update(name);
        self.entries.update(length.to_be_bytes());
        self.entries.update(hash);
    }

    pub fn add_table(&mut self, table: &str) {
        self.counts.rows.insert(table.to_owned(), 0);
    }

    pub fn add_row(&mut self, table: &str) {
        if let Some(rows) = self.counts.rows.get_mut(table) {
            *rows += 1;
        }
    }

    pub fn add_blob(&mut self, size: u64) {
        self.counts.blobs += 1;
        self.counts.blob_bytes += size;
    }

    pub fn into_trailer(self) -> Trailer {
        Trailer {
            sha256: HEXLOWER.encode(&self.entries.finalize()),
            ..self.counts
        }
    }
}
