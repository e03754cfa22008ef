//! Finished documents.

use std::io::{self, Write};

use serde_json::Value;

use crate::{
    MAX_CONTENT_BYTES, MAX_RESULT_BYTES, descriptions,
    problem::{Problem, Problems},
};

/// A finished document, as JSON.
#[derive(Debug)]
pub struct Finished {
    pub document: Vec<u8>,
    /// The document with its descriptions as HTML beside them.
    pub content: Vec<u8>,
    pub problems: Problems,
}

impl Finished {
    pub(crate) fn write(document: &Value, problems: Problems) -> Result<Self, Vec<Problem>> {
        Ok(Self {
            document: written(MAX_RESULT_BYTES, "The whole document", |bytes| {
                serde_json::to_writer(bytes, &descriptions::plain(document))
            })?,
            content: written(
                MAX_CONTENT_BYTES,
                "With its descriptions as HTML, the whole document",
                |bytes| descriptions::write_with_html(document, bytes),
            )?,
            problems,
        })
    }
}

fn written(
    limit: usize,
    what: &str,
    write: impl FnOnce(&mut LimitedBytes) -> serde_json::Result<()>,
) -> Result<Vec<u8>, Vec<Problem>> {
    let mut bytes = LimitedBytes {
        bytes: Vec::new(),
        limit,
    };
    match write(&mut bytes) {
        Ok(()) => Ok(bytes.bytes),
        Err(_) => Err(vec![Problem::new(format!("{what} has more than {limit} bytes."))]),
    }
}

/// The bytes of a result, up to the limit.
struct LimitedBytes {
    bytes: Vec<u8>,
    limit: usize,
}

impl Write for LimitedBytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
