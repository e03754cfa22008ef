//! The secret key of a restored installation.

use std::{fs, io::ErrorKind};

use anyhow::{Context, bail, ensure};
use backup::open_key;
use platform::{
    archives::Output,
    config::{SecretKey, Settings},
};

use super::verify::Verified;
use crate::commands::backup::key_check;

/// What depends on the key.
const STOPS_WORKING: &str = "\
    Without the secret key of the installation that was backed up, these stop working: signed addresses of files and PDFs, share \
    links and keys of visitors, secrets of webhooks, secrets and configurations of integrations, encryption keys of SAML providers, \
    and credentials of Git repositories";

pub enum Key {
    /// The installation has the key already.
    Present,
    /// The key is taken from the archive.
    FromArchive(SecretKey),
    /// The operator provides it.
    Missing { file: String },
}

impl Key {
    pub fn choose(settings: &Settings, verified: &Verified, without_key: bool, replace: bool) -> anyhow::Result<Self> {
        let given = &settings.secret_key;
        if !given.is_unset() && key_check(given) == verified.manifest.key_check {
            return Ok(Self::Present);
        }
        let file = settings.secret_key_file();
        let shown = file.display().to_string();
        let Some(sealed) = verified.sealed_key.as_deref().filter(|_| !without_key) else {
            ensure!(
                without_key,
                "the archive has no secret key. {STOPS_WORKING}. Put the key into {shown} or BINDERY_SECRET_KEY first, or pass \
                 --without-key"
            );
            return Ok(Self::Missing { file: shown });
        };
        let Some(passphrase) = &settings.backup_passphrase else {
            bail!(
                "the secret key in the archive is sealed: set BINDERY_BACKUP_PASSPHRASE or BINDERY_BACKUP_PASSPHRASE_FILE to its \
                 passphrase, or pass --without-key. {STOPS_WORKING}"
            );
        };
        let opened = open_key(passphrase, sealed)?;
        let key = SecretKey::of_file(&opened).context("the key in the archive is invalid")?;
        if !given.is_unset() {
            let stored = match fs::read_to_string(&file) {
                Ok(text) => SecretKey::of_file(&text).ok(),
                Err(error) if error.kind() == ErrorKind::NotFound => None,
                Err(error) => return Err(error).with_context(|| format!("cannot read {shown}")),
            };
            let is_given_by_file = stored.is_some_and(|stored| *stored == **given);
            ensure!(
                is_given_by_file,
                "BINDERY_SECRET_KEY is another key than that of the archive. Unset it: the key of the archive goes to {shown}"
            );
            ensure!(
                replace,
                "{shown} is another key than that of the archive; --replace moves it aside"
            );
        }
        Ok(Self::FromArchive(key))
    }

    /// Stores the key from the archive.
    pub fn write(&self, settings: &Settings) -> anyhow::Result<()> {
        let Self::FromArchive(key) = self else {
            return Ok(());
        };
        let write = || {
            let mut output = Output::file(settings.secret_key_file())?;
            std::io::Write::write_all(&mut output, key.file_text().as_bytes())?;
            output.commit()
        };
        write().context("cannot write the secret key")
    }

    /// What the operator has to know about the key now.
    pub fn outcome(&self) -> String {
        match self {
            Self::Present | Self::FromArchive(_) => String::new(),
            Self::Missing { file } => format!(
                "{STOPS_WORKING}. The server does not start without a key: put that of the backup, or 64 new hexadecimal digits, \
                 into {file}\n"
            ),
        }
    }
}
