//! Uploads of the files of fonts, at signed addresses that work without a token until they expire.

use bytes::Bytes;
use chrono::TimeDelta;
use entity::{
    ids::{CustomFontUploadId, OrganizationId},
    publishing::custom_fonts::{
        FontFormat,
        uploads::{Column, Entity, Model},
    },
};
use openapi::error::{ApiError, ErrorRule, ErrorType};
use platform::db::{Tx, rows};
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};

use crate::kernel::{Kernel, signatures};

/// The beginning of the paths of uploads.
pub const PREFIX: &str = "/uploads/";

/// The lifetime of an address.
const LIFETIME: TimeDelta = TimeDelta::minutes(15);

/// Uploads of an organization that are there at the same time. The purge of blobs drops those of the day before.
const MAX_UPLOADS: u64 = 100;

/// The first bytes of fonts.
const FORMATS: [(&[u8], FontFormat); 2] = [(b"wOF2", FontFormat::Woff2), (b"wOFF", FontFormat::Woff)];

/// An upload that an address allows.
pub struct Upload {
    pub id: CustomFontUploadId,
    pub organization: OrganizationId,
    /// The most bytes.
    pub size: usize,
}

impl Upload {
    pub fn url(&self, kernel: &Kernel) -> String {
        let Self { id, organization, size } = self;
        let of = format!("{organization}/{size}/{id}");
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
            id: parts.next()?.parse().ok()?,
        })
    }

    /// Stores the bytes. Those of an earlier upload to the same address are replaced.
    pub async fn store(self, kernel: &Kernel, bytes: Bytes) -> Result<(), ApiError> {
        let format = FORMATS.into_iter().find(|(start, _)| bytes.starts_with(start));
        let (_, format) = format.ok_or_else(|| {
            let message = "The bytes are not a font in WOFF2 or WOFF.";
            ApiError::invalid_member("/body", ErrorRule::Format, message)
        })?;
        let stored = kernel.blobs.put(bytes).await;
        let hash = stored.map_err(|error| kernel.blob_error(&error))?;
        let now = kernel.clock.now();
        let row = Model {
            id: self.id,
            organization_id: self.organization,
            hash: hash.to_vec(),
            format,
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
}

fn key(kernel: &Kernel) -> [u8; 32] {
    kernel.secrets.derive("uploads")
}
