//! What is kept beside content so that it can be asked for: made from the texts that a write adds, and written with them.

pub mod links;
pub(super) mod search_entries;

use std::{collections::HashMap, sync::Arc};

use entity::{ids::NodeId, page_links};
use openapi::{error::ApiError, models::Document};
use rich_text::{DocumentLimits, IdPathResolver};
use sea_orm::{ConnectionTrait, DbErr};

use self::search_entries::Found;
use super::{
    objects::{Content, Hash, Object},
    pages::{Change, Changes, Page},
};

/// What a draft changes about it. To find that out is most of the work: it is done before the transaction, in which
/// nobody else writes.
#[derive(Clone)]
pub struct Index {
    space: NodeId,
    rows: Arc<Rows>,
}

#[derive(Default)]
struct Rows {
    links: Vec<page_links::Model>,
    found: Found,
}

/// The texts that pages have since the draft.
type Texts = HashMap<Hash, Arc<Object>>;

impl Index {
    /// Only what becomes the content of the space, which is what `published` says, can be searched.
    pub async fn of<C: ConnectionTrait>(
        content: &mut Content<'_, C>,
        space: NodeId,
        changes: &Arc<Changes>,
        published: bool,
    ) -> Result<Self, ApiError> {
        let changes = Arc::clone(changes);
        let hashes = new_texts(&changes);
        let texts = content.run(|objects| objects.all(&hashes)).await?;
        let made = tokio::task::spawn_blocking(move || Rows::of(space, &changes, &texts, published)).await;
        Ok(Self {
            space,
            rows: Arc::new(made??),
        })
    }

    pub async fn store(&self, tx: &impl ConnectionTrait) -> Result<(), DbErr> {
        links::store(tx, &self.rows.links).await?;
        self.rows.found.store(tx, self.space).await
    }
}

impl Rows {
    fn of(space: NodeId, changes: &Changes, texts: &Texts, published: bool) -> Result<Self, ApiError> {
        let mut rows = Self::default();
        for (id, change) in &changes.pages {
            // One after the other: the nodes of a text take many times its bytes.
            let document = new_document(change, texts)?;
            let links = links::of_page(space, change, document.as_ref());
            rows.links.extend(links?);
            if published {
                rows.found.add(*id, change, document.as_ref());
            }
        }
        Ok(rows)
    }
}

/// The nodes of a page that says something else.
fn new_document(change: &Change<Page>, texts: &Texts) -> Result<Option<Document>, ApiError> {
    let changed = search_entries::says_something_else(change);
    let after = change.after.as_ref().filter(|_| changed);
    let text = after.and_then(Page::document).and_then(|hash| texts.get(&hash));
    let parsed = text.map(|text| rich_text::parse_with(text.text(), &DocumentLimits::default(), &IdPathResolver));
    parsed.transpose().map_err(ApiError::internal)
}

/// The texts of pages that say something else than before.
fn new_texts(changes: &Changes) -> Vec<Hash> {
    let changed = changes
        .pages
        .values()
        .filter(|change| search_entries::says_something_else(change));
    let mut texts: Vec<Hash> = changed.filter_map(|change| change.after.as_ref()?.document()).collect();
    texts.sort_unstable();
    texts.dedup();
    texts
}
