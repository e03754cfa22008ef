//! The outlines of versions: stored when a version is made, and kept in memory.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use bytes::Bytes;
use entity::{
    ids::OpenapiSpecVersionId,
    specifications::openapi_specs::{outlines, versions},
};
use moka::sync::Cache;
use openapi::error::ApiError;
use platform::{blobs, db::rows};
use rich_text::DocumentLimits;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter};
use specifications::Outline;

use crate::{areas::content::Contents, kernel::Kernel};

/// Bytes that the cached outlines may take, by their stored length.
const CACHE_BYTES: u64 = 32 * 1024 * 1024;

/// The outlines that were read last. Versions never change.
pub struct OutlineCache(Cache<OpenapiSpecVersionId, (Arc<Outline>, u32)>);

impl Default for OutlineCache {
    fn default() -> Self {
        let weigh = |_: &OpenapiSpecVersionId, (_, bytes): &(Arc<Outline>, u32)| *bytes;
        Self(Cache::builder().weigher(weigh).max_capacity(CACHE_BYTES).build())
    }
}

/// An outline in its stored form.
#[derive(Clone)]
pub struct StoredOutline(String);

impl StoredOutline {
    /// Reads the outline of a document, where it keeps no request waiting.
    pub async fn read(document: Bytes) -> anyhow::Result<Self> {
        let read = tokio::task::spawn_blocking(move || {
            let mut outline = Outline::read(&document);
            outline.descriptions_mut().for_each(make_readable);
            serde_json::to_string(&outline)
        });
        Ok(Self(read.await??))
    }

    pub async fn store(&self, tx: &impl ConnectionTrait, version: OpenapiSpecVersionId) -> Result<(), DbErr> {
        let row = outlines::Model {
            version_id: version,
            outline: self.0.clone(),
        };
        rows::put(tx, &row).await
    }
}

/// A description that is not the Markdown of this service becomes a block of code.
fn make_readable(description: &mut String) {
    if rich_text::check(description, &DocumentLimits::default()).is_err() {
        let longest = description.split(|c| c != '`').map(str::len).max().unwrap_or_default();
        let fence = "`".repeat(longest.max(2) + 1);
        *description = format!("{fence}\n{description}\n{fence}");
    }
}

/// The outlines of versions; none for a version that is gone.
pub async fn load(
    contents: &Contents,
    ids: BTreeSet<OpenapiSpecVersionId>,
) -> Result<HashMap<OpenapiSpecVersionId, Arc<Outline>>, ApiError> {
    let mut found = HashMap::new();
    let mut missing = Vec::new();
    for id in ids {
        match contents.outlines.0.get(&id) {
            Some((outline, _)) => drop(found.insert(id, outline)),
            None => missing.push(id),
        }
    }
    if missing.is_empty() {
        return Ok(found);
    }
    let stored = outlines::Entity::find()
        .filter(outlines::Column::VersionId.is_in(missing.iter().copied()))
        .all(contents.kernel.db.read())
        .await?;
    let mut stored: HashMap<_, _> = stored.into_iter().map(|row| (row.version_id, row.outline)).collect();
    for id in missing {
        let json = match stored.remove(&id) {
            Some(json) => Some(json),
            None => make(&contents.kernel, id).await?,
        };
        if let Some(json) = json {
            let outline: Arc<Outline> = Arc::new(serde_json::from_str(&json)?);
            let bytes = u32::try_from(json.len()).unwrap_or(u32::MAX);
            contents.outlines.0.insert(id, (Arc::clone(&outline), bytes));
            found.insert(id, outline);
        }
    }
    Ok(found)
}

/// Makes the outline of a version from before outlines were stored.
async fn make(kernel: &Kernel, id: OpenapiSpecVersionId) -> Result<Option<String>, ApiError> {
    let Some(version) = versions::Entity::find_by_id(id).one(kernel.db.read()).await? else {
        return Ok(None);
    };
    let document = read_document(kernel, &version.hash).await?;
    let outline = StoredOutline::read(document).await.map_err(ApiError::internal)?;
    let stored = outline.clone();
    let work = move |tx| async move {
        // The version may be deleted meanwhile.
        if versions::Entity::find_by_id(id).one(&tx).await?.is_some() {
            stored.store(&tx, id).await?;
        }
        Ok::<_, DbErr>(())
    };
    kernel.db.write(work).await?;
    Ok(Some(outline.0))
}

async fn read_document(kernel: &Kernel, hash: &[u8]) -> Result<Bytes, ApiError> {
    let blob = blobs::load(kernel.db.read(), hash).await?;
    let blob = blob.ok_or_else(|| ApiError::internal("a version has no document"))?;
    let read = kernel.blobs.objects.read(blob.name).await;
    read.map_err(|error| kernel.blob_error(&error))
}
