//! Reading an archive, which may be anything.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};

use anyhow::{Context, anyhow, bail, ensure};
use data_encoding::HEXLOWER;
use serde_json::Value;
use tar::{Archive, Entry, EntryType};
use zeroize::Zeroizing;

use crate::{
    CHUNK, KEY, MANIFEST, MAX_DOCUMENT, MAX_ROW, Manifest, TRAILER, Table, Trailer, trailer::Totals, write::Hashed,
};

/// zstd's window at the level of the writer has 2 MiB.
const MAX_WINDOW_LOG: u32 = 24;

/// The longest suffix of the name of a blob.
const MAX_SUFFIX: usize = 32;

const CUT_OFF: &str = "the archive is cut off: its end is missing. Use another backup";
const DAMAGED: &str = "the archive is damaged. Use another backup";

/// The name of a blob entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    pub hash: [u8; 32],
    pub suffix: String,
    pub size: u64,
}

/// Receives the content of an archive in its order. What it receives is not verified before [`read`] has returned.
pub trait Visitor {
    fn manifest(&mut self, manifest: &Manifest) -> anyhow::Result<()>;
    /// The values of a row, as many as the table has columns.
    fn row(&mut self, table: &Table, row: Vec<Value>) -> anyhow::Result<()>;
    /// `bytes` may be read to their end or not at all.
    fn blob(&mut self, blob: &Blob, bytes: &mut dyn Read) -> anyhow::Result<()>;
    fn key(&mut self, sealed: &[u8]) -> anyhow::Result<()>;
}

/// Reads an archive to its end and verifies it.
pub fn read(input: impl Read, visitor: &mut impl Visitor) -> anyhow::Result<Trailer> {
    let mut archive = Archive::new(input);
    let mut entries = archive.entries()?.raw(true);
    let mut next = |name: &str| match entries.next() {
        Some(entry) => entry.map_err(explain).with_context(|| format!("after {name}")),
        None => bail!(CUT_OFF),
    };
    let foreign = "this is not a backup of Bindery";
    let first = next("the beginning").map_err(|error| anyhow!("{foreign}: {error:#}"))?;
    ensure!(name_of(&first).is_ok_and(|name| name == MANIFEST), foreign);
    let mut totals = Totals::default();
    let manifest = document(first, MANIFEST, &mut totals)?;
    let manifest = Manifest::parse(&manifest).context("this backup cannot be read")?;
    visitor.manifest(&manifest)?;
    for table in &manifest.tables {
        totals.add_table(&table.name);
    }
    let mut place = Place::new(&manifest);
    loop {
        let entry = next(&place.last)?;
        let name = name_of(&entry)?;
        match place.advance(&name, entry.size())? {
            Part::Rows(table) => rows(entry, &name, table, &mut totals, visitor)?,
            Part::Blob(blob) => blob_bytes(entry, &name, &blob, &mut totals, visitor)?,
            Part::Key => visitor.key(&document(entry, KEY, &mut totals)?)?,
            Part::Trailer => {
                let trailer = document(entry, TRAILER, &mut Totals::default())?;
                let trailer: Trailer = serde_json::from_slice(&trailer).context(DAMAGED)?;
                ensure!(trailer == totals.into_trailer(), DAMAGED);
                ensure!(entries.next().is_none(), DAMAGED);
                return Ok(trailer);
            }
        }
    }
}

/// The position of the reader in the archive.
struct Place<'a> {
    manifest: &'a Manifest,
    last: String,
    /// Index of the table of the last chunk, and its next chunk.
    table: usize,
    chunk: u64,
    stage: Stage,
    last_blob: Option<[u8; 32]>,
}

#[derive(PartialEq, PartialOrd)]
enum Stage {
    Rows,
    Blobs,
    Key,
}

enum Part<'a> {
    Rows(&'a Table),
    Blob(Blob),
    Key,
    Trailer,
}

impl<'a> Place<'a> {
    fn new(manifest: &'a Manifest) -> Self {
        Self {
            manifest,
            last: MANIFEST.to_owned(),
            table: 0,
            chunk: 0,
            stage: Stage::Rows,
            last_blob: None,
        }
    }

    /// Returns what the next entry is, which may only be what follows the entries before it.
    fn advance(&mut self, name: &str, size: u64) -> anyhow::Result<Part<'a>> {
        name.clone_into(&mut self.last);
        if name == TRAILER {
            ensure!(self.manifest.has_key == (self.stage == Stage::Key), DAMAGED);
            return Ok(Part::Trailer);
        }
        if name == KEY && self.stage < Stage::Key {
            self.stage = Stage::Key;
            return Ok(Part::Key);
        }
        if let Some(blob) = blob_of(name, size)
            && self.stage <= Stage::Blobs
            && self.last_blob < Some(blob.hash)
        {
            self.stage = Stage::Blobs;
            self.last_blob = Some(blob.hash);
            return Ok(Part::Blob(blob));
        }
        if self.stage == Stage::Rows
            && let Some(table) = self.chunk_of(name)
        {
            return Ok(Part::Rows(table));
        }
        bail!(DAMAGED)
    }

    fn chunk_of(&mut self, name: &str) -> Option<&'a Table> {
        let (table, chunk) = name
            .strip_prefix("rows/")?
            .strip_suffix(".jsonl.zst")?
            .split_once('/')?;
        let index = self.manifest.tables.iter().position(|known| known.name == table)?;
        let expected = if index == self.table { self.chunk } else { 0 };
        if index < self.table || chunk != expected.to_string() {
            return None;
        }
        (self.table, self.chunk) = (index, expected + 1);
        self.manifest.tables.get(index)
    }
}

fn blob_of(name: &str, size: u64) -> Option<Blob> {
    let (hash, suffix) = name.strip_prefix("blobs/")?.split_once('.')?;
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_suffix = (1..=MAX_SUFFIX).contains(&suffix.len()) && suffix.bytes().all(plain);
    let hash = HEXLOWER.decode(hash.as_bytes()).ok()?.try_into().ok()?;
    is_suffix.then(|| Blob {
        hash,
        suffix: suffix.to_owned(),
        size,
    })
}

fn name_of(entry: &Entry<'_, impl Read>) -> anyhow::Result<String> {
    ensure!(entry.header().entry_type() == EntryType::Regular, DAMAGED);
    let name = String::from_utf8(entry.path_bytes().into_owned());
    name.map_err(|_| anyhow!(DAMAGED))
}

/// Reads a small entry.
fn document(entry: Entry<'_, impl Read>, name: &str, totals: &mut Totals) -> anyhow::Result<Zeroizing<Vec<u8>>> {
    let length = entry.size();
    ensure!(length <= MAX_DOCUMENT, DAMAGED);
    let mut hashed = Hashed::new(entry);
    let mut bytes = Zeroizing::new(Vec::new());
    hashed.read_to_end(&mut bytes).map_err(explain)?;
    let (hash, read) = hashed.finish();
    ensure!(read == length, CUT_OFF);
    totals.add_entry(name, length, &hash);
    Ok(bytes)
}

fn rows(
    entry: Entry<'_, impl Read>,
    name: &str,
    table: &Table,
    totals: &mut Totals,
    visitor: &mut impl Visitor,
) -> anyhow::Result<()> {
    let length = entry.size();
    let mut hashed = Hashed::new(entry);
    let mut decoder = zstd::Decoder::new(&mut hashed).map_err(explain)?;
    decoder.window_log_max(MAX_WINDOW_LOG)?;
    let mut lines = BufReader::new(decoder.take((CHUNK + MAX_ROW) as u64));
    let mut line = Vec::new();
    loop {
        line.clear();
        line.shrink_to(CHUNK);
        let read = (&mut lines).take(MAX_ROW as u64 + 1).read_until(b'\n', &mut line);
        if read.map_err(explain)? == 0 {
            break;
        }
        ensure!(line.ends_with(b"\n"), DAMAGED);
        let row: Vec<Value> = serde_json::from_slice(&line).context(DAMAGED)?;
        ensure!(row.len() == table.columns.len(), DAMAGED);
        totals.add_row(&table.name);
        visitor.row(table, row)?;
    }
    drop(lines);
    end(hashed, name, length, totals).map(drop)
}

fn blob_bytes(
    entry: Entry<'_, impl Read>,
    name: &str,
    blob: &Blob,
    totals: &mut Totals,
    visitor: &mut impl Visitor,
) -> anyhow::Result<()> {
    let mut hashed = Hashed::new(entry);
    visitor.blob(blob, &mut hashed)?;
    let hash = end(hashed, name, blob.size, totals)?;
    ensure!(
        hash == blob.hash,
        "{DAMAGED}: {name} has other bytes than its name says"
    );
    totals.add_blob(blob.size);
    Ok(())
}

/// Reads what is left of an entry, which has to have its length.
fn end(mut hashed: Hashed<impl Read>, name: &str, length: u64, totals: &mut Totals) -> anyhow::Result<[u8; 32]> {
    io::copy(&mut hashed, &mut io::sink()).map_err(explain)?;
    let (hash, read) = hashed.finish();
    ensure!(read == length, CUT_OFF);
    totals.add_entry(name, length, &hash);
    Ok(hash)
}

/// The reason in words of an operator.
fn explain(error: io::Error) -> anyhow::Error {
    match error.kind() {
        ErrorKind::UnexpectedEof => anyhow!(CUT_OFF),
        ErrorKind::Other | ErrorKind::InvalidData | ErrorKind::InvalidInput => anyhow!("{DAMAGED} ({error})"),
        _ => error.into(),
    }
}
