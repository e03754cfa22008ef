//! Archives of whole installations: a tar stream of rows and blobs, which is verified as it is read.
//!
//! | Entry | Content |
//! |---|---|
//! | `bindery-backup.json` | the [`Manifest`] |
//! | `rows/<table>/<number>.jsonl.zst` | rows of a table, each a JSON array of its columns, compressed with zstd |
//! | `blobs/<hash>.<suffix>` | the bytes with this SHA-256 |
//! | `secret.key.age` | the secret key of the server, sealed with a passphrase; optional |
//! | `trailer.json` | the [`Trailer`] |
//!
//! An archive is untrusted input. Entries are read in this order by their exact names, sizes are bounded, and nothing is
//! unpacked to a path. Both directions need memory for one chunk of rows.

mod manifest;
mod read;
mod seal;
#[cfg(test)]
mod tests;
mod trailer;
mod write;

pub use manifest::{Column, FORMAT, Kind, Manifest, Table};
pub use read::{Blob, Visitor, read};
pub use seal::{open_key, seal_key};
pub use trailer::Trailer;
pub use write::Writer;

const MANIFEST: &str = "bindery-backup.json";
const KEY: &str = "secret.key.age";
const TRAILER: &str = "trailer.json";

/// Bytes of rows after which a chunk ends.
const CHUNK: usize = 16 << 20;

/// The longest row. No column of the server holds as much.
const MAX_ROW: usize = 256 << 20;

/// The largest manifest, key or trailer.
const MAX_DOCUMENT: u64 = 4 << 20;
