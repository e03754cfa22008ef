//! Where the bytes of files are.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use url::Url;

/// A directory, or a part of a bucket. What a bucket needs besides, keys first of all, comes from the environment under
/// the names that other programs use too: `AWS_ACCESS_KEY_ID` and so on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlobAddress {
    Local(PathBuf),
    S3 {
        bucket: String,
        /// Without a slash at its ends; empty for the whole bucket.
        prefix: String,
    },
}

impl BlobAddress {
    pub(super) fn in_directory(data: &Path) -> Self {
        Self::Local(data.join("blobs"))
    }

    /// A bucket, or the path of a directory.
    pub(super) fn parse_directory(text: &str) -> Result<Option<Self>, String> {
        match text.starts_with("s3://") {
            true => Self::parse_bucket(text).map(Some),
            false => Ok(Some(Self::Local(text.into()))),
        }
    }

    /// Reads `s3://BUCKET/PREFIX`.
    pub fn parse_bucket(text: &str) -> Result<Self, String> {
        Self::parse(text, Path::new(""))
            .ok()
            .filter(|address| matches!(address, Self::S3 { .. }))
            .ok_or_else(|| "s3://BUCKET/PREFIX".to_owned())
    }

    pub(super) fn parse(text: &str, data: &Path) -> Result<Self, String> {
        if text == "local" {
            return Ok(Self::in_directory(data));
        }
        let expected = || "`local` or s3://BUCKET/PREFIX".to_owned();
        let url = Url::parse(text).map_err(|_| expected())?;
        let plain = url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none()
            && url.port().is_none();
        let bucket = url.host_str().filter(|host| !host.is_empty());
        let prefix = url.path().trim_matches('/');
        match bucket {
            Some(bucket) if url.scheme() == "s3" && plain && is_prefix(prefix) => Ok(Self::S3 {
                bucket: bucket.to_owned(),
                prefix: prefix.to_owned(),
            }),
            _ => Err(expected()),
        }
    }
}

/// What needs no escaping anywhere.
fn is_prefix(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'=');
    let part = |part: &str| !matches!(part, "" | "." | "..") && part.bytes().all(plain);
    text.is_empty() || text.split('/').all(part)
}

impl BlobAddress {
    /// The address of an object in this directory or below this prefix.
    #[must_use]
    pub fn join(&self, name: &str) -> Self {
        match self {
            Self::Local(directory) => Self::Local(directory.join(name)),
            Self::S3 { bucket, prefix } => Self::S3 {
                bucket: bucket.clone(),
                prefix: format!("{prefix}/{name}").trim_start_matches('/').to_owned(),
            },
        }
    }
}

impl fmt::Display for BlobAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local(directory) => write!(f, "{}", directory.display()),
            Self::S3 { bucket, prefix } if prefix.is_empty() => write!(f, "s3://{bucket}"),
            Self::S3 { bucket, prefix } => write!(f, "s3://{bucket}/{prefix}"),
        }
    }
}
