//! Tests of the pool with real processes.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail at any place"
)]

mod apis;
mod events;
mod limits;
mod pool;
mod speed;
mod support;
