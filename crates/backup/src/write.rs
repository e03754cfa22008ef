//! Writing an archive.

use std::io::{Read, Write};

use anyhow::{Context, ensure};
use data_encoding::HEXLOWER;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tar::{Builder, EntryType, Header};

use crate::{CHUNK, KEY, MANIFEST, MAX_ROW, Manifest, TRAILER, Trailer, trailer::Totals};

/// About 300 MB/s on one core.
const COMPRESSION_LEVEL: i32 = 3;

/// Writes the entries in their order: rows table by table, blobs, the key.
pub struct Writer<W: Write> {
    tar: Builder<W>,
    totals: Totals,
    tables: Vec<String>,
    /// The table of the rows in `chunk`, as an index into `tables`.
    table: usize,
    chunk: Vec<u8>,
    /// Chunks of the table that are written.
    chunks: u64,
}

impl<W: Write> Writer<W> {
    pub fn new(output: W, manifest: &Manifest) -> anyhow::Result<Self> {
        let mut writer = Self {
            tar: Builder::new(output),
            totals: Totals::default(),
            tables: manifest.tables.iter().map(|table| table.name.clone()).collect(),
            table: 0,
            chunk: Vec::new(),
            chunks: 0,
        };
        for table in &writer.tables {
            writer.totals.add_table(table);
        }
        let document = serde_json::to_vec(manifest)?;
        writer.entry(MANIFEST, document.len() as u64, &mut document.as_slice())?;
        Ok(writer)
    }

    /// Adds a row of the table with this index in the manifest. Tables come in the order of the manifest.
    pub fn row(&mut self, table: usize, row: &[Value]) -> anyhow::Result<()> {
        ensure!(table >= self.table, "rows of an earlier table");
        if table > self.table {
            self.end_chunk()?;
            self.table = table;
            self.chunks = 0;
        }
        let before = self.chunk.len();
        serde_json::to_writer(&mut self.chunk, row)?;
        let name = self.tables.get(table).context("no such table")?;
        let length = self.chunk.len() - before;
        ensure!(
            length <= MAX_ROW,
            "a row of {name} is too long for a backup: {length} bytes"
        );
        self.chunk.push(b'\n');
        self.totals.add_row(name);
        if self.chunk.len() >= CHUNK {
            self.end_chunk()?;
        }
        Ok(())
    }

    fn end_chunk(&mut self) -> anyhow::Result<()> {
        if self.chunk.is_empty() {
            return Ok(());
        }
        let mut encoder = zstd::Encoder::new(Vec::new(), COMPRESSION_LEVEL)?;
        encoder.include_checksum(true)?;
        encoder.write_all(&self.chunk)?;
        let compressed = encoder.finish()?;
        let table = self.tables.get(self.table).map_or("", String::as_str);
        let name = format!("rows/{table}/{}.jsonl.zst", self.chunks);
        self.chunks += 1;
        self.chunk.clear();
        // A long row leaves much memory behind.
        self.chunk.shrink_to(CHUNK);
        self.entry(&name, compressed.len() as u64, &mut compressed.as_slice())?;
        Ok(())
    }

    /// Adds a blob, after all rows. `suffix` is a part of its name that the caller needs when it reads the archive.
    pub fn blob(&mut self, hash: &[u8; 32], suffix: &str, size: u64, bytes: &mut dyn Read) -> anyhow::Result<()> {
        self.end_chunk()?;
        let name = format!("blobs/{}.{suffix}", HEXLOWER.encode(hash));
        let found = self.entry(&name, size, bytes)?;
        ensure!(
            found == *hash,
            "the file store has damaged bytes for the blob {}",
            HEXLOWER.encode(hash)
        );
        self.totals.add_blob(size);
        Ok(())
    }

    /// Adds the sealed key, after all blobs.
    pub fn key(&mut self, sealed: &[u8]) -> anyhow::Result<()> {
        self.end_chunk()?;
        self.entry(KEY, sealed.len() as u64, &mut &*sealed)?;
        Ok(())
    }

    /// Writes the trailer. The caller flushes the output.
    pub fn finish(mut self) -> anyhow::Result<(W, Trailer)> {
        self.end_chunk()?;
        let trailer = std::mem::take(&mut self.totals).into_trailer();
        let document = serde_json::to_vec_pretty(&trailer)?;
        self.entry(TRAILER, document.len() as u64, &mut document.as_slice())?;
        Ok((self.tar.into_inner()?, trailer))
    }

    /// Writes an entry and returns the hash of its bytes.
    fn entry(&mut self, name: &str, length: u64, bytes: &mut dyn Read) -> anyhow::Result<[u8; 32]> {
        let mut header = Header::new_ustar();
        header.set_path(name)?;
        header.set_entry_type(EntryType::Regular);
        header.set_size(length);
        header.set_mode(0o600);
        header.set_cksum();
        let mut hashed = Hashed::new(bytes.take(length));
        self.tar.append(&header, &mut hashed)?;
        let (hash, read) = hashed.finish();
        ensure!(read == length, "{name} has {read} bytes instead of {length}");
        self.totals.add_entry(name, length, &hash);
        Ok(hash)
    }
}

/// Hashes and counts what is read.
pub(crate) struct Hashed<R> {
    inner: R,
    hash: Sha256,
    length: u64,
}

impl<R: Read> Hashed<R> {
    pub fn new(inner: R) -> Self {
        Self {
            inner,
            hash: Sha256::new(),
            length: 0,
        }
    }

    pub fn finish(self) -> ([u8; 32], u64) {
        (self.hash.finalize().into(), self.length)
    }
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.hash.update(buffer.get(..read).unwrap_or_default());
        self.length += read as u64;
        Ok(read)
    }
}
