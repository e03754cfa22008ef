//! `bindery backup`

pub mod job;
mod make;
mod spool;
pub mod tables;

use std::path::PathBuf;

use anyhow::ensure;
use backup::Trailer;
use clap::Args;
use indicatif::HumanBytes;
use platform::{
    archives::archive_name,
    config::{BlobAddress, Flags, MissingKey, Settings},
};

pub use self::make::key_check;
use self::make::{Target, make};
use super::{connect::open, output::print};

const NO_PASSPHRASE: &str = "\
    the secret key belongs into a backup: without it, a restored server cannot use its signed links, webhooks, integrations and \
    SAML providers. Set BINDERY_BACKUP_PASSPHRASE or BINDERY_BACKUP_PASSPHRASE_FILE to seal it with a passphrase, or pass \
    --without-key and keep the key yourself";

#[derive(Debug, Args)]
pub struct Command {
    /// File, `-` for standard output, or s3://BUCKET/OBJECT [default: a file named after the time, in the directory or bucket of
    /// periodic backups, or else in the working directory]
    #[arg(value_name = "FILE")]
    target: Option<String>,
    /// Leave the secret key out
    #[arg(long)]
    without_key: bool,
}

impl Command {
    pub async fn run(self, flags: &Flags) -> anyhow::Result<()> {
        let app = open(flags).await?;
        let mut settings = Settings::load(flags, MissingKey::Wait)?;
        if self.without_key {
            settings.backup_passphrase = None;
        } else {
            ensure!(settings.backup_passphrase.is_some(), NO_PASSPHRASE);
        }
        let target = match self.target.as_deref() {
            None => Target::Address(match &settings.backup_to {
                Some(place) => place.clone(),
                None => BlobAddress::Local(PathBuf::new()),
            })
            .join(&archive_name(app.kernel.clock.now())),
            Some("-") => Target::Stdout,
            Some(text) if text.starts_with("s3://") => Target::Address(
                BlobAddress::parse_bucket(text).map_err(|expected| anyhow::anyhow!("{text} is not {expected}"))?,
            ),
            Some(path) => Target::Address(BlobAddress::Local(path.into())),
        };
        let trailer = make(&app.kernel, &settings, &target).await?;
        if let Target::Address(address) = target {
            print(&format!("{address}: {}\n", summary(&trailer)))?;
        }
        app.kernel.db.close().await?;
        Ok(())
    }
}

/// What an archive holds, in words.
pub fn summary(trailer: &Trailer) -> String {
    format!(
        "{} rows in {} tables, {} files of {}",
        trailer.rows.values().sum::<u64>(),
        trailer.rows.len(),
        trailer.blobs,
        HumanBytes(trailer.blob_bytes)
    )
}
