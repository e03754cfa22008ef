//! Verifying an archive before anything is written.

use std::io::Read;

use anyhow::{Context, ensure};
use backup::{Blob, Manifest, Table, Trailer, Visitor};
use base64::{Engine, engine::general_purpose::STANDARD};
use entity::ids::BlobId;
use serde_json::Value;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::commands::backup::tables::BLOBS;

/// An archive that is complete and undamaged.
pub struct Verified {
    pub manifest: Manifest,
    pub trailer: Trailer,
    pub sealed_key: Option<Vec<u8>>,
}

pub fn verify(input: impl Read) -> anyhow::Result<Verified> {
    let mut check = Check::default();
    let trailer = backup::read(input, &mut check)?;
    ensure!(
        check.named.finalize() == check.stored.finalize(),
        "the archive does not have exactly the blobs that its rows name"
    );
    Ok(Verified {
        manifest: check.manifest.context("the archive has no manifest")?,
        trailer,
        sealed_key: check.sealed_key,
    })
}

/// Hashes the names of blobs in their rows, and those of the blobs themselves: both are in one order.
#[derive(Default)]
struct Check {
    manifest: Option<Manifest>,
    named: Sha256,
    stored: Sha256,
    sealed_key: Option<Vec<u8>>,
}

impl Visitor for Check {
    fn manifest(&mut self, manifest: &Manifest) -> anyhow::Result<()> {
        self.manifest = Some(manifest.clone());
        Ok(())
    }

    fn row(&mut self, table: &Table, row: Vec<Value>) -> anyhow::Result<()> {
        if table.name != BLOBS {
            return Ok(());
        }
        let value = |name: &str| {
            let position = table.columns.iter().position(|column| column.name == name);
            position.and_then(|position| row.get(position))
        };
        let blob = || {
            let hash = STANDARD.decode(value("hash")?.as_str()?).ok()?;
            let id: Uuid = value("id")?.as_str()?.parse().ok()?;
            Some(Blob {
                hash: hash.try_into().ok()?,
                suffix: BlobId::from_uuid(id).to_string(),
                size: value("size")?.as_u64()?,
            })
        };
        add(
            &mut self.named,
            &blob().context("the archive has an invalid row of a blob")?,
        );
        Ok(())
    }

    fn blob(&mut self, blob: &Blob, _: &mut dyn Read) -> anyhow::Result<()> {
        add(&mut self.stored, blob);
        Ok(())
    }

    fn key(&mut self, sealed: &[u8]) -> anyhow::Result<()> {
        self.sealed_key = Some(sealed.to_vec());
        Ok(())
    }
}

fn add(hash: &mut Sha256, blob: &Blob) {
    hash.update(blob.hash);
    hash.update(blob.size.to_be_bytes());
    // All of one length.
    hash.update(&blob.suffix);
}
