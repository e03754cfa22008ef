//! Content that comes in and goes out as files.

mod archives;
mod export;
mod sources;
