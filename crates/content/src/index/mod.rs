//! The indexes of content, links and search: computed from the texts that a write adds, and stored with them.

pub mod copied_links;
pub mod links;
pub mod search_entries;

use std::sync::Arc;

use entity::{
    ids::{NodeId, PageId},
    library::spaces::Language,
};
use openapi::{error::ApiError, work::WorkLimits};
use platform::db::Db;
use rich_text::{DocumentError, DocumentLimits, Extraction, IdPathResolver, TextSection};
use sea_orm::{ConnectionTrait, DbErr};

use self::{
    links::{LinkRow, SourceRows},
    search_entries::SearchIndexChanges,
};
use super::{
    objects::{Content, Hash},
    pages::{Change, Changes, Page},
};

/// Pages whose texts are in memory at once.
const PAGES_AT_ONCE: usize = 16;

/// Links that the transaction of a write stores. More of them are stored ahead, as many in each transaction.
const MAX_LINKS: usize = 300;

/// Pages, and bytes of their texts, that the transaction of a write adds to the search index.
const MAX_SEARCH_PAGES: usize = 50;
const MAX_SEARCH_BYTES: usize = 128 * 1024;

/// The part of the changed pages that the write adds to the search index.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SearchUpdate {
    /// None: only the content of spaces is searched, not that of change requests.
    None,
    /// As many pages as fit into a short transaction. The others are left to a job.
    Bounded,
    /// All pages: for the first content of a space.
    Complete,
    /// None, and no links: all pages are left to jobs, and the links are stored ahead, see [`Index::store_links_ahead`].
    Deferred,
}

/// The changes of the indexes by a draft. Computing them is most of the work, so it happens before the transaction.
#[derive(Clone)]
pub struct Index {
    space: NodeId,
    rows: Arc<IndexRows>,
}

#[derive(Default)]
struct IndexRows {
    links: Vec<LinkRow>,
    search: SearchIndexChanges,
    deferred: Vec<PageId>,
    /// True if placeholders of computed pages have changed.
    has_placeholders: bool,
    /// That of the space.
    language: Option<Language>,
}

/// The changed pages.
type PageChanges<'a> = Vec<(&'a PageId, &'a Change<Page>)>;

impl Index {
    /// Computes the changes, and stores links ahead if they are many: links have no effect before a page has their text.
    pub async fn of<C: ConnectionTrait>(
        (db, work): (&Db, &WorkLimits),
        content: &mut Content<'_, C>,
        space: NodeId,
        changes: &Arc<Changes>,
        search: SearchUpdate,
    ) -> Result<Self, ApiError> {
        let language = match search {
            SearchUpdate::Deferred => return Ok(Self::deferring(space, changes)),
            SearchUpdate::None => None,
            SearchUpdate::Bounded | SearchUpdate::Complete => search_entries::language(db.read(), space).await?,
        };
        let mut index = Indexing::of(space, language, search);
        let pages: PageChanges<'_> = changes.pages.iter().collect();
        for batch in pages.chunks(PAGES_AT_ONCE) {
            index.add((Some(db), work), content, batch).await?;
        }
        Ok(index.finish())
    }

    /// Stores the links of changed pages in small transactions, so that a change of very many pages is left with little to
    /// do when it finds that the content has changed meanwhile: see [`SearchUpdate::Deferred`].
    pub async fn store_links_ahead<C: ConnectionTrait>(
        context: (&Db, &WorkLimits),
        content: &mut Content<'_, C>,
        space: NodeId,
        changes: &Arc<Changes>,
    ) -> Result<(), ApiError> {
        let index = Self::of(context, content, space, changes, SearchUpdate::None).await?;
        Ok(links::store_ahead(context.0, index.rows.links.clone(), MAX_LINKS).await?)
    }

    /// The index of a change whose links are stored, and whose pages are all left to jobs.
    fn deferring(space: NodeId, changes: &Changes) -> Self {
        let mut rows = IndexRows::default();
        for (id, change) in &changes.pages {
            if search_entries::has_placeholder(change) {
                rows.has_placeholders = true;
                rows.search.add_placeholder(*id, change);
            }
            if search_entries::is_changed(change) {
                rows.deferred.push(*id);
            }
        }
        Self {
            space,
            rows: Arc::new(rows),
        }
    }

    /// Computes the indexes of a new space, which are stored in the transaction that creates the space.
    pub async fn of_new_space<C: ConnectionTrait>(
        work: &WorkLimits,
        content: &mut Content<'_, C>,
        space: NodeId,
        language: Option<Language>,
        changes: &Changes,
    ) -> Result<Self, ApiError> {
        let mut index = Indexing::of(space, language, SearchUpdate::Complete);
        let pages: PageChanges<'_> = changes.pages.iter().collect();
        for batch in pages.chunks(PAGES_AT_ONCE) {
            index.add((None, work), content, batch).await?;
        }
        Ok(index.finish())
    }

    pub async fn store(&self, tx: &impl ConnectionTrait) -> Result<(), DbErr> {
        links::store(tx, &self.rows.links).await?;
        self.rows.search.store(tx, self.space).await
    }

    /// Returns the pages that a job has to add to the search index, or to remove from it.
    pub fn deferred(&self) -> &[PageId] {
        &self.rows.deferred
    }

    /// Returns whether a job has to bring the search entries of computed pages up to date.
    pub fn changes_computed_pages(&self) -> bool {
        self.rows.has_placeholders
    }
}

/// The indexes while they are computed.
struct Indexing {
    space: NodeId,
    rows: IndexRows,
    room: SearchRoom,
}

impl Indexing {
    fn of(space: NodeId, language: Option<Language>, search: SearchUpdate) -> Self {
        let rows = IndexRows {
            language,
            ..IndexRows::default()
        };
        Self {
            space,
            rows,
            room: SearchRoom::of(search),
        }
    }

    /// Adds changed pages, and with a database stores links ahead if they are many.
    async fn add<C: ConnectionTrait>(
        &mut self,
        context: (Option<&Db>, &WorkLimits),
        content: &mut Content<'_, C>,
        batch: &[(&PageId, &Change<Page>)],
    ) -> Result<(), ApiError> {
        let hashes = new_texts(batch);
        let texts = content.run(|objects| objects.all(&hashes)).await?;
        for (id, change) in batch {
            self.rows.links.extend(links::outside_of_text(self.space, change)?);
            // One text after the other, because its nodes take many times its bytes.
            let text = new_text(change).and_then(|hash| texts.get(&hash));
            let mut sections = Vec::new();
            if let Some(text) = text {
                // On the heap, because it is held by the futures of whole imports.
                sections = Box::pin(self.read(context, change, text.text())).await?;
            }
            let bytes = text.map_or(0, |text| text.text().len());
            self.rows.add_to_search(**id, change, bytes, sections, &mut self.room);
        }
        content.unload(&hashes);
        tokio::task::yield_now().await;
        Ok(())
    }

    /// Adds the links of a new text, and returns its sections.
    async fn read(
        &mut self,
        (db, work): (Option<&Db>, &WorkLimits),
        change: &Change<Page>,
        text: &str,
    ) -> Result<Vec<TextSection>, ApiError> {
        let mut of_text = links::of_text(self.space, change);
        let limits = DocumentLimits::default();
        let mut computation = work.start(text.len()).await?;
        let extraction = computation.run(|| Extraction::new(text, &limits, &IdPathResolver));
        let mut extraction = extraction.map_err(ApiError::internal)?;
        loop {
            let has_more = computation.run(|| read_some(&mut extraction, of_text.as_mut()))?;
            let has_more = has_more.map_err(ApiError::internal)?;
            let new_rows = of_text.as_mut().map(|of_text| std::mem::take(&mut of_text.rows));
            self.rows.links.extend(new_rows.into_iter().flatten());
            if let Some(db) = db.filter(|_| self.rows.links.len() > MAX_LINKS) {
                let rows = std::mem::take(&mut self.rows.links);
                drop(computation);
                Box::pin(links::store_ahead(db, rows, MAX_LINKS)).await?;
                computation = work.start(text.len()).await?;
            }
            if !has_more {
                return Ok(extraction.finish());
            }
        }
    }

    fn finish(self) -> Index {
        Index {
            space: self.space,
            rows: Arc::new(self.rows),
        }
    }
}

/// The rest of the limits of a transaction.
struct SearchRoom {
    search: SearchUpdate,
    pages: usize,
    bytes: usize,
}

impl SearchRoom {
    fn of(search: SearchUpdate) -> Self {
        Self {
            search,
            pages: MAX_SEARCH_PAGES,
            bytes: MAX_SEARCH_BYTES,
        }
    }

    /// Returns whether the transaction has room for another page. After the first page without room there is none.
    fn take(&mut self, bytes: usize) -> bool {
        let left = (self.pages.checked_sub(1), self.bytes.checked_sub(bytes));
        match (self.search, left) {
            (SearchUpdate::None | SearchUpdate::Deferred, _) => false,
            (SearchUpdate::Complete, _) => true,
            (SearchUpdate::Bounded, (Some(pages), Some(bytes))) => {
                (self.pages, self.bytes) = (pages, bytes);
                true
            }
            (SearchUpdate::Bounded, _) => {
                self.pages = 0;
                false
            }
        }
    }
}

impl IndexRows {
    /// Adds a page whose new text has this many bytes and these sections.
    fn add_to_search(
        &mut self,
        id: PageId,
        change: &Change<Page>,
        bytes: usize,
        sections: Vec<TextSection>,
        room: &mut SearchRoom,
    ) {
        if room.search == SearchUpdate::None {
            return;
        }
        if search_entries::has_placeholder(change) {
            self.has_placeholders = true;
            self.search.add_placeholder(id, change);
        }
        if !search_entries::is_changed(change) {
            return;
        }
        // The removed text costs as much as a new one.
        match room.take(bytes + REMOVED_BYTES) {
            true => self.search.add(id, change, sections, self.language),
            false => self.deferred.push(id),
        }
    }
}

/// Reads pieces of a text up to the number of links that are stored together. Returns whether there are more pieces.
fn read_some(
    extraction: &mut Extraction<'_>,
    mut rows: Option<&mut SourceRows>,
) -> Result<Result<bool, DocumentError>, DbErr> {
    let mut outcome = Ok(());
    loop {
        let next = extraction.next_piece(&mut |link| {
            if let Some(rows) = rows.as_mut().filter(|_| outcome.is_ok()) {
                outcome = rows.add(link);
            }
        });
        std::mem::replace(&mut outcome, Ok(()))?;
        let is_full = rows.as_ref().is_some_and(|of_text| of_text.rows.len() > MAX_LINKS);
        if is_full || !matches!(next, Ok(true)) {
            return Ok(next);
        }
    }
}

/// Bytes that a removed page counts as.
const REMOVED_BYTES: usize = 2 * 1024;

/// Returns the text of a page whose searchable content changed.
fn new_text(change: &Change<Page>) -> Option<Hash> {
    let after = change.after.as_ref().filter(|_| search_entries::is_changed(change))?;
    after.document()
}

fn new_texts(batch: &[(&PageId, &Change<Page>)]) -> Vec<Hash> {
    let mut texts: Vec<Hash> = batch.iter().filter_map(|(_, change)| new_text(change)).collect();
    texts.sort_unstable();
    texts.dedup();
    texts
}
