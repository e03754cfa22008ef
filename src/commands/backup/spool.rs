//! The names of blobs, kept on the disk between the rows that name them and their bytes: the database need not wait for the bytes.

use std::{
    fs::File,
    io::{BufReader, BufWriter, ErrorKind, Read, Seek, Write},
    path::Path,
};

use anyhow::Context;
use entity::ids::BlobId;
use platform::{blobs::BlobName, hash::Hash};
use sea_orm::QueryResult;
use uuid::Uuid;

pub struct BlobNames(BufWriter<File>);

impl BlobNames {
    pub fn new(directory: &Path) -> anyhow::Result<Self> {
        let file = tempfile::tempfile_in(directory);
        Ok(Self(BufWriter::new(
            file.context("cannot write to the data directory")?,
        )))
    }

    /// Adds a row of the table of blobs.
    pub fn add(&mut self, row: &QueryResult) -> anyhow::Result<()> {
        let (hash, id, size): (Vec<u8>, Uuid, i64) = (
            row.try_get("", "hash")?,
            row.try_get("", "id")?,
            row.try_get("", "size")?,
        );
        self.0.write_all(&hash)?;
        self.0.write_all(id.as_bytes())?;
        self.0.write_all(&u64::try_from(size)?.to_be_bytes())?;
        Ok(())
    }

    /// The blobs and their sizes, in the order in which they were added.
    pub fn into_reader(self) -> anyhow::Result<impl Iterator<Item = anyhow::Result<(BlobName, u64)>>> {
        let mut file = self.0.into_inner()?;
        file.rewind()?;
        let mut names = BufReader::new(file);
        Ok(std::iter::from_fn(move || next(&mut names).transpose()))
    }
}

fn next(names: &mut impl Read) -> anyhow::Result<Option<(BlobName, u64)>> {
    let (mut hash, mut id, mut size) = ([0; 32], [0; 16], [0; 8]);
    match names.read_exact(&mut hash) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    names.read_exact(&mut id)?;
    names.read_exact(&mut size)?;
    let hash = Hash::from_bytes(&hash).context("a hash has another length")?;
    let id = BlobId::from_uuid(Uuid::from_bytes(id));
    Ok(Some((BlobName { hash, id }, u64::from_be_bytes(size))))
}
