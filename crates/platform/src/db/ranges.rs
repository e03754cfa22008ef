//! Several ranges of an index as one list, such as the rows with one of some values.

use sea_orm::{
    EntityTrait, QuerySelect, QueryTrait, Select,
    sea_query::{Alias, Asterisk, IntoValueTuple, Query, SelectStatement, UnionType},
};

use super::page::Keyset;

/// Queries of an entity whose rows are different ones. Each is a range of an index in the order of the list.
pub struct Ranges<E: EntityTrait>(Vec<Select<E>>);

impl<E: EntityTrait> Ranges<E> {
    pub fn new(ranges: Vec<Select<E>>) -> Self {
        Self(ranges)
    }

    /// All rows, in no order.
    pub fn all(&self) -> Select<E> {
        union(self.0.clone())
    }

    /// The first rows after a key, in order. Each range gives as many at most, so that the cost does not grow with the list.
    pub fn first<K: IntoValueTuple + Clone>(&self, order: &Keyset, after: Option<K>, limit: u64) -> Select<E> {
        let first = |range: &Select<E>| order.range(range.clone(), after.clone()).limit(limit);
        match self.0.as_slice() {
            [range] => first(range),
            ranges => order
                .range(union(ranges.iter().map(first).collect()), None::<K>)
                .limit(limit),
        }
    }
}

impl<E: EntityTrait> From<Select<E>> for Ranges<E> {
    fn from(range: Select<E>) -> Self {
        Self(vec![range])
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
