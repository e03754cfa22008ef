//! The end that typesets, in a program without the typesetter.

use std::{
    io::{self, Read, Write},
    path::PathBuf,
};

pub fn start_threads() -> io::Result<()> {
    Err(none())
}

pub fn run(_: &mut impl Read, _: &mut impl Write, _: &[PathBuf]) -> io::Result<usize> {
    Err(none())
}

fn none() -> io::Error {
    io::Error::new(
        io::ErrorKind::Unsupported,
        "this program was built without the typesetter",
    )
}
