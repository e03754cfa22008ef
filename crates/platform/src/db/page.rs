//! Keyset paging: a page begins after a key instead of after a number of rows, so page 1,000 costs as much as page 1.

use sea_orm::sea_query::{Expr, ExprTrait, IntoColumnRef, IntoValueTuple, Order};
use sea_orm::{DbErr, QueryFilter, QueryOrder, QuerySelect, Value};

use super::page_bytes;

/// The sort columns of a list. Together they are unique and never null, and an index holds them in this sequence after
/// the columns that the list compares by `=`.
#[derive(Debug, Clone)]
pub struct Keyset {
    columns: Vec<Expr>,
    order: Order,
}

/// One page of a list, and the key after which the next page begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T, K> {
    pub items: Vec<T>,
    /// `None`: the last page, or a page without rows.
    pub next: Option<K>,
}

impl<T, K> Page<T, K> {
    /// Converts the items, and leaves out those of which nothing is made.
    pub fn filter_map<U>(self, convert: impl FnMut(T) -> Option<U>) -> Page<U, K> {
        Page {
            items: self.items.into_iter().filter_map(convert).collect(),
            next: self.next,
        }
    }
}

impl Keyset {
    pub fn ascending<C: IntoColumnRef>(columns: impl IntoIterator<Item = C>) -> Self {
        Self::new(columns, Order::Asc)
    }

    pub fn descending<C: IntoColumnRef>(columns: impl IntoIterator<Item = C>) -> Self {
        Self::new(columns, Order::Desc)
    }

    fn new<C: IntoColumnRef>(columns: impl IntoIterator<Item = C>, order: Order) -> Self {
        Self {
            columns: columns.into_iter().map(Expr::col).collect(),
            order,
        }
    }

    /// Loads the page of `limit` rows after the key `after`, in one query; no query if `limit` is 0. There are fewer rows if they are
    /// long.
    ///
    /// `run` executes the finished query and `key` returns a row's key, in the sequence of the columns:
    ///
    /// ```ignore
    /// Keyset::descending([Column::JoinedAt, Column::UserId])
    ///     .page(query, after, limit, |query| query.all(db), |row| (row.joined_at, row.user_id))
    /// ```
    pub async fn page<Q, Fut, T, K>(
        &self,
        query: Q,
        after: Option<K>,
        limit: u64,
        run: impl FnOnce(Q) -> Fut,
        key: impl Fn(&T) -> K,
    ) -> Result<Page<T, K>, DbErr>
    where
        Q: QueryFilter + QueryOrder + QuerySelect,
        Fut: Future<Output = Result<Vec<T>, DbErr>>,
        K: IntoValueTuple,
    {
        if limit == 0 {
            return Ok(Page {
                items: Vec::new(),
                next: None,
            });
        }
        // One row more than requested shows whether there is a next page.
        let run = run(self.range(query, after).limit(limit.saturating_add(1)));
        let (mut items, is_cut) = page_bytes::limited(run).await?;
        let size = usize::try_from(limit).unwrap_or(usize::MAX);
        let more = is_cut || items.len() > size;
        items.truncate(size);
        let next = if more { items.last().map(key) } else { None };
        Ok(Page { items, next })
    }

    /// The rows after a key, in order.
    pub(super) fn range<Q: QueryFilter + QueryOrder>(&self, query: Q, after: Option<impl IntoValueTuple>) -> Q {
        let query = match after {
            Some(after) => query.filter(self.comes_after(self.columns.clone(), values(after))),
            None => query,
        };
        self.sort(query, &self.columns)
    }

    /// The rows with these values after a key, in order. `columns` are the first ones of an index that goes on with those of
    /// the order. The last value is a bound: with `=` PostgreSQL may choose an index of the order alone, which leads through
    /// the rows with other values, because it takes them for mixed evenly. Only the last one: of the columns that a row
    /// comparison names, the first one alone tells PostgreSQL where the range ends.
    pub(super) fn range_within<Q: QueryFilter + QueryOrder>(
        &self,
        query: Q,
        mut values: Vec<(Expr, Value)>,
        after: Option<impl IntoValueTuple>,
    ) -> Q {
        let Some((last, bound)) = values.pop() else {
            return self.range(query, after);
        };
        let query = values
            .into_iter()
            .fold(query, |query, (column, value)| query.filter(column.eq(value)));
        let (least, most) = (last.clone().gte(bound.clone()), last.clone().lte(bound.clone()));
        let (begin, end) = match self.order {
            Order::Desc => (most, least),
            _ => (least, most),
        };
        let columns = [vec![last], self.columns.clone()].concat();
        let begin = match after {
            Some(after) => self.comes_after(columns.clone(), [vec![bound], self::values(after)].concat()),
            None => begin,
        };
        self.sort(query.filter(begin).filter(end), &columns)
    }

    fn sort<Q: QueryOrder>(&self, query: Q, columns: &[Expr]) -> Q {
        let in_order = |query: Q, column: &Expr| query.order_by(column.clone(), self.order.clone());
        columns.iter().fold(query, in_order)
    }

    pub(super) fn columns(&self) -> &[Expr] {
        &self.columns
    }

    /// `(a, b) > (x, y)`: both databases answer a row comparison with one range of the index.
    fn comes_after(&self, columns: Vec<Expr>, key: Vec<Value>) -> Expr {
        let (columns, key) = (Expr::tuple(columns), Expr::tuple(key.into_iter().map(Expr::val)));
        match self.order {
            Order::Desc => columns.lt(key),
            _ => columns.gt(key),
        }
    }
}

fn values(key: impl IntoValueTuple) -> Vec<Value> {
    key.into_value_tuple().into_iter().collect()
}
