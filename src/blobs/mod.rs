//! The bytes of files, named by their hash, in a directory or in an S3-compatible store.
//!
//! Bytes are stored first ([`put`]), then the transaction that makes a revision of them says which space holds them
//! ([`reference`]). What no space holds is dropped a day later ([`purge`]).

mod links;
mod purge;
mod rows;
mod store;

use anyhow::Context;
use bytes::Bytes;

use crate::{app::App, hash::Hash};

pub use self::{
    links::{FileLink, FileLinks},
    purge::purge,
    rows::{Found, copy, find, reference},
    store::{BlobName, BlobStore},
};

/// Stores bytes. When it answers, they are on disk, whatever happens to the machine; a request that ends before has
/// stored all of them or nothing that anybody could see.
pub async fn put(app: &App, bytes: Bytes) -> anyhow::Result<Hash> {
    let size = i64::try_from(bytes.len())?;
    let whole = bytes.clone();
    let hash = tokio::task::spawn_blocking(move || Hash::of(&whole)).await?;
    let name = rows::claim(app, hash, size).await?;
    let stored = app.blobs.put(name, bytes).await;
    stored.with_context(|| format!("the bytes {hash} could not be stored"))?;
    Ok(hash)
}
