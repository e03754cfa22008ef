//! Keeping the index: all of it happens in the transaction that changes the content.

use entity::{
    ids::{NodeId, PageId},
    search::{
        pages::{self, Section, Sections},
        spaces,
    },
};
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, ConnectionTrait, DbBackend, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Statement,
    sea_query::{Expr, ExprTrait, OnConflict},
};

use super::terms;

/// Pages whose rows one statement writes. Each statement that adds terms on SQLite begins a segment of the index, so they
/// are few; how many values a statement takes is bounded.
const ROWS: usize = 400;

/// Bytes of text that one statement carries, about.
const BYTES: usize = 4 << 20;

/// Pages that one statement reads.
const READ: u64 = 100;

/// A page as it can be found. To cut it into terms is most of the work of indexing and happens when it is made: before the transaction,
/// best.
#[derive(Debug, Clone)]
pub struct PageEntry {
    page: PageId,
    title: String,
    sections: Vec<Section>,
    /// With spaces between them, which take less memory than many small texts.
    terms: String,
}

impl PageEntry {
    pub fn new(page: PageId, title: &str, sections: Vec<Section>) -> Self {
        let terms = terms::of_page(title, &sections).join(" ");
        let storable = |section: Section| Section {
            anchor: section.anchor.map(without_nul),
            title: without_nul(section.title),
            body: without_nul(section.body),
        };
        Self {
            page,
            title: without_nul(title.to_owned()),
            sections: sections.into_iter().map(storable).collect(),
            terms,
        }
    }

    fn size(&self) -> usize {
        let sections = self.sections.iter();
        sections.map(|section| section.title.len() + section.body.len()).sum()
    }
}

/// PostgreSQL stores no text with it.
fn without_nul(text: String) -> String {
    if text.contains('\0') {
        text.replace('\0', "\u{fffd}")
    } else {
        text
    }
}

/// Puts pages in the place of whatever was found by their ids. No page may be given twice.
pub async fn replace(tx: &impl ConnectionTrait, space: NodeId, entries: &[PageEntry]) -> Result<(), DbErr> {
    if entries.is_empty() {
        return Ok(());
    }
    let pending = Pending::begin(tx, entries.len() > ROWS).await?;
    replace_some(tx, space, entries).await?;
    pending.end(tx).await
}

async fn replace_some(tx: &impl ConnectionTrait, space: NodeId, entries: &[PageEntry]) -> Result<(), DbErr> {
    let space = enter(tx, space).await?;
    let ids: Vec<PageId> = entries.iter().map(|entry| entry.page).collect();
    let removed = delete(tx, space, &ids).await?;
    let mut rest = entries;
    while !rest.is_empty() {
        let (batch, further) = rest.split_at(batch(rest));
        insert(tx, space, batch).await?;
        rest = further;
    }
    count(tx, space, difference(entries.len(), removed)).await
}

/// Takes pages out of the index; those that are not in it are passed over.
pub async fn remove(tx: &impl ConnectionTrait, space: NodeId, pages: &[PageId]) -> Result<(), DbErr> {
    if pages.is_empty() {
        return Ok(());
    }
    let Some(space) = number(tx, space).await? else {
        return Ok(());
    };
    let removed = delete(tx, space, pages).await?;
    count(tx, space, difference(0, removed)).await
}

/// Everything that is found in a space.
pub async fn of_space(db: &impl ConnectionTrait, space: NodeId) -> Result<Vec<PageEntry>, DbErr> {
    let mut found = Vec::new();
    let Some(space) = number(db, space).await? else {
        return Ok(found);
    };
    let mut after = 0;
    loop {
        let rows = pages::Entity::find()
            .filter(pages::Column::SearchSpaceId.eq(space))
            .filter(pages::Column::Id.gt(after))
            .order_by_asc(pages::Column::Id)
            .limit(READ)
            .all(db)
            .await?;
        let Some(last) = rows.last() else {
            return Ok(found);
        };
        after = last.id;
        let entry = |row: pages::Model| PageEntry::new(row.page_id, &row.title, row.sections.0);
        let cut = move || rows.into_iter().map(entry).collect::<Vec<_>>();
        let entries = tokio::task::spawn_blocking(cut).await;
        found.extend(entries.map_err(|error| DbErr::Custom(error.to_string()))?);
    }
}

/// PostgreSQL puts new terms on a list, and sorts them into the index when the list is long. Every search reads the list, so it is
/// short; to sort many terms at once is several times faster, so it is long while many pages are indexed.
struct Pending {
    is_long: bool,
}

impl Pending {
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

/// The number of a space in the index.
async fn number(tx: &impl ConnectionTrait, space: NodeId) -> Result<Option<i64>, DbErr> {
    let query = spaces::Entity::find().filter(spaces::Column::SpaceId.eq(space));
    Ok(query.one(tx).await?.map(|space| space.id))
}

/// The number of a space, which gets one if it has none.
async fn enter(tx: &impl ConnectionTrait, space: NodeId) -> Result<i64, DbErr> {
    if let Some(number) = number(tx, space).await? {
        return Ok(number);
    }
    let row = spaces::ActiveModel {
        id: NotSet,
        space_id: Set(space),
        pages_count: Set(0),
    };
    let same = OnConflict::column(spaces::Column::SpaceId)
        .update_column(spaces::Column::SpaceId)
        .to_owned();
    let row = spaces::Entity::insert(row)
        .on_conflict(same)
        .exec_with_returning(tx)
        .await?;
    Ok(row.id)
}

/// Deletes pages, and with them their terms: a trigger or a foreign key sees to it.
async fn delete(tx: &impl ConnectionTrait, space: i64, ids: &[PageId]) -> Result<u64, DbErr> {
    let mut removed = 0;
    for ids in ids.chunks(ROWS) {
        let done = pages::Entity::delete_many()
            .filter(pages::Column::SearchSpaceId.eq(space))
            .filter(pages::Column::PageId.is_in(ids.iter().copied()))
            .exec(tx)
            .await?;
        removed += done.rows_affected;
    }
    Ok(removed)
}

/// How many of the entries one statement takes, at least one.
fn batch(entries: &[PageEntry]) -> usize {
    let mut bytes = 0;
    let fitting = entries.iter().take(ROWS).take_while(|entry| {
        bytes += entry.size();
        bytes <= BYTES
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
    insert_terms(tx, space, numbered.collect()).await
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
        values.push(text(space, &entry.terms, quote).into());
    }
    tx.execute_raw(Statement::from_sql_and_values(backend, sql, values))
        .await?;
    Ok(())
}

/// The terms of a page, as the database reads them: terms have no quotes or spaces in them.
fn text(space: i64, terms: &str, quote: &str) -> String {
    let prefix = format!("{quote}{space}.");
    let terms = terms.split_ascii_whitespace();
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

async fn count(tx: &impl ConnectionTrait, space: i64, by: i32) -> Result<(), DbErr> {
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
