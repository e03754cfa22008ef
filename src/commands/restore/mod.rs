//! `bindery restore`

mod fill;
mod key;
mod place;
mod verify;

use std::{fs::File, io::BufReader, path::PathBuf};

use anyhow::{Context, ensure};
use backup::Manifest;
use clap::Args;
use platform::{
    blobs::BlobStorage,
    config::{Flags, MissingKey, Settings},
    db::{Load, check_migrations},
};
use secrecy::ExposeSecret;
use tokio::task::block_in_place;

use self::{fill::Fill, key::Key, place::Place, verify::Verified};
use super::{backup::summary, logs, output::print};

/// The terms of the search are made anew: the index is not in the archive.
const RENEW_SEARCH: &str = "UPDATE search_spaces SET terms_version = 0";

#[derive(Debug, Args)]
pub struct Command {
    /// Archive that `bindery backup` made
    file: PathBuf,
    /// Only verify the archive
    #[arg(long)]
    dry_run: bool,
    /// Move a SQLite database, a local file store and a secret key that are there aside
    #[arg(long)]
    replace: bool,
    /// Restore without the secret key of the archive
    #[arg(long)]
    without_key: bool,
}

impl Command {
    pub async fn run(self, flags: &Flags) -> anyhow::Result<()> {
        let settings = Settings::load(flags, MissingKey::Restore)?;
        logs::start_for_command(settings.log_format);
        let shown = self.file.display();
        let verified =
            block_in_place(|| verify::verify(self.open()?)).with_context(|| format!("cannot restore {shown}"))?;
        check_migrations(&verified.manifest.migrations)?;
        print(&described(&verified))?;
        if self.dry_run {
            return print(&format!("{shown} is complete and undamaged; nothing was changed\n"));
        }
        let key = Key::choose(&settings, &verified, self.without_key, self.replace)?;
        let place = Place::prepare(&settings, &key, self.replace).await?;
        self.fill(&settings, &verified, &place, &key).await.with_context(|| {
            format!("the restore of {shown} is not finished, and the server does not start before it is: run it again")
        })?;
        place.finish()?;
        print(&format!(
            "restored {}\n{}",
            settings.database_for_display(),
            key.outcome()
        ))
    }

    fn open(&self) -> anyhow::Result<BufReader<File>> {
        Ok(BufReader::with_capacity(1 << 20, File::open(&self.file)?))
    }

    async fn fill(&self, settings: &Settings, verified: &Verified, place: &Place, key: &Key) -> anyhow::Result<()> {
        let load = Load::begin(place.database_url.expose_secret(), &verified.manifest.migrations).await?;
        let objects = BlobStorage::new(settings.blob_store.clone());
        let mut fill = Fill::new(&load, &objects, verified);
        let trailer = block_in_place(|| {
            let trailer = backup::read(self.open()?, &mut fill)?;
            fill.insert()?;
            anyhow::Ok(trailer)
        })?;
        ensure!(trailer == verified.trailer, "the archive has changed meanwhile");
        load.complete().await?;
        load.execute(RENEW_SEARCH).await?;
        key.write(settings)?;
        load.commit().await?;
        place.commit()
    }
}

fn described(verified: &Verified) -> String {
    let Verified { manifest, trailer, .. } = verified;
    let Manifest {
        version,
        created_at,
        database,
        left_out,
        has_key,
        ..
    } = manifest;
    let key = if *has_key { "with" } else { "without" };
    let mut text = format!(
        "backup of {created_at}, made by Bindery {version} on {database}, {key} the secret key: {}\nnot in it:\n",
        summary(trailer)
    );
    for left_out in left_out {
        text.push_str(&format!("  {left_out}\n"));
    }
    // Texts of the archive reach the terminal.
    text.chars().filter(|c| !c.is_control() || *c == '\n').collect()
}
