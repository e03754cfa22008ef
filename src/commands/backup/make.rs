//! Making an archive: rows from a snapshot of the database, then the blobs that they name.

use anyhow::{Context, bail};
use backup::{FORMAT, Manifest, Trailer, Writer, seal_key};
use data_encoding::HEXLOWER;
use entity::timestamp::Timestamp;
use futures_util::TryStreamExt;
use platform::{
    archives::Output,
    config::{BlobAddress, SecretKey, Settings},
    db::{Backend, Snapshot, migrations},
    secrets::Secrets,
};
use secrecy::ExposeSecret;
use tokio::task::block_in_place;

use super::{
    spool::BlobNames,
    tables::{self, BLOBS, LEFT_OUT},
};
use crate::{areas::identity::system, kernel::Kernel};

const CLICKHOUSE: &str = "insight events in ClickHouse: back them up with its statement BACKUP DATABASE … TO …";

pub enum Target {
    Stdout,
    /// A file, or an object of a bucket.
    Address(BlobAddress),
}

impl Target {
    pub fn join(&self, name: &str) -> Self {
        match self {
            Self::Stdout => Self::Stdout,
            Self::Address(address) => Self::Address(address.join(name)),
        }
    }

    fn open(&self) -> anyhow::Result<Output> {
        match self {
            Self::Stdout => Ok(Output::stdout()),
            Self::Address(BlobAddress::Local(path)) => Output::file(path.clone()),
            Self::Address(address) => Output::object(address),
        }
    }
}

/// Writes an archive, with the key if there is a passphrase. Nothing is seen of one that fails.
pub async fn make(kernel: &Kernel, settings: &Settings, target: &Target) -> anyhow::Result<Trailer> {
    let Some(running) = kernel.backups.start().await? else {
        bail!("another backup runs. If it was killed, this can be tried again in 10 minutes");
    };
    let written = write_to(kernel, settings, target, running.started_at).await;
    match &written {
        Ok(_) => running.finish().await?,
        Err(_) => running.abandon().await?,
    }
    written
}

async fn write_to(kernel: &Kernel, settings: &Settings, target: &Target, now: Timestamp) -> anyhow::Result<Trailer> {
    let mut output = target.open()?;
    match write(kernel, settings, &mut output, now).await {
        Ok(trailer) => {
            output.commit().context("cannot write the backup")?;
            Ok(trailer)
        }
        Err(error) => {
            output.discard();
            Err(error)
        }
    }
}

async fn write(kernel: &Kernel, settings: &Settings, output: &mut Output, now: Timestamp) -> anyhow::Result<Trailer> {
    let url = settings.database_url.expose_secret();
    let sealed = match &settings.backup_passphrase {
        Some(passphrase) => Some(seal_key(passphrase, &settings.secret_key.file_text())?),
        None => None,
    };
    let manifest = manifest(settings, now)?;
    let mut writer = Writer::new(output, &manifest).context("cannot write the backup")?;
    let mut names = BlobNames::new(&settings.data_dir)?;
    let snapshot = Snapshot::open(url, &settings.data_dir).await?;
    for (index, table) in manifest.tables.iter().enumerate() {
        let mut rows = snapshot.stream(&tables::select(table)).await?;
        let context = || format!("cannot back up the table {}", table.name);
        while let Some(row) = rows.try_next().await.with_context(context)? {
            let values = tables::to_json(table, &row).with_context(context)?;
            writer.row(index, &values).with_context(context)?;
            if table.name == BLOBS {
                names.add(&row)?;
            }
        }
    }
    snapshot.close().await?;
    for named in names.into_reader()? {
        let (name, size) = named?;
        let context = || format!("cannot back up the blob {}", name.hash);
        let mut bytes = kernel.blobs.objects.reader(name, size).await.with_context(context)?;
        let hash = name.hash.as_bytes().try_into()?;
        let add = || writer.blob(hash, &name.id.to_string(), size, &mut bytes);
        block_in_place(add).with_context(context)?;
    }
    if let Some(sealed) = sealed {
        writer.key(&sealed)?;
    }
    let (_, trailer) = writer.finish().context("cannot write the backup")?;
    Ok(trailer)
}

fn manifest(settings: &Settings, now: Timestamp) -> anyhow::Result<Manifest> {
    let insights = settings.insights_url.as_ref().map(|_| CLICKHOUSE.to_owned());
    let left_out = LEFT_OUT.iter().map(|(table, reason)| format!("{table}: {reason}"));
    Ok(Manifest {
        product: Manifest::product(),
        format: FORMAT,
        version: system::VERSION.to_owned(),
        created_at: now.to_utc().to_rfc3339_opts(chrono::SecondsFormat::Secs, true),
        database: match Backend::of(settings.database_url.expose_secret())? {
            Backend::Sqlite => "sqlite".to_owned(),
            Backend::Postgres => "postgres".to_owned(),
        },
        migrations: migrations(),
        tables: tables::tables()?,
        left_out: left_out.chain(insights).collect(),
        key_check: key_check(&settings.secret_key),
        has_key: settings.backup_passphrase.is_some(),
    })
}

/// Tells whether two keys are the same, and nothing else of them.
pub fn key_check(key: &SecretKey) -> String {
    let derived = Secrets::new(key).derive("backup-key-check");
    HEXLOWER.encode(derived.get(..8).unwrap_or_default())
}
