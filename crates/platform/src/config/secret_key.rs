//! The key that cursors and other signed values depend on.

use std::{
    fs::{self, OpenOptions},
    io::{ErrorKind, Write},
    ops::Deref,
    path::{Path, PathBuf},
};

use anyhow::{Context, anyhow};
use base64::{Engine, engine::general_purpose::STANDARD};
use data_encoding::HEXLOWER_PERMISSIVE;
use zeroize::Zeroizing;

use super::MissingKey;

const FILE: &str = "secret.key";

/// 32 secret bytes. Nodes that serve the same database need the same ones.
#[derive(Clone, Default)]
pub struct SecretKey(Zeroizing<[u8; 32]>);

impl SecretKey {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let bytes = HEXLOWER_PERMISSIVE
            .decode(text.as_bytes())
            .or_else(|_| STANDARD.decode(text));
        let bytes = Zeroizing::new(bytes.unwrap_or_default());
        let key = <[u8; 32]>::try_from(bytes.as_slice()).ok();
        let key = key.map(|key| Self(Zeroizing::new(key))).filter(|key| !key.is_unset());
        key.ok_or_else(|| "a key of 32 bytes, as 64 hexadecimal digits or in base64".to_owned())
    }

    /// Stands for a key that was not given. No key is all zeros: such a one is refused.
    pub(super) fn unset() -> Self {
        Self::default()
    }

    /// Reads the text of a key file.
    pub fn of_file(text: &str) -> anyhow::Result<Self> {
        Self::parse(text.trim_end()).map_err(|expected| anyhow!("this is not {expected}"))
    }

    /// The text of a key file.
    pub fn file_text(&self) -> Zeroizing<String> {
        Zeroizing::new(HEXLOWER_PERMISSIVE.encode(self.0.as_ref()) + "\n")
    }

    pub fn is_unset(&self) -> bool {
        self.0.iter().all(|byte| *byte == 0)
    }

    fn random() -> anyhow::Result<Self> {
        let mut key = Zeroizing::new([0; 32]);
        getrandom::fill(key.as_mut()).map_err(|e| anyhow!("the system gives no random bytes: {e}"))?;
        Ok(Self(key))
    }

    pub(super) fn path_in(directory: &Path) -> PathBuf {
        directory.join(FILE)
    }

    /// The key kept in the data directory.
    pub(super) fn of_directory(directory: &Path, missing: MissingKey) -> anyhow::Result<Self> {
        let path = Self::path_in(directory);
        match fs::read_to_string(&path) {
            Ok(text) => Self::parse(text.trim_end()).map_err(|e| anyhow!("{}: this is not {e}", path.display())),
            // A data directory that cannot be made is reported when it is needed.
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => match missing {
                MissingKey::Create => Self::create(directory, &path),
                MissingKey::Pretend => Self::random(),
                MissingKey::Wait | MissingKey::Restore => Ok(Self::unset()),
            },
            Err(e) => Err(e).with_context(|| {
                let shown = path.display();
                format!("cannot read {shown}; run this as the user of the server, or choose another directory with --data-dir")
            }),
        }
    }

    /// Written aside and linked into place: a crash leaves no half key, and of two processes that start together, the
    /// later one takes the key of the earlier.
    fn create(directory: &Path, path: &Path) -> anyhow::Result<Self> {
        let context = || format!("cannot create {}", path.display());
        fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
        let key = Self::random()?;
        let aside = directory.join(format!(".{FILE}.{}", std::process::id()));
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&aside).with_context(context)?;
        file.write_all(key.file_text().as_bytes())
            .and_then(|()| file.sync_all())
            .with_context(context)?;
        let linked = fs::hard_link(&aside, path);
        fs::remove_file(&aside).with_context(context)?;
        match linked {
            Ok(()) => Ok(key),
            Err(e) if e.kind() == ErrorKind::AlreadyExists => Self::of_directory(directory, MissingKey::Pretend),
            Err(e) => Err(e).with_context(context),
        }
    }
}

impl Deref for SecretKey {
    type Target = [u8; 32];

    fn deref(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Without the key.
impl std::fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretKey")
    }
}
