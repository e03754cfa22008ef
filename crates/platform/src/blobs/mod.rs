//! The bytes of files, named by their hash, in a directory or in an S3-compatible store.
//!
//! Bytes are stored first ([`BlobStore::put`]), then the transaction that makes a revision of them records the space that
//! holds them ([`reference`]). Blobs that no space holds are dropped a day later ([`BlobStore::purge`]).

mod links;
mod object_store;
mod purge;
mod purge_job;
mod rows;

use std::sync::Arc;

use anyhow::Context;
use bytes::Bytes;

use crate::{
    config::BlobAddress,
    db::{Clock, Db, IdSource},
    hash::Hash,
};

pub(crate) use self::object_store::{delete_object, list_objects, object_writer};
pub use self::{
    links::{FileLink, FileLinks, SignedFile},
    object_store::{BlobName, BlobStorage, ObjectWriter, is_not_writable},
    purge_job::PurgeBlobs,
    rows::{StoredBlob, copy, find, load, reference},
};

/// The blobs of this server: their bytes in the object store, and their rows in the database. A cheap handle.
#[derive(Clone)]
pub struct BlobStore {
    db: Db,
    clock: Clock,
    ids: IdSource,
    pub objects: Arc<BlobStorage>,
}

impl BlobStore {
    pub fn new(db: Db, clock: Clock, ids: IdSource, address: BlobAddress) -> Self {
        Self {
            db,
            clock,
            ids,
            objects: Arc::new(BlobStorage::new(address)),
        }
    }

    /// Stores bytes durably and returns their hash. An interrupted call has stored all of the bytes or nothing visible.
    pub async fn put(&self, bytes: Bytes) -> anyhow::Result<Hash> {
        let size = i64::try_from(bytes.len())?;
        let whole = bytes.clone();
        let hash = tokio::task::spawn_blocking(move || Hash::of(&whole)).await?;
        let name = self.claim(hash, size).await?;
        let stored = self.objects.put(name, bytes).await;
        stored.with_context(|| format!("cannot store blob {hash}"))?;
        Ok(hash)
    }
}
