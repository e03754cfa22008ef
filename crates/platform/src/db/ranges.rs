//! Several ranges of an index as one list, such as the rows with one of some values.

use sea_orm::{
    ColumnTrait, EntityTrait, QueryFilter, QuerySelect, QueryTrait, Select, Value,
    sea_query::{Alias, Asterisk, Expr, IntoValueTuple, Query, SelectStatement, UnionType},
};

use super::page::Keyset;

/// The rows of a query that have certain values.
pub struct Range<E: EntityTrait> {
    rows: Select<E>,
    values: Vec<(E::Column, Value)>,
}

impl<E: EntityTrait> Range<E> {
    /// An index has to hold these columns in this sequence, then those of the order.
    pub fn with_values(rows: Select<E>, values: Vec<(E::Column, Value)>) -> Self {
        Self { rows, values }
    }

    /// All rows, in no order.
    pub fn all(&self) -> Select<E> {
        let has_value = |rows: Select<E>, (column, value): &(E::Column, Value)| rows.filter(column.eq(value.clone()));
        self.values.iter().fold(self.rows.clone(), has_value)
    }

    /// The rows after a key, in order.
    pub fn after<K: IntoValueTuple>(&self, order: &Keyset, after: Option<K>) -> Select<E> {
        let column = |column: E::Column| Expr::col((E::default(), column));
        let values = self.values.iter().map(|(name, value)| (column(*name), value.clone()));
        order.range_within(self.rows.clone(), values.collect(), after)
    }
}

impl<E: EntityTrait> From<Select<E>> for Range<E> {
    fn from(rows: Select<E>) -> Self {
        Self {
            rows,
            values: Vec::new(),
        }
    }
}

/// Ranges of an index in the order of the list, whose rows are different ones.
pub struct Ranges<E: EntityTrait>(Vec<Range<E>>);

impl<E: EntityTrait> Ranges<E> {
    pub fn new(ranges: Vec<Range<E>>) -> Self {
        Self(ranges)
    }

    /// All rows, in no order.
    pub fn all(&self) -> Select<E> {
        union(self.0.iter().map(Range::all).collect())
    }

    /// The first rows after a key, in order. Each range gives as many at most, so that the cost does not grow with the list.
    pub fn first<K: IntoValueTuple + Clone>(&self, order: &Keyset, after: Option<K>, limit: u64) -> Select<E> {
        match self.0.as_slice() {
            [range] => range.after(order, after).limit(limit),
            _ => self.first_merged(order, after, limit),
        }
    }

    /// The same for a query around it that takes as many of the rows as it needs: they are sorted by the order alone, and so
    /// the databases do not have to sort them again.
    pub(super) fn first_merged<K: IntoValueTuple + Clone>(
        &self,
        order: &Keyset,
        after: Option<K>,
        limit: u64,
    ) -> Select<E> {
        let first = |range: &Range<E>| order.range(range.all(), after.clone()).limit(limit);
        match self.0.as_slice() {
            [range] => first(range),
            ranges => order
                .range(union(ranges.iter().map(first).collect()), None::<K>)
                .limit(limit),
        }
    }
}

impl<E: EntityTrait> From<Range<E>> for Ranges<E> {
    fn from(range: Range<E>) -> Self {
        Self(vec![range])
    }
}

impl<E: EntityTrait> From<Select<E>> for Ranges<E> {
    fn from(rows: Select<E>) -> Self {
        Range::from(rows).into()
    }
}

fn union<E: EntityTrait>(ranges: Vec<Select<E>>) -> Select<E> {
    let mut ranges = ranges.into_iter();
    let Some(first) = ranges.next() else {
        return E::find().limit(0);
    };
    if ranges.len() == 0 {
        return first;
    }
    let all = ranges.fold(part(first), |mut all, range| {
        all.union(UnionType::All, part(range)).take()
    });
    in_place_of_table(all)
}

/// SQLite takes neither an order nor a limit in a part of a union, but within a query of the part.
fn part<E: EntityTrait>(range: Select<E>) -> SelectStatement {
    Query::select()
        .column(Asterisk)
        .from_subquery(range.into_query(), Alias::new("part"))
        .take()
}

/// Selects from the rows of a query under the name of the table, so that joins and filters find their columns.
pub(super) fn in_place_of_table<E: EntityTrait>(rows: SelectStatement) -> Select<E> {
    let table = Alias::new(E::default().table_name());
    let mut selected = E::find();
    QueryTrait::query(&mut selected).from_clear().from_subquery(rows, table);
    selected
}
