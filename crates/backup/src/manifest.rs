//! The first entry: what the archive holds.

use std::collections::HashSet;

use anyhow::{bail, ensure};
use serde::{Deserialize, Serialize};

/// The format that this version writes. It reads this one and all earlier ones.
pub const FORMAT: u32 = 1;

const PRODUCT: &str = "bindery";

/// PostgreSQL shortens longer names.
const MAX_NAME: usize = 63;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    pub product: String,
    pub format: u32,
    /// The version of the server that made the archive.
    pub version: String,
    /// RFC 3339.
    pub created_at: String,
    /// `sqlite` or `postgres`.
    pub database: String,
    /// The names of the migrations that the database had, in their order.
    pub migrations: Vec<String>,
    /// The tables, in the order of their rows.
    pub tables: Vec<Table>,
    /// The parts of the installation that the archive leaves out, each with the reason or the way to back it up.
    pub left_out: Vec<String>,
    /// Identifies the secret key without disclosing it.
    pub key_check: String,
    pub has_key: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    pub name: String,
    pub columns: Vec<Column>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    pub name: String,
    pub kind: Kind,
}

/// The type of a column, and the JSON form of its values; each may be null.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// `"123e4567-e89b-12d3-a456-426614174000"`
    Uuid,
    Text,
    /// Base64.
    Bytes,
    Int16,
    Int32,
    Int64,
    Boolean,
    /// Its text.
    Json,
}

impl Manifest {
    pub fn product() -> String {
        PRODUCT.to_owned()
    }

    /// Reads the first entry of an archive.
    pub(crate) fn parse(bytes: &[u8]) -> anyhow::Result<Self> {
        #[derive(Deserialize)]
        struct Version {
            product: String,
            format: u32,
            version: String,
        }
        let found: Version = serde_json::from_slice(bytes)?;
        ensure!(found.product == PRODUCT, "it is a backup of another program");
        if found.format > FORMAT {
            bail!(
                "it was made by the newer version {} in format {}; this version reads up to format {FORMAT}. Restore it with \
                 that version or a later one",
                printable(&found.version),
                found.format
            );
        }
        let manifest: Self = serde_json::from_slice(bytes)?;
        manifest.check_names()?;
        Ok(manifest)
    }

    /// Names become part of statements.
    fn check_names(&self) -> anyhow::Result<()> {
        let names = self.tables.iter().map(|table| &table.name);
        check_unique(names)?;
        for table in &self.tables {
            ensure!(!table.columns.is_empty(), "a table has no columns");
            check_unique(table.columns.iter().map(|column| &column.name))?;
        }
        Ok(())
    }
}

fn check_unique<'a>(names: impl Iterator<Item = &'a String>) -> anyhow::Result<()> {
    let mut seen = HashSet::new();
    for name in names {
        ensure!(is_name(name) && seen.insert(name), "its manifest has invalid names");
    }
    Ok(())
}

fn is_name(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    (1..=MAX_NAME).contains(&text.len()) && text.bytes().all(plain)
}

/// A text of the archive for messages.
fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(40).collect()
}
