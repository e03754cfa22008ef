//! Stored objects and background work.

pub mod blobs;
pub mod jobs;
