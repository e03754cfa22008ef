//! A process that typesets, seen from both of its ends.
//!
//! Its standard input is a sequence of frames, each with its length in bytes before it: the book without the nodes of its
//! pages, and the nodes of each page, as JSON. The bytes of the images follow one after another. Its standard output is the
//! PDF, or the picture. It fails with a message on standard error.

#[cfg(feature = "typesetter")]
mod child;
#[cfg(not(feature = "typesetter"))]
#[path = "no_child.rs"]
mod child;

use std::{
    io::{self, Read, Write},
    path::PathBuf,
};

use serde::Serialize;

/// The most bytes of all frames.
pub const MAX_FRAME_BYTES: u64 = 64 * 1024 * 1024;

/// Bytes of the length before a frame.
const LENGTH_BYTES: usize = size_of::<u64>();

/// The most bytes of all images.
pub const MAX_IMAGE_BYTES: u64 = 128 * 1024 * 1024;

/// Starts the threads that typeset. Fails if this crate was built without the typesetter.
pub fn start_threads() -> io::Result<()> {
    child::start_threads()
}

/// Typesets the book that comes from `input`, with the fonts in these folders. Returns the number of pages.
pub fn run(input: &mut impl Read, output: &mut impl Write, folders: &[PathBuf]) -> io::Result<usize> {
    child::run(input, output, folders)
}

/// A frame with the book, or with the nodes of a page.
pub fn frame(content: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut frame = vec![0; LENGTH_BYTES];
    serde_json::to_writer(&mut frame, content)?;
    Ok(with_length(frame))
}

/// A frame with the nodes of a page, which come one after the other.
pub struct NodesFrame(Vec<u8>);

impl Default for NodesFrame {
    fn default() -> Self {
        Self([&[0; LENGTH_BYTES], b"[".as_slice()].concat())
    }
}

impl NodesFrame {
    pub fn push(&mut self, node: &impl Serialize) -> serde_json::Result<()> {
        if !self.0.ends_with(b"[") {
            self.0.push(b',');
        }
        serde_json::to_writer(&mut self.0, node)
    }

    /// The bytes of the frame so far.
    pub fn bytes(&self) -> usize {
        self.0.len()
    }

    pub fn finish(mut self) -> Vec<u8> {
        self.0.push(b']');
        with_length(self.0)
    }
}

fn with_length(mut frame: Vec<u8>) -> Vec<u8> {
    let length = u64::try_from(frame.len())
        .unwrap_or(u64::MAX)
        .saturating_sub(LENGTH_BYTES as u64);
    frame.splice(..LENGTH_BYTES, length.to_be_bytes());
    frame
}
