//! Writes to the index, in the transaction that changes the content.

use entity::{
    content::search::{
        pages::{self, Section, Sections},
        spaces,
    },
    ids::{NodeId, OrganizationId, PageId},
    library::{nodes, spaces::Language},
};
use platform::db::rows;
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::{NotSet, Set, Unchanged},
    ColumnTrait, ConnectionTrait, DbBackend, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Statement,
    sea_query::{Expr, ExprTrait, OnConflict},
};

use crate::{
    postings, scattered,
    stemmer::stemmer_of,
    terms::{self, NO_INDEX},
    words,
};

/// Pages that one statement writes. On SQLite each statement begins a segment of the index, so statements should be few;
/// the number of values of a statement is bounded.
const BATCH_SIZE: usize = 400;

/// Approximate bytes of text in one statement.
const BATCH_BYTES: usize = 4 << 20;

/// The version of the terms that this code makes. Spaces with an earlier one are indexed anew.
const TERMS_VERSION: i32 = 3;

/// Entries, and approximate bytes of their text, that one transaction removes with a space.
const REMOVED_ENTRIES: usize = 100;
const REMOVED_BYTES: i64 = 256 * 1024;

/// Entries whose removal is planned together.
const PLANNED_REMOVALS: u64 = 100_000;

/// The indexed form of a page. Its creation computes the terms, which is most of the work of indexing, so it should happen
/// before the transaction.
#[derive(Debug, Clone)]
pub struct PageEntry {
    page: PageId,
    title: String,
    sections: Vec<Section>,
    language: Option<Language>,
    no_index: bool,
    /// Separated by spaces, which takes less memory than many small strings.
    terms: String,
    words: String,
}

impl PageEntry {
    /// `language` is that of the space.
    pub fn new(page: PageId, title: &str, sections: Vec<Section>, language: Option<Language>) -> Self {
        let found = terms::page_terms(title, &sections, stemmer_of(language));
        let storable = |section: Section| Section {
            anchor: section.anchor.map(without_nul),
            title: without_nul(section.title),
            body: without_nul(section.body),
        };
        Self {
            page,
            title: without_nul(title.to_owned()),
            sections: sections.into_iter().map(storable).collect(),
            language,
            no_index: false,
            terms: found.terms.join(" "),
            words: found.words.join(" "),
        }
    }

    pub fn page(&self) -> PageId {
        self.page
    }

    /// `true`: the search of published content leaves the page out.
    pub fn with_no_index(self, no_index: bool) -> Self {
        Self { no_index, ..self }
    }

    /// Returns the entry with the terms of another language.
    fn in_language(&self, language: Option<Language>) -> Self {
        Self::new(self.page, &self.title, self.sections.clone(), language).with_no_index(self.no_index)
    }

    fn size(&self) -> usize {
        let sections = self.sections.iter();
        sections.map(|section| section.title.len() + section.body.len()).sum()
    }
}

/// Replaces NUL, which PostgreSQL cannot store in text.
fn without_nul(text: String) -> String {
    if text.contains('\0') {
        text.replace('\0', "\u{fffd}")
    } else {
        text
    }
}

/// Replaces the entries of these pages. `entries` must not contain a page twice.
pub async fn replace(tx: &impl ConnectionTrait, space: NodeId, entries: &[PageEntry]) -> Result<(), DbErr> {
    if entries.is_empty() {
        return Ok(());
    }
    let pending = PendingList::begin(tx, entries.len() > BATCH_SIZE).await?;
    replace_entries(tx, space, entries).await?;
    pending.end(tx).await
}

async fn replace_entries(tx: &impl ConnectionTrait, space: NodeId, entries: &[PageEntry]) -> Result<(), DbErr> {
    let language = entries.first().and_then(|entry| entry.language);
    let space = find_or_insert_space(tx, space, language).await?;
    let (space, language) = (space.id, space.language);
    let ids: Vec<PageId> = entries.iter().map(|entry| entry.page).collect();
    let removed = delete(tx, space, &ids).await?;
    let mut rest = entries;
    while !rest.is_empty() {
        let (batch, remaining) = rest.split_at(batch_length(rest));
        if batch.iter().all(|entry| entry.language == language) {
            insert(tx, space, batch).await?;
        } else {
            // The language has changed since the entries were made.
            let batch: Vec<PageEntry> = batch.iter().map(|entry| entry.in_language(language)).collect();
            insert(tx, space, &batch).await?;
        }
        rest = remaining;
    }
    add_to_page_count(tx, space, difference(entries.len(), removed)).await
}

/// Removes pages from the index. Pages that are not in the index are ignored.
pub async fn remove(tx: &impl ConnectionTrait, space: NodeId, pages: &[PageId]) -> Result<(), DbErr> {
    if pages.is_empty() {
        return Ok(());
    }
    let Some(space) = find_space(tx, space).await? else {
        return Ok(());
    };
    let removed = delete(tx, space.id, pages).await?;
    add_to_page_count(tx, space.id, difference(0, removed)).await
}

/// Entries of a space that is gone, as they are removed: those of one transaction together.
pub async fn removals(db: &impl ConnectionTrait, space: NodeId) -> Result<Vec<Vec<i64>>, DbErr> {
    let Some(space) = find_space(db, space).await? else {
        return Ok(Vec::new());
    };
    let sizes: Vec<(i64, i32)> = pages::Entity::find()
        .select_only()
        .columns([pages::Column::Id, pages::Column::Size])
        .filter(pages::Column::SearchSpaceId.eq(space.id))
        .limit(PLANNED_REMOVALS)
        .into_tuple()
        .all(db)
        .await?;
    let (mut removals, mut bytes): (Vec<Vec<i64>>, i64) = (Vec::new(), 0);
    for (entry, size) in scattered(sizes) {
        match removals.last_mut() {
            Some(last) if last.len() < REMOVED_ENTRIES && bytes <= REMOVED_BYTES => last.push(entry),
            _ => {
                removals.push(vec![entry]);
                bytes = 0;
            }
        }
        bytes += i64::from(size);
    }
    Ok(removals)
}

/// Removes entries of a space that is gone.
pub async fn remove_entries(tx: &impl ConnectionTrait, entries: Vec<i64>) -> Result<(), DbErr> {
    let entries = pages::Entity::delete_many().filter(pages::Column::Id.is_in(entries));
    entries.exec(tx).await.map(drop)
}

/// Removes some words of a space that is gone and has no entries, and its own row when there are none.
pub async fn remove_words(tx: &impl ConnectionTrait, space: NodeId) -> Result<(), DbErr> {
    let Some(space) = find_space(tx, space).await? else {
        return Ok(());
    };
    let entries = pages::Entity::find().filter(pages::Column::SearchSpaceId.eq(space.id));
    if !rows::is_any(tx, entries).await? && words::remove_some(tx, space.id).await? == 0 {
        spaces::Entity::delete_by_id(space.id).exec(tx).await?;
    }
    Ok(())
}

/// The most entries that are loaded at once, and the most bytes of their texts.
#[derive(Clone, Copy)]
pub struct EntryLimits {
    pub entries: u64,
    pub bytes: i64,
}

/// Loads all entries of a space. `None`: they are more, or have more bytes of text, than the limits.
pub async fn list_entries(
    db: &impl ConnectionTrait,
    space: NodeId,
    limits: EntryLimits,
) -> Result<Option<Vec<PageEntry>>, DbErr> {
    let Some(space) = find_space(db, space).await? else {
        return Ok(Some(Vec::new()));
    };
    let of_space = || pages::Entity::find().filter(pages::Column::SearchSpaceId.eq(space.id));
    let sizes: Vec<i32> = of_space()
        .select_only()
        .column(pages::Column::Size)
        .limit(limits.entries + 1)
        .into_tuple()
        .all(db)
        .await?;
    let bytes: i64 = sizes.iter().copied().map(i64::from).sum();
    if sizes.len() as u64 > limits.entries || bytes > limits.bytes {
        return Ok(None);
    }
    let language = space.language;
    let no_index = postings::with_no_index(db, space.id).await?;
    let rows = of_space().order_by_asc(pages::Column::Id).all(db).await?;
    let entry = move |row: pages::Model| {
        let entry = PageEntry::new(row.page_id, &row.title, row.sections.0, language);
        entry.with_no_index(no_index.contains(&row.id))
    };
    let compute_terms = move || rows.into_iter().map(entry).collect::<Vec<_>>();
    let entries = tokio::task::spawn_blocking(compute_terms).await;
    entries.map(Some).map_err(|error| DbErr::Custom(error.to_string()))
}

/// The pending list of PostgreSQL's GIN index: new terms are appended to it and sorted into the index when it is full.
/// Every search reads the list, so it is short; sorting many terms at once is several times faster, so it is long while
/// many pages are indexed.
struct PendingList {
    is_long: bool,
}

impl PendingList {
    async fn begin(tx: &impl ConnectionTrait, is_long: bool) -> Result<Self, DbErr> {
        if tx.get_database_backend() != DbBackend::Postgres {
            return Ok(Self { is_long: false });
        }
        let settings = if is_long {
            "SET LOCAL gin_pending_list_limit = '16MB'; SET LOCAL work_mem = '64MB'; SET LOCAL maintenance_work_mem = '64MB'"
        } else {
            "SET LOCAL gin_pending_list_limit = '256kB'"
        };
        tx.execute_unprepared(settings).await?;
        Ok(Self { is_long })
    }

    async fn end(self, tx: &impl ConnectionTrait) -> Result<(), DbErr> {
        if self.is_long {
            tx.execute_unprepared("SELECT gin_clean_pending_list('search_terms_by_terms')")
                .await?;
        }
        Ok(())
    }
}

/// Makes the terms of a space those of another language: at once for pages that are written from now on, and later for the
/// others, see [`outdated`].
pub async fn set_language(tx: &impl ConnectionTrait, space: NodeId, language: Option<Language>) -> Result<(), DbErr> {
    let Some(known) = find_space(tx, space).await? else {
        return Ok(());
    };
    if known.language != language {
        let changed = spaces::ActiveModel {
            id: Unchanged(known.id),
            language: Set(language),
            terms_version: Set(0),
            ..Default::default()
        };
        changed.update(tx).await?;
    }
    Ok(())
}

/// Finds spaces whose pages have terms of an earlier version or of another language.
pub async fn outdated(db: &impl ConnectionTrait, limit: u64) -> Result<Vec<NodeId>, DbErr> {
    spaces::Entity::find()
        .select_only()
        .column(spaces::Column::SpaceId)
        .filter(spaces::Column::TermsVersion.lt(TERMS_VERSION))
        .limit(limit)
        .into_tuple()
        .all(db)
        .await
}

/// Returns all pages of a space, and records that they are indexed anew.
pub async fn renew(tx: &impl ConnectionTrait, space: NodeId) -> Result<Vec<PageId>, DbErr> {
    let Some(known) = find_space(tx, space).await? else {
        return Ok(Vec::new());
    };
    spaces::Entity::update_many()
        .col_expr(spaces::Column::TermsVersion, Expr::value(TERMS_VERSION))
        .filter(spaces::Column::Id.eq(known.id))
        .exec(tx)
        .await?;
    list_pages(tx, space).await
}

/// The pages of a space that are in the index, in the order in which they were added.
pub async fn list_pages(db: &impl ConnectionTrait, space: NodeId) -> Result<Vec<PageId>, DbErr> {
    let Some(known) = find_space(db, space).await? else {
        return Ok(Vec::new());
    };
    pages::Entity::find()
        .select_only()
        .column(pages::Column::PageId)
        .filter(pages::Column::SearchSpaceId.eq(known.id))
        .order_by_asc(pages::Column::Id)
        .into_tuple()
        .all(db)
        .await
}

async fn find_space(tx: &impl ConnectionTrait, space: NodeId) -> Result<Option<spaces::Model>, DbErr> {
    let query = spaces::Entity::find().filter(spaces::Column::SpaceId.eq(space));
    query.one(tx).await
}

async fn find_or_insert_space(
    tx: &impl ConnectionTrait,
    space: NodeId,
    language: Option<Language>,
) -> Result<spaces::Model, DbErr> {
    if let Some(known) = find_space(tx, space).await? {
        return Ok(known);
    }
    let organization = nodes::Entity::find_by_id(space)
        .select_only()
        .column(nodes::Column::OrganizationId)
        .into_tuple::<OrganizationId>()
        .one(tx)
        .await?;
    let row = spaces::ActiveModel {
        id: NotSet,
        space_id: Set(space),
        organization_id: Set(organization.ok_or_else(|| DbErr::RecordNotFound("no space to index".to_owned()))?),
        pages_count: Set(0),
        language: Set(language),
        terms_version: Set(TERMS_VERSION),
    };
    let same = OnConflict::column(spaces::Column::SpaceId)
        .update_column(spaces::Column::SpaceId)
        .to_owned();
    spaces::Entity::insert(row)
        .on_conflict(same)
        .exec_with_returning(tx)
        .await
}

/// Deletes pages. A trigger or a foreign key deletes their terms.
async fn delete(tx: &impl ConnectionTrait, space: i64, ids: &[PageId]) -> Result<u64, DbErr> {
    let mut removed = 0;
    for ids in ids.chunks(BATCH_SIZE) {
        let done = pages::Entity::delete_many()
            .filter(pages::Column::SearchSpaceId.eq(space))
            .filter(pages::Column::PageId.is_in(ids.iter().copied()))
            .exec(tx)
            .await?;
        removed += done.rows_affected;
    }
    Ok(removed)
}

/// Returns how many of the entries fit into one statement, at least one.
fn batch_length(entries: &[PageEntry]) -> usize {
    let mut bytes = 0;
    let fitting = entries.iter().take(BATCH_SIZE).take_while(|entry| {
        bytes += entry.size();
        bytes <= BATCH_BYTES
    });
    fitting.count().max(1)
}

async fn insert(tx: &impl ConnectionTrait, space: i64, entries: &[PageEntry]) -> Result<(), DbErr> {
    let rows = entries.iter().map(|entry| pages::ActiveModel {
        id: NotSet,
        search_space_id: Set(space),
        page_id: Set(entry.page),
        title: Set(entry.title.clone()),
        size: Set(i32::try_from(entry.size()).unwrap_or(i32::MAX)),
        sections: Set(Sections(entry.sections.clone())),
    });
    pages::Entity::insert_many(rows).exec_without_returning(tx).await?;
    let numbers: Vec<(PageId, i64)> = pages::Entity::find()
        .select_only()
        .columns([pages::Column::PageId, pages::Column::Id])
        .filter(pages::Column::SearchSpaceId.eq(space))
        .filter(pages::Column::PageId.is_in(entries.iter().map(|entry| entry.page)))
        .into_tuple()
        .all(tx)
        .await?;
    let numbers: std::collections::HashMap<PageId, i64> = numbers.into_iter().collect();
    let numbered = entries
        .iter()
        .filter_map(|entry| Some((*numbers.get(&entry.page)?, entry)));
    insert_terms(tx, space, numbered.collect()).await?;
    let found = entries.iter().flat_map(|entry| entry.words.split_ascii_whitespace());
    words::insert(tx, space, found).await
}

async fn insert_terms(tx: &impl ConnectionTrait, space: i64, entries: Vec<(i64, &PageEntry)>) -> Result<(), DbErr> {
    let backend = tx.get_database_backend();
    let (column, quote, cast) = match backend {
        DbBackend::Postgres => ("page_id", "'", "::tsvector"),
        _ => ("rowid", "", ""),
    };
    let mut sql = format!("INSERT INTO search_terms ({column}, terms) VALUES ");
    let mut values = Vec::with_capacity(entries.len() * 2);
    for (number, (page, entry)) in entries.into_iter().enumerate() {
        let separator = if number == 0 { "" } else { ", " };
        sql.push_str(&format!("{separator}(${}, ${}{cast})", number * 2 + 1, number * 2 + 2));
        values.push(page.into());
        let marker = entry.no_index.then_some(NO_INDEX);
        let terms = marker.into_iter().chain(entry.terms.split_ascii_whitespace());
        values.push(format_terms(space, terms, quote).into());
    }
    tx.execute_raw(Statement::from_sql_and_values(backend, sql, values))
        .await?;
    Ok(())
}

/// Formats the terms of a page for the database. Terms contain no quotes or spaces.
fn format_terms<'t>(space: i64, terms: impl Iterator<Item = &'t str> + Clone, quote: &str) -> String {
    let prefix = format!("{quote}{space}.");
    let length = terms.clone().map(|term| prefix.len() + term.len() + 2).sum();
    let mut text = String::with_capacity(length);
    for term in terms {
        text.push_str(&prefix);
        text.push_str(term);
        text.push_str(quote);
        text.push(' ');
    }
    text
}

async fn add_to_page_count(tx: &impl ConnectionTrait, space: i64, by: i32) -> Result<(), DbErr> {
    if by == 0 {
        return Ok(());
    }
    spaces::Entity::update_many()
        .col_expr(
            spaces::Column::PagesCount,
            Expr::col(spaces::Column::PagesCount).add(by),
        )
        .filter(spaces::Column::Id.eq(space))
        .exec(tx)
        .await?;
    Ok(())
}

fn difference(added: usize, removed: u64) -> i32 {
    let (added, removed) = (i64::try_from(added), i64::try_from(removed));
    let difference = added.unwrap_or_default() - removed.unwrap_or_default();
    i32::try_from(difference).unwrap_or_default()
}
