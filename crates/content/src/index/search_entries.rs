//! The search entries of pages.

use std::sync::Arc;

use entity::{
    content::search::pages::Section,
    ids::{NodeId, PageId, RevisionId},
    library::spaces::{self, Language},
};
use openapi::{error::ApiError, work::WorkLimits};
use platform::db::Db;
use rich_text::{DocumentLimits, IdPathResolver, TextSection};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};
use search::index::{self, PageEntry};

use crate::{
    index::{MAX_SEARCH_BYTES, PAGES_AT_ONCE},
    objects::{self, Content, ObjectCache},
    pages::{Change, Page, PageContent, Pages},
    reading::read_stored,
    revisions::Revision,
};

/// The removed and the replaced entries of the search index.
#[derive(Default)]
pub struct SearchIndexChanges {
    removed: Vec<PageId>,
    replaced: Vec<PageEntry>,
}

impl SearchIndexChanges {
    /// Adds the change of one page. `sections` are those of its new text, `language` is that of the space.
    pub fn add(&mut self, id: PageId, change: &Change<Page>, sections: Vec<TextSection>, language: Option<Language>) {
        if !is_changed(change) {
            return;
        }
        match change.after.as_ref().filter(|page| is_searchable(Some(page))) {
            Some(page) => self.replaced.push(entry(page, sections, language)),
            None => self.removed.push(id),
        }
    }

    /// Adds the change of a placeholder for computed pages. A job makes the entries of what is computed.
    pub fn add_placeholder(&mut self, id: PageId, change: &Change<Page>) {
        if !change
            .after
            .as_ref()
            .is_some_and(|page| is_placeholder(page) || is_searchable(Some(page)))
        {
            self.removed.push(id);
        }
    }

    pub async fn store(&self, tx: &impl ConnectionTrait, space: NodeId) -> Result<(), DbErr> {
        index::remove(tx, space, &self.removed).await?;
        index::replace(tx, space, &self.replaced).await
    }
}

/// Brings the search entries of pages up to the current content of their space, in transactions of a few pages. Returns
/// whether it did: `false` if the content has changed meanwhile.
pub async fn refresh(
    (db, work): (&Db, &WorkLimits),
    cache: &ObjectCache,
    (revision, ids): (&Revision, &[PageId]),
) -> Result<bool, ApiError> {
    let mut content = Content::new(db.read(), cache, revision.space);
    let language = language(db.read(), revision.space).await?;
    let mut batch = Batch::default();
    for ids in ids.chunks(PAGES_AT_ONCE) {
        for (id, page) in load_pages(&mut content, revision, ids).await? {
            let Some(page) = page else {
                batch.changes.removed.push(id);
                continue;
            };
            let text = page.document();
            let text = content
                .run(|objects| text.map(|hash| objects.text(&hash)).transpose())
                .await?;
            content.unload(page.document().as_slice());
            let text = text.unwrap_or_default();
            batch.bytes += text.len();
            let read = |limits: &DocumentLimits| rich_text::extract(&text, limits, &IdPathResolver, &mut drop);
            let sections = read_stored(work, &text, read).await?.map_err(ApiError::internal)?;
            let made = work.run(text.len(), move || entry(&page, sections, language));
            batch.changes.replaced.push(made.await?);
            if batch.bytes > MAX_SEARCH_BYTES && !batch.store(db, revision).await? {
                return Ok(false);
            }
        }
        if !batch.store(db, revision).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The pages with these ids, those that are searchable.
async fn load_pages<C: ConnectionTrait>(
    content: &mut Content<'_, C>,
    revision: &Revision,
    ids: &[PageId],
) -> Result<Vec<(PageId, Option<Page>)>, DbErr> {
    content
        .run(|objects| {
            let pages = Pages::of(objects, revision.snapshot);
            let mut found = objects::all(ids.iter().map(|id| Ok((*id, pages.page(*id)?))))?;
            // The entries of computed pages are made elsewhere.
            found.retain(|(_, page)| !page.as_ref().is_some_and(is_placeholder));
            let searchable = |page: Option<Page>| page.filter(|page| is_searchable(Some(page)));
            Ok(found.into_iter().map(|(id, page)| (id, searchable(page))).collect())
        })
        .await
}

/// The entries of one transaction.
#[derive(Default)]
struct Batch {
    changes: SearchIndexChanges,
    bytes: usize,
}

impl Batch {
    /// Returns whether the revision is the current one.
    async fn store(&mut self, db: &Db, revision: &Revision) -> Result<bool, DbErr> {
        let changes = Arc::new(std::mem::take(self).changes);
        let (space, current) = (revision.space, revision.id);
        let work = move |tx| async move {
            if !is_current(&tx, space, current).await? {
                return Ok(false);
            }
            changes.store(&tx, space).await?;
            Ok::<_, DbErr>(true)
        };
        db.write(work).await
    }
}

/// Returns the language that the content of a space is written in. A space that does not exist yet has none.
pub async fn language(db: &impl ConnectionTrait, space: NodeId) -> Result<Option<Language>, DbErr> {
    let language = spaces::Entity::find_by_id(space)
        .select_only()
        .column(spaces::Column::Language)
        .into_tuple::<Option<Language>>()
        .one(db)
        .await?;
    Ok(language.flatten())
}

async fn is_current(tx: &impl ConnectionTrait, space: NodeId, revision: RevisionId) -> Result<bool, DbErr> {
    let found = spaces::Entity::find_by_id(space).filter(spaces::Column::RevisionId.eq(revision));
    Ok(found
        .select_only()
        .column(spaces::Column::Id)
        .into_tuple::<NodeId>()
        .one(tx)
        .await?
        .is_some())
}

/// Returns whether the searchable content of a page changed.
pub fn is_changed(change: &Change<Page>) -> bool {
    let searchable = |page: &Option<Page>| {
        let page = page.as_ref().filter(|page| is_searchable(Some(page)))?;
        Some((
            page.title.clone(),
            page.description.clone(),
            page.document(),
            page.no_index,
        ))
    };
    searchable(&change.before) != searchable(&change.after)
}

/// Returns whether a change is one of a placeholder for computed pages.
pub fn has_placeholder(change: &Change<Page>) -> bool {
    let pages = change.before.iter().chain(&change.after);
    pages.into_iter().any(is_placeholder)
}

fn is_placeholder(page: &Page) -> bool {
    matches!(page.content, PageContent::Computed { .. })
}

/// Returns whether a page is searchable: links and placeholders have no text.
pub fn is_searchable(page: Option<&Page>) -> bool {
    page.is_some_and(|page| !matches!(page.content, PageContent::Link { .. } | PageContent::Computed { .. }))
}

fn entry(page: &Page, sections: Vec<TextSection>, language: Option<Language>) -> PageEntry {
    let sections = sections.into_iter().map(|section| Section {
        anchor: section.anchor,
        title: section.title,
        body: section.body,
    });
    let description = page.description.iter().map(|description| Section {
        anchor: None,
        title: String::new(),
        body: description.clone(),
    });
    let entry = PageEntry::new(page.id, &page.title, description.chain(sections).collect(), language);
    entry.with_no_index(page.no_index)
}
