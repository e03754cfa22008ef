//! Pages of lists, and their cursors.

use openapi::{
    error::{ApiError, ErrorRule},
    list,
    models::COUNTED_TO,
};
use platform::db::{self, Keyset, ReadRows, Scan, positional};
use sea_orm::{
    DbErr, EntityTrait, Iterable, PrimaryKeyToColumn, QuerySelect, QueryTrait, Select, TryGetableMany,
    sea_query::{Expr, ExprTrait, IntoColumnRef, IntoValueTuple, Query},
};
use serde::{Serialize, de::DeserializeOwned};

use crate::kernel::Kernel;

/// A requested list. Its scope is everything that decides its rows and their order: see [`db::Cursors::encode`].
pub struct List<'a, S> {
    kernel: &'a Kernel,
    scope: S,
    page: Option<String>,
    pub limit: u64,
}

impl<'a, S: Serialize> List<'a, S> {
    pub fn new(kernel: &'a Kernel, scope: S, page: Option<String>, limit: impl Into<u64>) -> Self {
        Self {
            kernel,
            scope,
            page,
            limit: limit.into(),
        }
    }

    /// The key that the page starts after. A `page` of another list is refused with 400.
    pub fn after<K: DeserializeOwned>(&self) -> Result<Option<K>, ApiError> {
        let Some(page) = &self.page else {
            return Ok(None);
        };
        let key = self.kernel.cursors.decode(&self.scope, page);
        let problem = || {
            ApiError::invalid_member(
                "/query/page",
                ErrorRule::Page,
                "`page` is not a `next.page` of this list.",
            )
        };
        key.map(Some).ok_or_else(problem)
    }

    /// Converts a page of rows to a page of an answer. `count` is the number of all rows, if it is known.
    pub fn answer<T, K: Serialize, W>(
        &self,
        page: db::Page<T, K>,
        count: impl Into<Option<u64>>,
        view: impl Fn(T) -> W,
    ) -> Result<list::Page<W>, ApiError> {
        let next = page.next.map(|key| self.kernel.cursors.encode(&self.scope, &key));
        Ok(list::Page {
            items: page.items.into_iter().map(view).collect(),
            count: count.into(),
            next: next.transpose()?,
        })
    }

    /// The number of the rows that `found` selects, of which `page` is one; `None` if they are too many to be counted. The
    /// cost does not grow with their number, and there is no query if the page holds all rows.
    pub async fn count<E: EntityTrait, T, K>(
        &self,
        found: Select<E>,
        page: &db::Page<T, K>,
    ) -> Result<Option<u64>, DbErr> {
        self.count_with(page, async || count_limited(self.kernel.db.read(), found).await)
            .await
    }

    /// The number of rows; `count` is asked unless the page holds all rows.
    pub async fn count_with<T, K>(
        &self,
        page: &db::Page<T, K>,
        count: impl AsyncFnOnce() -> Result<Option<u64>, DbErr>,
    ) -> Result<Option<u64>, DbErr> {
        if self.page.is_none() && self.limit > 0 && page.next.is_none() {
            return Ok(u64::try_from(page.items.len()).ok());
        }
        count().await
    }

    /// A page of the rows that `found` selects, with their number: one query each. `load` reads the page after a key (see
    /// [`Keyset::page`]), and `views` turns its rows into items of the answer.
    pub async fn load<E, T, K, W, L>(
        &self,
        found: Select<E>,
        load: impl FnOnce(Select<E>, Option<K>, u64) -> L,
        views: impl AsyncFnOnce(Vec<T>) -> Result<Vec<W>, ApiError>,
    ) -> Result<list::Page<W>, ApiError>
    where
        E: EntityTrait,
        E::Model: Send + Sync,
        K: Serialize + DeserializeOwned,
        L: Future<Output = Result<db::Page<T, K>, DbErr>>,
    {
        let count = {
            let found = found.clone();
            async || count_limited(self.kernel.db.read(), found).await
        };
        self.load_with_count(found, load, count, views).await
    }

    /// The same in the descending order of a column that has another value in each row. `key` returns this value.
    pub async fn load_descending<E, C, K, W>(
        &self,
        found: Select<E>,
        column: C,
        key: impl Fn(&E::Model) -> K,
        views: impl AsyncFnOnce(Vec<E::Model>) -> Result<Vec<W>, ApiError>,
    ) -> Result<list::Page<W>, ApiError>
    where
        E: EntityTrait,
        E::Model: Send + Sync,
        C: IntoColumnRef,
        K: Serialize + DeserializeOwned + IntoValueTuple,
    {
        let (db, order) = (self.kernel.db.read(), Keyset::descending([column]));
        let load = |found, after, limit| order.page(found, after, limit, |query: Select<E>| query.all(db), key);
        self.load(found, load, views).await
    }

    /// Like [`Self::load`], for rows whose number is kept beside them.
    pub async fn load_with_count<E, T, K, W, L>(
        &self,
        found: Select<E>,
        load: impl FnOnce(Select<E>, Option<K>, u64) -> L,
        count: impl AsyncFnOnce() -> Result<Option<u64>, DbErr>,
        views: impl AsyncFnOnce(Vec<T>) -> Result<Vec<W>, ApiError>,
    ) -> Result<list::Page<W>, ApiError>
    where
        E: EntityTrait,
        K: Serialize + DeserializeOwned,
        L: Future<Output = Result<db::Page<T, K>, DbErr>>,
    {
        let page = load(found, self.after()?, self.limit).await?;
        let count = self.count_with(&page, count).await?;
        let page = db::Page {
            items: views(page.items).await?,
            next: page.next,
        };
        self.answer(page, count, |item| item)
    }

    /// A page of a scan, with the number of the selected rows unless there are more rows than a page looks at. `run` and `key`
    /// are those of [`Keyset::page`].
    pub async fn load_scan<E, F, T, K, Fut>(
        &self,
        scan: &Scan<E, F>,
        run: impl FnOnce(Select<E>) -> Fut,
        key: impl Fn(&T) -> K,
    ) -> Result<(db::Page<T, K>, Option<u64>), ApiError>
    where
        E: EntityTrait,
        F: Fn(Select<E>) -> Select<E>,
        K: DeserializeOwned + IntoValueTuple + TryGetableMany + Clone + Send,
        Fut: Future<Output = Result<Vec<T>, DbErr>>,
    {
        let db = self.kernel.db.read();
        let page = scan.page(db, self.after()?, self.limit, run, key).await?;
        let count = self.count_scan(scan, &page).await?;
        Ok((page, count))
    }

    /// The number of the rows that a scan selects, of which `page` is one; `None` if there are more rows than a page looks at.
    pub async fn count_scan<E, F, T, K>(&self, scan: &Scan<E, F>, page: &db::Page<T, K>) -> Result<Option<u64>, DbErr>
    where
        E: EntityTrait,
        F: Fn(Select<E>) -> Select<E>,
        K: IntoValueTuple + TryGetableMany + Clone + Send,
    {
        let db = self.kernel.db.read();
        let count = async || match scan.end(db, None::<K>).await? {
            Some(_) => Ok(None),
            None => count_limited(db, scan.selected()).await,
        };
        self.count_with(page, count).await
    }

    /// A page of the rows that `rows` selects, newest ids first. An index has to hold the id after the filtered
    /// columns.
    pub async fn newest_first<E, K, W>(
        &self,
        rows: Select<E>,
        key: impl Fn(&E::Model) -> K,
        view: impl Fn(E::Model) -> W,
    ) -> Result<list::Page<W>, ApiError>
    where
        E: EntityTrait,
        E::Model: Send + Sync,
        E::Column: IntoColumnRef,
        K: Serialize + DeserializeOwned + IntoValueTuple,
    {
        let db = self.kernel.db.read();
        let order = Keyset::descending(E::PrimaryKey::iter().map(PrimaryKeyToColumn::into_column));
        let load = |rows, after, limit| order.page(rows, after, limit, |query: Select<E>| query.all(db), key);
        let views = async |rows: Vec<E::Model>| Ok(rows.into_iter().map(view).collect());
        self.load(rows, load, views).await
    }
}

/// Counts rows up to [`COUNTED_TO`]; `None` if there are more.
async fn count_limited<E: EntityTrait>(db: &impl ReadRows, found: Select<E>) -> Result<Option<u64>, DbErr> {
    let some = found
        .select_only()
        .expr_as(Expr::value(1), "row")
        .limit(COUNTED_TO.saturating_add(1));
    let query = Query::select()
        .expr(Expr::cust("*").count())
        .from_subquery(some.into_query(), "counted")
        .take();
    let rows: Vec<i64> = positional::rows(db, &query).await?;
    let count = rows.into_iter().next().map_or(0, db::count);
    Ok((count <= COUNTED_TO).then_some(count))
}
