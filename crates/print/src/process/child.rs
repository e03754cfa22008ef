//! The end that typesets.

use std::{
    io::{self, Read, Write},
    path::PathBuf,
};

use typst::foundations::Bytes;

use super::{LENGTH_BYTES, MAX_FRAME_BYTES, MAX_IMAGE_BYTES};

use crate::{Book, typeset::typeset};

/// Started by the typesetter, a thread without memory for its stack would be a panic.
pub fn start_threads() -> io::Result<()> {
    let started = rayon::ThreadPoolBuilder::new().build_global();
    started.map_err(|_| io::ErrorKind::OutOfMemory.into())
}

pub fn run(input: &mut impl Read, output: &mut impl Write, folders: &[PathBuf]) -> io::Result<usize> {
    let mut left = MAX_FRAME_BYTES;
    let mut book: Book = serde_json::from_slice(&next_frame(input, &mut left)?)?;
    for page in &mut book.pages {
        page.nodes = serde_json::from_slice(&next_frame(input, &mut left)?)?;
    }
    let (mut images, mut left) = (Vec::with_capacity(book.images.len()), MAX_IMAGE_BYTES);
    for image in &book.images {
        images.push(Bytes::new(take(input, image.size, &mut left)?));
    }
    let made = typeset(book, images, folders).map_err(io::Error::other)?;
    output.write_all(&made.file)?;
    output.flush()?;
    Ok(made.pages)
}

fn next_frame(input: &mut impl Read, left: &mut u64) -> io::Result<Vec<u8>> {
    let mut length = [0; LENGTH_BYTES];
    input.read_exact(&mut length)?;
    take(input, u64::from_be_bytes(length), left)
}

fn take(input: &mut impl Read, length: u64, left: &mut u64) -> io::Result<Vec<u8>> {
    let too_large = || io::Error::new(io::ErrorKind::InvalidData, "the book is too large");
    *left = left.checked_sub(length).ok_or_else(too_large)?;
    let mut bytes = Vec::new();
    input.take(length).read_to_end(&mut bytes)?;
    match u64::try_from(bytes.len()) == Ok(length) {
        true => Ok(bytes),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}
