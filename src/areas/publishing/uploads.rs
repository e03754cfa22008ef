//! Uploads of files, at signed addresses that work without a token until they expire.

use bytes::Bytes;
use chrono::TimeDelta;
use data_encoding::BASE64URL_NOPAD;
use entity::{
    ids::{OrganizationId, UploadId},
    publishing::uploads::{Column, Entity, Model, UploadFormat},
};
use openapi::{
    error::{ApiError, ErrorRule, ErrorType},
    models::{GenerateStorageUploadUrl, StorageUploadKind},
};
use platform::db::{Tx, rows};
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};

use crate::kernel::{Kernel, signatures};

/// The beginning of the paths of uploads.
pub const PREFIX: &str = "/uploads/";

/// The lifetime of an address.
const LIFETIME: TimeDelta = TimeDelta::minutes(15);

/// Uploads of an organization that are there at the same time. The purge of blobs drops those of the day before.
const MAX_UPLOADS: u64 = 100;

/// The first bytes of fonts and archives.
const FONTS: [(&[u8], UploadFormat); 2] = [(b"wOF2", UploadFormat::Woff2), (b"wOFF", UploadFormat::Woff)];
const ARCHIVE: &[u8] = b"PK\x03\x04";

/// An upload that an address allows.
pub struct Upload {
    pub id: UploadId,
    pub organization: OrganizationId,
    /// The most bytes.
    pub size: usize,
    is_font: bool,
    name: String,
}

impl Upload {
    pub fn new(kernel: &Kernel, organization: OrganizationId, wanted: GenerateStorageUploadUrl) -> Self {
        Self {
            id: kernel.ids.next(),
            organization,
            size: usize::try_from(wanted.file.size).unwrap_or(usize::MAX),
            is_font: wanted.kind == StorageUploadKind::CustomizationFont,
            name: wanted.file.name,
        }
    }

    pub fn url(&self, kernel: &Kernel) -> String {
        let (organization, size, id) = (self.organization, self.size, self.id);
        let kind = if self.is_font { "font" } else { "import" };
        let of = format!(
            "{organization}/{size}/{kind}/{id}/{}",
            BASE64URL_NOPAD.encode(self.name.as_bytes())
        );
        let rest = signatures::temporary(key(kernel), LIFETIME, &of, kernel.clock.now());
        format!("{}{PREFIX}{rest}", kernel.urls.base())
    }

    /// Returns the upload of a path. `None`: the signature is not of this server, or has expired.
    pub fn verify(kernel: &Kernel, path: &str) -> Option<Self> {
        let rest = path.strip_prefix(PREFIX)?;
        let mut parts = signatures::verify_temporary(key(kernel), rest, kernel.clock.now())?.split('/');
        Some(Self {
            organization: parts.next()?.parse().ok()?,
            size: parts.next()?.parse().ok()?,
            is_font: parts.next()? == "font",
            id: parts.next()?.parse().ok()?,
            name: String::from_utf8(BASE64URL_NOPAD.decode(parts.next()?.as_bytes()).ok()?).ok()?,
        })
    }

    /// Stores the bytes. Those of an earlier upload to the same address are replaced.
    pub async fn store(self, kernel: &Kernel, bytes: Bytes) -> Result<(), ApiError> {
        let format = self.format(&bytes)?;
        let stored = kernel.blobs.put(bytes).await;
        let hash = stored.map_err(|error| kernel.blob_error(&error))?;
        let now = kernel.clock.now();
        let row = Model {
            id: self.id,
            organization_id: self.organization,
            hash: hash.to_vec(),
            format,
            name: self.name,
            created_at: now,
        };
        let work = move |tx: Tx| async move {
            let others = Entity::find()
                .filter(Column::OrganizationId.eq(row.organization_id))
                .filter(Column::Id.ne(row.id));
            if others.count(&tx).await? >= MAX_UPLOADS {
                let message = format!("An organization has at most {MAX_UPLOADS} uploads in a day.");
                return Err(ApiError::new(ErrorType::TooManyFonts, message));
            }
            Ok(rows::put(&tx, &row).await?)
        };
        kernel.db.write(work).await
    }

    fn format(&self, bytes: &[u8]) -> Result<UploadFormat, ApiError> {
        let refused = |message: &str| ApiError::invalid_member("/body", ErrorRule::Format, message);
        if self.is_font {
            let format = FONTS.into_iter().find(|(start, _)| bytes.starts_with(start));
            let (_, format) = format.ok_or_else(|| refused("The bytes are not a font in WOFF2 or WOFF."))?;
            return Ok(format);
        }
        if bytes.starts_with(ARCHIVE) {
            return Ok(UploadFormat::Zip);
        }
        match std::str::from_utf8(bytes) {
            Ok(_) => Ok(UploadFormat::Markdown),
            Err(_) => Err(refused("The bytes are neither a zip archive nor text in UTF-8.")),
        }
    }
}

fn key(kernel: &Kernel) -> [u8; 32] {
    kernel.secrets.derive("uploads")
}
