//! Pages of lists of which a filter selects some rows, where no index tells which: by a part of a text, or by what somebody
//! sees. A page looks at a bounded number of rows, so that its cost does not grow with the list.

use sea_orm::{
    ConnectionTrait, DbErr, EntityTrait, QuerySelect, QueryTrait, Select, TryGetableMany, sea_query::IntoValueTuple,
};

use super::{
    page::{Keyset, Page},
    ranges::{Ranges, in_place_of_table},
};

/// Rows that are some ranges of an index, and the filter that selects some of them.
pub struct Scan<E: EntityTrait, F> {
    rows: Ranges<E>,
    /// The order of the index.
    order: Keyset,
    /// Adds the filter, and joins if it needs them.
    filter: F,
    /// The most rows that a page looks at.
    scanned: u64,
}

impl<E: EntityTrait, F: Fn(Select<E>) -> Select<E>> Scan<E, F> {
    pub fn new(rows: impl Into<Ranges<E>>, order: Keyset, filter: F, scanned: u64) -> Self {
        Self {
            rows: rows.into(),
            order,
            filter,
            scanned,
        }
    }

    /// Loads the page of the selected rows after the key `after`, in one query; a second one if the page is not full. Such a
    /// page has a next one if there are rows that it did not look at.
    pub async fn page<Fut, T, K>(
        &self,
        db: &impl ConnectionTrait,
        after: Option<K>,
        limit: u64,
        run: impl FnOnce(Select<E>) -> Fut,
        key: impl Fn(&T) -> K,
    ) -> Result<Page<T, K>, DbErr>
    where
        Fut: Future<Output = Result<Vec<T>, DbErr>>,
        K: IntoValueTuple + TryGetableMany + Clone + Send,
    {
        let selected = self.selected_after(after.clone());
        let page = self.order.page(selected, None, limit, run, key).await?;
        if page.next.is_some() || limit == 0 {
            return Ok(page);
        }
        let next = self.end(db, after).await?;
        Ok(Page { next, ..page })
    }

    /// The selected ones of the rows that a page after `after` looks at.
    pub fn selected_after<K: IntoValueTuple + Clone>(&self, after: Option<K>) -> Select<E> {
        let scanned = self.rows.first_merged(&self.order, after, self.scanned);
        (self.filter)(in_place_of_table(scanned.into_query()))
    }

    /// All selected rows.
    pub fn selected(&self) -> Select<E> {
        (self.filter)(self.rows.all())
    }

    /// Returns the key of the last row that a page after `after` looks at; `None` if it looks at all of them.
    pub async fn end<K>(&self, db: &impl ConnectionTrait, after: Option<K>) -> Result<Option<K>, DbErr>
    where
        K: IntoValueTuple + TryGetableMany + Clone + Send,
    {
        let keys = self.order.columns().iter().enumerate();
        // One row more shows whether there are rows that the page does not look at.
        let rows = self
            .rows
            .first_merged(&self.order, after, self.scanned.saturating_add(1));
        let keys = keys.fold(rows.select_only(), |rows, (position, column)| {
            rows.expr_as(column.clone(), format!("key{position}"))
        });
        let mut ends = keys
            .offset(self.scanned.saturating_sub(1))
            .limit(2)
            .into_tuple::<K>()
            .all(db)
            .await?;
        let has_more = ends.len() > 1;
        ends.truncate(1);
        Ok(ends.pop().filter(|_| has_more))
    }
}
