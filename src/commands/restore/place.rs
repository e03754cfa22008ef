//! Where an installation is restored to: what has to be empty, and what is moved aside.
//!
//! A marker in the data directory keeps the server from starting on an empty database. SQLite is filled in a file aside, PostgreSQL in one
//! transaction, so that the database is empty or complete whenever the process ends.

use std::{
    fs::{self, File},
    io::ErrorKind,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail, ensure};
use platform::{
    blobs::BlobStorage,
    config::{BlobAddress, Settings},
    db::{Clock, Db, DbOptions, close_sqlite},
};
use secrecy::{ExposeSecret, SecretString};

use super::key::Key;
use crate::commands::output::print;

pub struct Place {
    /// The database to fill.
    pub database_url: SecretString,
    /// The file that is filled, and the one that it becomes.
    sqlite: Option<[PathBuf; 2]>,
    marker: PathBuf,
}

impl Place {
    /// Checks that everything is empty, or moves it aside; then sets the marker.
    pub async fn prepare(settings: &Settings, key: &Key, replace: bool) -> anyhow::Result<Self> {
        let directory = &settings.data_dir;
        fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
        let marker = settings.restore_marker();
        let sqlite = settings.sqlite_file();
        let is_empty = match &sqlite {
            Some(_) => settings.missing_sqlite_file().is_some(),
            None => is_postgres_empty(settings).await?,
        };
        if !is_empty {
            check_replaceable(settings, replace)?;
        }
        // What an earlier attempt has stored is stored again.
        let continues = marker.exists() && is_empty;
        if !continues && !BlobStorage::new(settings.blob_store.clone()).is_empty().await? {
            ensure!(
                replace,
                "the file store {} is not empty. Choose another one, or let --replace move it aside; objects in a bucket stay where \
                 they are",
                settings.blob_store
            );
        }
        write_marker(&marker)?;
        if replace {
            move_aside(settings, key, continues)?;
        }
        Self::new(settings, sqlite, marker)
    }

    fn new(settings: &Settings, sqlite: Option<PathBuf>, marker: PathBuf) -> anyhow::Result<Self> {
        let Some(file) = sqlite else {
            return Ok(Self {
                database_url: settings.database_url.clone(),
                sqlite: None,
                marker,
            });
        };
        let part = with_suffix(&file, ".restoring");
        remove(&part)?;
        // The driver may have made an empty one.
        remove(&file)?;
        Ok(Self {
            database_url: Settings::sqlite_url(&part).into(),
            sqlite: Some([part, file]),
            marker,
        })
    }

    /// Puts the filled database into its place.
    pub fn commit(&self) -> anyhow::Result<()> {
        if let Some([part, file]) = &self.sqlite {
            File::open(part)?.sync_all()?;
            fs::rename(part, file).with_context(|| format!("cannot rename {}", part.display()))?;
            sync_directory(file)?;
        }
        Ok(())
    }

    pub fn finish(self) -> anyhow::Result<()> {
        remove(&self.marker)
    }
}

async fn is_postgres_empty(settings: &Settings) -> anyhow::Result<bool> {
    let context = || format!("cannot open the database {}", settings.database_for_display());
    let db = Db::connect(settings.database_url.expose_secret(), &DbOptions::default()).await;
    let db = db.with_context(context)?;
    let is_empty = db.is_new().await.with_context(context)?;
    db.close().await?;
    Ok(is_empty)
}

fn check_replaceable(settings: &Settings, replace: bool) -> anyhow::Result<()> {
    let shown = settings.database_for_display();
    let Some(file) = settings.sqlite_file() else {
        bail!(
            "the database {shown} is not empty. Create another one with `createdb` and name it in BINDERY_DATABASE_URL: the old one \
             stays as it is"
        );
    };
    ensure!(replace, "the database {shown} exists; --replace moves it aside");
    close_sqlite(&file).with_context(|| format!("the database {shown} is in use; stop the server first"))
}

fn write_marker(marker: &Path) -> anyhow::Result<()> {
    let write = || {
        File::create(marker)?.sync_all()?;
        sync_directory(marker)
    };
    write().with_context(|| format!("cannot write {}", marker.display()))
}

/// Renames the database first: as long as it is there, the server may use what is left.
fn move_aside(settings: &Settings, key: &Key, continues: bool) -> anyhow::Result<()> {
    let now = Clock::system().now().to_utc().format("%Y%m%dT%H%M%SZ");
    let suffix = format!(".replaced-{now}");
    let mut files: Vec<PathBuf> = Vec::new();
    if let Some(database) = settings
        .sqlite_file()
        .filter(|_| settings.missing_sqlite_file().is_none())
    {
        files.extend(["", "-wal", "-shm"].map(|part| with_suffix(&database, part)));
    }
    if let BlobAddress::Local(blobs) = &settings.blob_store
        && !continues
    {
        files.push(blobs.clone());
    }
    if matches!(key, Key::FromArchive(_)) {
        files.push(settings.secret_key_file());
    }
    for file in files {
        let aside = with_suffix(&file, &suffix);
        match fs::rename(&file, &aside) {
            Ok(()) => print(&format!("moved {} to {}\n", file.display(), aside.display()))?,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error).with_context(|| format!("cannot move {} aside", file.display())),
        }
    }
    Ok(())
}

fn with_suffix(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.to_owned().into_os_string();
    name.push(suffix);
    name.into()
}

fn sync_directory(file: &Path) -> anyhow::Result<()> {
    let directory = file.parent().filter(|parent| *parent != Path::new(""));
    Ok(File::open(directory.unwrap_or(Path::new(".")))?.sync_all()?)
}

fn remove(file: &Path) -> anyhow::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", file.display()))
        }
        _ => Ok(()),
    }
}
