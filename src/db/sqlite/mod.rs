//! Writes on SQLite: closures queue for the one writer, and those that wait together share a commit.

mod job;
mod writer;

pub(super) use self::writer::Writer;
