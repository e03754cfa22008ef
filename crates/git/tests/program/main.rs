//! Tests with the program git: over files, over HTTP on this machine, and with programs that stand for git at its worst.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may fail at any place"
)]

mod connections;
mod environment;
mod export;
mod limits;
mod reading;
mod server;
mod support;
