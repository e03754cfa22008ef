//! Stored objects, background work and answered requests.

pub mod blobs;
pub mod idempotency_keys;
pub mod jobs;
