//! Insight events of sites: the batches that have been received, and the segments in which they are kept.

pub mod batches;
pub mod columns;
pub mod days;
pub mod digests;
pub mod removals;
pub mod segments;
