//! Stored objects, backups, background work and answered requests.

pub mod backups;
pub mod blobs;
pub mod idempotency_keys;
pub mod jobs;
