//! The bytes of the rows of one page of a list. A page with long rows ends early, so that the size of an answer does not follow the
//! lengths of what is stored.

use std::cell::Cell;

use futures_util::{Stream, TryStreamExt, pin_mut};
use sea_orm::{DbErr, QueryResult};
use sqlx::{Column, Row, TypeInfo, ValueRef};
use wire::{fault::DatabaseFault, work::acquire_large};

/// A page ends with the row that makes it longer.
const MAX_BYTES: usize = 1024 * 1024;

/// A request for a page with more bytes is large.
const SMALL_BYTES: usize = 128 * 1024;

tokio::task_local! {
    static PAGE: Cell<State>;
}

/// The state of the query for a page.
#[derive(Clone, Copy, Default)]
struct State {
    bytes: usize,
    /// The query for the page has begun. Further ones are for something else.
    has_begun: bool,
}

/// Runs the query for a page. Also returns whether the page ended early.
pub(super) async fn limited<T>(run: impl Future<Output = Result<T, DbErr>>) -> Result<(T, bool), DbErr> {
    let run = async {
        let rows = run.await;
        (rows, PAGE.with(Cell::get))
    };
    let (rows, state) = PAGE.scope(Cell::default(), run).await;
    let rows = rows?;
    if state.bytes > SMALL_BYTES {
        acquire_large().await.map_err(|_| DatabaseFault::Overloaded)?;
    }
    Ok((rows, state.bytes > MAX_BYTES))
}

/// The bytes of the rows of a query, as they are read.
#[derive(Clone, Copy)]
pub(super) struct PageBytes(usize);

impl PageBytes {
    /// `None`: the query is not for a page.
    pub fn begin() -> Option<Self> {
        let begin = |page: &Cell<State>| {
            let state = page.get();
            page.set(State {
                has_begun: true,
                ..state
            });
            (!state.has_begun).then_some(Self(0))
        };
        PAGE.try_with(begin).ok().flatten()
    }

    /// Counts a row; `false` if it is the last one of the page.
    pub fn count(&mut self, bytes: usize) -> bool {
        self.0 = self.0.saturating_add(bytes);
        self.0 <= MAX_BYTES
    }

    /// All rows are read that are to be read.
    pub fn end(self) {
        let end = |page: &Cell<State>| {
            page.set(State {
                bytes: self.0,
                ..page.get()
            });
        };
        // Without a page there is nothing to tell.
        let _ = PAGE.try_with(end);
    }

    /// Reads the rows of a query. Also returns whether it was read to its end.
    pub async fn read(
        mut self,
        rows: impl Stream<Item = Result<QueryResult, DbErr>>,
    ) -> Result<(Vec<QueryResult>, bool), DbErr> {
        let (mut read, mut is_whole, mut texts) = (Vec::new(), true, None);
        pin_mut!(rows);
        while let Some(row) = rows.try_next().await? {
            let texts = texts.get_or_insert_with(|| texts_of_sqlite(&row));
            is_whole = self.count(bytes_of(&row, texts));
            read.push(row);
            if !is_whole {
                break;
            }
        }
        self.end();
        Ok((read, is_whole))
    }
}

/// The columns of texts: only they are long in rows of lists, and asking each value for its type takes longer than reading the row.
fn texts_of_sqlite(row: &QueryResult) -> Vec<usize> {
    let columns = row.try_as_sqlite_row().map_or(&[][..], |row| row.columns());
    let texts = columns.iter().filter(|column| column.type_info().name() == "TEXT");
    texts.map(Column::ordinal).collect()
}

/// The bytes of the texts and other long values of a row. `texts` are those columns on SQLite.
fn bytes_of(row: &QueryResult, texts: &[usize]) -> usize {
    let of_sqlite = row.try_as_sqlite_row().map(|row| {
        let values = texts
            .iter()
            .filter_map(|column| row.try_get_unchecked::<&[u8], _>(*column).ok());
        values.map(<[u8]>::len).sum()
    });
    let of_postgres = || {
        let row = row.try_as_pg_row()?;
        let values = (0..row.len()).filter_map(|column| row.try_get_raw(column).ok());
        let bytes = values
            .filter(|value| !value.is_null())
            .filter_map(|value| value.as_bytes().ok());
        Some(bytes.map(<[u8]>::len).sum())
    };
    of_sqlite.or_else(of_postgres).unwrap_or_default()
}
