//! Uploaded files.

use std::{collections::HashSet, fs, path::Path};

use entity::{
    exchange::import_runs::Model,
    ids::{OrganizationId, UploadId},
    publishing::uploads::{self, UploadFormat},
};
use openapi::error::{ApiError, ErrorRule};
use platform::blobs;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use super::scratch::Scratch;
use crate::areas::exchange::{
    Exchange,
    git::SyncError,
    import::{ImportSource, names::is_markdown},
};

/// Loads uploads in their order. Refuses keys that the organization does not have, and files that are not imported together.
pub async fn load(
    exchange: &Exchange,
    organization: OrganizationId,
    keys: &[UploadId],
) -> Result<Vec<uploads::Model>, ApiError> {
    let mut found = uploads::Entity::find()
        .filter(uploads::Column::OrganizationId.eq(organization))
        .filter(uploads::Column::Id.is_in(keys.iter().copied()))
        .all(exchange.kernel.db.read())
        .await?;
    found.sort_by_key(|upload| keys.iter().position(|key| *key == upload.id));
    for (number, key) in keys.iter().enumerate() {
        if !found.iter().any(|upload| upload.id == *key) {
            let pointer = format!("/body/source/files/{number}");
            let message = "The organization has no upload with this key.";
            return Err(ApiError::invalid_member(pointer, ErrorRule::UnknownUpload, message));
        }
    }
    let names: HashSet<String> = found.iter().filter_map(name).map(str::to_lowercase).collect();
    if names.len() != found.len() && !is_archive(&found) {
        let message = "Files are one zip archive, or Markdown files with different names that end with `.md`.";
        return Err(ApiError::invalid_member(
            "/body/source/files",
            ErrorRule::Format,
            message,
        ));
    }
    Ok(found)
}

fn is_archive(uploads: &[uploads::Model]) -> bool {
    matches!(uploads, [upload] if upload.format == UploadFormat::Zip)
}

/// The name of a Markdown file, without directories. `None`: the upload is something else.
fn name(upload: &uploads::Model) -> Option<&str> {
    let name = upload.name.rsplit(['/', '\\']).next()?;
    let is_page = upload.format == UploadFormat::Markdown && is_markdown(name);
    (is_page && !name.starts_with('.')).then_some(name)
}

/// Reads the files into the directory of a run.
pub async fn source(exchange: &Exchange, row: &Model, scratch: &Scratch) -> Result<ImportSource, SyncError> {
    let keys = row.files.clone().unwrap_or_default();
    let keys: Vec<UploadId> = serde_json::from_value(keys).map_err(ApiError::from)?;
    let uploads = load(exchange, row.organization_id, &keys).await?;
    let directory = scratch.path("files");
    fs::create_dir_all(&directory).map_err(anyhow::Error::from)?;
    if is_archive(&uploads) {
        let path = directory.join("archive.zip");
        for upload in &uploads {
            copy(exchange, upload, &path).await?;
        }
        return Ok(ImportSource::Path(path));
    }
    for upload in &uploads {
        let name = name(upload).unwrap_or_default();
        copy(exchange, upload, &directory.join(name)).await?;
    }
    Ok(ImportSource::Path(directory))
}

async fn copy(exchange: &Exchange, upload: &uploads::Model, path: &Path) -> Result<(), SyncError> {
    let found = blobs::load(exchange.kernel.db.read(), &upload.hash).await?;
    let found = found.ok_or_else(|| ApiError::internal("the blob of an upload is missing"))?;
    let bytes = exchange.kernel.blobs.objects.read(found.name).await?;
    fs::write(path, bytes).map_err(anyhow::Error::from)?;
    Ok(())
}
