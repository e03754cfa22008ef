//! Pages that integrations have computed. They are stored, because a script needs too long for a reader to wait for it.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use content::pages::{ComputedPages, Page};
use entity::{
    content::computed_contents::{Column, Entity},
    ids::NodeId,
};
use moka::sync::Cache;
use openapi::error::ApiError;
use platform::hash::Hash;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::integration_source;

use crate::areas::content::Contents;

/// Bytes that the stored pages may take, as JSON.
const CACHE_BYTES: u64 = 16 * 1024 * 1024;

/// A page that an integration has computed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredPage {
    /// Stays the same in all computations, and no other page of the source has it.
    pub key: String,
    pub title: String,
    pub slug: Option<String>,
    pub description: Option<String>,
    pub markdown: String,
    /// The part of the source that the text is.
    pub props: BTreeMap<String, Value>,
    pub pages: Vec<StoredPage>,
}

/// The pages of a content source.
#[derive(Debug, Clone)]
pub struct StoredPages {
    pub hash: Hash,
    pub pages: Arc<[StoredPage]>,
}

/// The stored pages that were read last, by their hashes.
pub struct StoredPagesCache(Cache<Hash, (Arc<[StoredPage]>, usize)>);

impl Default for StoredPagesCache {
    fn default() -> Self {
        let weigh = |_: &Hash, (_, bytes): &(_, usize)| u32::try_from(*bytes).unwrap_or(u32::MAX);
        Self(Cache::builder().weigher(weigh).max_capacity(CACHE_BYTES).build())
    }
}

/// The hash of a source, by which its pages are stored.
pub fn source_hash(source: &ComputedPages) -> Result<Hash, ApiError> {
    Ok(Hash::of(&serde_json::to_vec(source)?))
}

impl Contents {
    /// The pages of a content source as they were computed last for a placeholder in a space. `None`: there are none.
    pub async fn stored_pages_at(&self, space: NodeId, placeholder: Page) -> Result<Option<StoredPages>, ApiError> {
        let stored = self.stored_pages(&[(space, placeholder)]).await?;
        Ok(stored.into_values().next())
    }

    /// The text of a page that a content source computed last for the current content of a space. `None`: no page has these props.
    pub async fn stored_text(
        &self,
        space: NodeId,
        kind: &str,
        props: &BTreeMap<String, Value>,
    ) -> Result<Option<String>, ApiError> {
        let Some(revision) = self.current_revision(space).await? else {
            return Ok(None);
        };
        let mut placeholders = self.placeholders(&[revision]).await?;
        placeholders.retain(|(_, page)| integration_source(page).is_some_and(|source| source.kind == kind));
        let stored = self.stored_pages(&placeholders).await?;
        let mut waiting: Vec<&StoredPage> = stored.values().flat_map(|stored| stored.pages.iter()).collect();
        while let Some(page) = waiting.pop() {
            if page.props == *props {
                return Ok(Some(page.markdown.clone()));
            }
            waiting.extend(&page.pages);
        }
        Ok(None)
    }

    /// The stored pages of the placeholders for content sources of integrations, by their spaces and sources. One query, and another
    /// one for pages that are not in memory.
    pub(super) async fn stored_pages(
        &self,
        placeholders: &[(NodeId, Page)],
    ) -> Result<HashMap<(NodeId, Hash), StoredPages>, ApiError> {
        let mut wanted = BTreeSet::new();
        for (space, page) in placeholders {
            if let Some(source) = integration_source(page) {
                wanted.insert((*space, source_hash(source)?));
            }
        }
        if wanted.is_empty() {
            return Ok(HashMap::new());
        }
        let db = self.kernel.db.read();
        let spaces: BTreeSet<NodeId> = wanted.iter().map(|(space, _)| *space).collect();
        let sources: BTreeSet<Vec<u8>> = wanted.iter().map(|(_, source)| source.to_vec()).collect();
        let found: Vec<(NodeId, Vec<u8>, Vec<u8>)> = Entity::find()
            .select_only()
            .columns([Column::SpaceId, Column::Source, Column::Hash])
            .filter(Column::SpaceId.is_in(spaces.iter().copied()))
            .filter(Column::Source.is_in(sources))
            .into_tuple()
            .all(db)
            .await?;
        let found = found.into_iter().filter_map(|(space, source, hash)| {
            let key = (space, Hash::from_bytes(&source)?);
            Some((key, Hash::from_bytes(&hash)?))
        });
        let found: Vec<((NodeId, Hash), Hash)> = found.filter(|(key, _)| wanted.contains(key)).collect();
        let pages = self.pages_by_hash(&spaces, found.iter().map(|(_, hash)| *hash)).await?;
        let stored = found.into_iter().filter_map(|(key, hash)| {
            let pages = Arc::clone(pages.get(&hash)?);
            Some((key, StoredPages { hash, pages }))
        });
        Ok(stored.collect())
    }

    async fn pages_by_hash(
        &self,
        spaces: &BTreeSet<NodeId>,
        hashes: impl Iterator<Item = Hash>,
    ) -> Result<HashMap<Hash, Arc<[StoredPage]>>, ApiError> {
        let (mut pages, mut missing) = (HashMap::new(), BTreeSet::new());
        for hash in hashes {
            if let Some((cached, _)) = self.stored_pages.0.get(&hash) {
                pages.insert(hash, cached);
            } else {
                missing.insert(hash.to_vec());
            }
        }
        if missing.is_empty() {
            return Ok(pages);
        }
        let rows = Entity::find()
            .filter(Column::SpaceId.is_in(spaces.iter().copied()))
            .filter(Column::Hash.is_in(missing))
            .all(self.kernel.db.read())
            .await?;
        for row in rows {
            if let Some(hash) = Hash::from_bytes(&row.hash) {
                let read: Vec<StoredPage> = serde_json::from_slice(&row.pages)?;
                let read: Arc<[StoredPage]> = read.into();
                self.stored_pages.0.insert(hash, (Arc::clone(&read), row.pages.len()));
                pages.insert(hash, read);
            }
        }
        Ok(pages)
    }
}
