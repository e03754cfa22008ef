//! The indexes of content, links and search: computed from the texts that a write adds, and stored with them.

pub mod links;
pub(super) mod search_entries;

use std::{collections::HashMap, sync::Arc};

use entity::{ids::NodeId, page_links};
use openapi::{error::ApiError, models::Document};
use rich_text::{DocumentLimits, IdPathResolver};
use sea_orm::{ConnectionTrait, DbErr};

use self::search_entries::SearchIndexChanges;
use super::{
    objects::{Content, Hash, Object},
    pages::{Change, Changes, Page},
};

/// The changes of the indexes by a draft. Computing them is most of the work, so it happens before the transaction.
#[derive(Clone)]
pub struct Index {
    space: NodeId,
    rows: Arc<IndexRows>,
}

#[derive(Default)]
struct IndexRows {
    links: Vec<page_links::Model>,
    search: SearchIndexChanges,
}

/// The new texts of pages.
type NewTexts = HashMap<Hash, Arc<Object>>;

impl Index {
    /// Computes the changes. `published`: the draft becomes the content of the space, so it is added to the search index.
    pub async fn of<C: ConnectionTrait>(
        content: &mut Content<'_, C>,
        space: NodeId,
        changes: &Arc<Changes>,
        published: bool,
    ) -> Result<Self, ApiError> {
        let changes = Arc::clone(changes);
        let hashes = new_texts(&changes);
        let texts = content.run(|objects| objects.all(&hashes)).await?;
        let rows = tokio::task::spawn_blocking(move || IndexRows::of(space, &changes, &texts, published)).await;
        Ok(Self {
            space,
            rows: Arc::new(rows??),
        })
    }

    pub async fn store(&self, tx: &impl ConnectionTrait) -> Result<(), DbErr> {
        links::store(tx, &self.rows.links).await?;
        self.rows.search.store(tx, self.space).await
    }
}

impl IndexRows {
    fn of(space: NodeId, changes: &Changes, texts: &NewTexts, published: bool) -> Result<Self, ApiError> {
        let mut rows = Self::default();
        for (id, change) in &changes.pages {
            // One text after the other, because its nodes take many times its bytes.
            let document = new_document(change, texts)?;
            let links = links::of_page(space, change, document.as_ref());
            rows.links.extend(links?);
            if published {
                rows.search.add(*id, change, document.as_ref());
            }
        }
        Ok(rows)
    }
}

/// Parses the text of a page whose searchable content changed.
fn new_document(change: &Change<Page>, texts: &NewTexts) -> Result<Option<Document>, ApiError> {
    let changed = search_entries::is_changed(change);
    let after = change.after.as_ref().filter(|_| changed);
    let text = after.and_then(Page::document).and_then(|hash| texts.get(&hash));
    let parsed = text.map(|text| rich_text::parse_with(text.text(), &DocumentLimits::default(), &IdPathResolver));
    parsed.transpose().map_err(ApiError::internal)
}

/// Returns the texts of pages whose searchable content changed.
fn new_texts(changes: &Changes) -> Vec<Hash> {
    let changed = changes
        .pages
        .values()
        .filter(|change| search_entries::is_changed(change));
    let mut texts: Vec<Hash> = changed.filter_map(|change| change.after.as_ref()?.document()).collect();
    texts.sort_unstable();
    texts.dedup();
    texts
}
