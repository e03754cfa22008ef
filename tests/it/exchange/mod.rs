//! Content that goes out and comes in as files.

mod export;
