//! Rows of an archive to the database, and blobs to the file store.

use std::io::{self, Read};

use anyhow::{Context, ensure};
use backup::{Blob, Manifest, Table, Visitor};
use platform::{
    blobs::{BlobName, BlobStorage},
    db::Load,
    hash::Hash,
};
use sea_orm::sea_query::{Alias, Expr, Query};
use serde_json::Value;
use tokio::runtime::Handle;

use super::verify::Verified;
use crate::commands::backup::tables::to_value;

/// Values and bytes of one statement. SQLite binds at most 32,766 values.
const MAX_VALUES: usize = 16_000;
const MAX_BYTES: usize = 1 << 20;

/// Writes what it receives. It is used inside of `block_in_place`.
pub struct Fill<'a> {
    load: &'a Load,
    objects: &'a BlobStorage,
    manifest: &'a Manifest,
    /// Rows that wait for their statement.
    table: Option<Table>,
    rows: Vec<Vec<Expr>>,
    bytes: usize,
}

impl<'a> Fill<'a> {
    pub fn new(load: &'a Load, objects: &'a BlobStorage, verified: &'a Verified) -> Self {
        Self {
            load,
            objects,
            manifest: &verified.manifest,
            table: None,
            rows: Vec::new(),
            bytes: 0,
        }
    }

    /// Inserts the rows that wait.
    pub fn insert(&mut self) -> anyhow::Result<()> {
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        let Some(table) = self.table.as_ref().filter(|_| !rows.is_empty()) else {
            return Ok(());
        };
        let mut insert = Query::insert();
        insert
            .into_table(Alias::new(&table.name))
            .columns(table.columns.iter().map(|column| Alias::new(&column.name)));
        for row in rows {
            insert.values(row)?;
        }
        let inserted = Handle::current().block_on(self.load.insert(&insert));
        inserted.with_context(|| format!("cannot restore the table {}", table.name))
    }
}

impl Visitor for Fill<'_> {
    fn manifest(&mut self, manifest: &Manifest) -> anyhow::Result<()> {
        ensure!(manifest == self.manifest, "the archive has changed meanwhile");
        Ok(())
    }

    fn row(&mut self, table: &Table, row: Vec<Value>) -> anyhow::Result<()> {
        if self.table.as_ref().is_none_or(|current| current.name != table.name) {
            self.insert()?;
            self.table = Some(table.clone());
        }
        let mut values = Vec::with_capacity(row.len());
        for (column, value) in table.columns.iter().zip(row) {
            self.bytes += value.as_str().map_or(0, str::len);
            let context = || format!("{}.{} has an invalid value", table.name, column.name);
            values.push(to_value(column.kind, value).with_context(context)?.into());
        }
        self.rows.push(values);
        if self.rows.len() * table.columns.len() >= MAX_VALUES || self.bytes >= MAX_BYTES {
            self.insert()?;
        }
        Ok(())
    }

    fn blob(&mut self, blob: &Blob, bytes: &mut dyn Read) -> anyhow::Result<()> {
        let name = BlobName {
            hash: Hash::from_bytes(&blob.hash).context("a hash has another length")?,
            id: blob.suffix.parse().context("the name of a blob has no id")?,
        };
        let context = || format!("cannot store the blob {}", name.hash);
        let mut writer = self.objects.writer(name).with_context(context)?;
        io::copy(bytes, &mut writer).with_context(context)?;
        writer.shutdown().with_context(context)
    }

    fn key(&mut self, _: &[u8]) -> anyhow::Result<()> {
        Ok(())
    }
}
