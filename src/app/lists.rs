//! Pages of lists, and their cursors.

use openapi::{error::ApiError, list};
use platform::db::{self, Keyset};
use sea_orm::{
    DbErr, EntityTrait, Iterable, PaginatorTrait, PrimaryKeyToColumn, Select,
    sea_query::{IntoColumnRef, IntoValueTuple},
};
use serde::{Serialize, de::DeserializeOwned};

use crate::app::App;

/// A requested list. Its scope is everything that decides its rows and their order: see [`db::Cursors::encode`].
pub struct List<'a, S> {
    app: &'a App,
    scope: S,
    page: Option<String>,
    pub limit: u64,
}

impl<'a, S: Serialize> List<'a, S> {
    pub fn new(app: &'a App, scope: S, page: Option<String>, limit: impl Into<u64>) -> Self {
        Self {
            app,
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
        let key = self.app.cursors.decode(&self.scope, page);
        let problem = || ApiError::invalid_member("/query/page", "page", "`page` is not a `next.page` of this list.");
        key.map(Some).ok_or_else(problem)
    }

    /// Converts a page of rows to a page of an answer.
    pub fn answer<T, K: Serialize, W>(
        &self,
        page: db::Page<T, K>,
        count: u64,
        view: impl Fn(T) -> W,
    ) -> Result<list::Page<W>, ApiError> {
        let next = page.next.map(|key| self.app.cursors.encode(&self.scope, &key));
        Ok(list::Page {
            items: page.items.into_iter().map(view).collect(),
            count,
            next: next.transpose()?,
        })
    }

    /// A page of the rows that `found` selects, with the number of all of them: one query each. `load` reads the page
    /// after a key (see [`Keyset::page`]), and `views` turns its rows into items of the answer.
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
        let page = load(found.clone(), self.after()?, self.limit).await?;
        let count = found.count(self.app.db.read()).await?;
        let page = db::Page {
            items: views(page.items).await?,
            next: page.next,
        };
        self.answer(page, count, |item| item)
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
        let db = self.app.db.read();
        let order = Keyset::descending(E::PrimaryKey::iter().map(PrimaryKeyToColumn::into_column));
        let load = |rows, after, limit| order.page(rows, after, limit, |query: Select<E>| query.all(db), key);
        let views = async |rows: Vec<E::Model>| Ok(rows.into_iter().map(view).collect());
        self.load(rows, load, views).await
    }
}
