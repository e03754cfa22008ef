//! Rows of long lists. Their values are taken by their places, one after the other: for those that are taken by name, the
//! name is looked up again in each row.

use sea_orm::{
    ConnectionTrait, DbErr, EntityTrait, PartialModelTrait, QueryResult, QuerySelect, QueryTrait, Select, TryGetable,
    sea_query::SelectStatement,
};

/// The values of a row that were not taken yet, in the order in which the query selects them.
pub struct Places<'a> {
    row: &'a QueryResult,
    next: usize,
}

impl<'a> Places<'a> {
    pub fn of(row: &'a QueryResult) -> Self {
        Self { row, next: 0 }
    }

    pub fn take<T: TryGetable>(&mut self) -> Result<T, DbErr> {
        let value = self.row.try_get_by_index(self.next)?;
        self.next += 1;
        Ok(value)
    }
}

/// What takes its values from a row in the order of its own fields.
pub trait ByPlace: Sized {
    fn take(row: &mut Places<'_>) -> Result<Self, DbErr>;
}

/// What a query finds, each as an `R`.
pub async fn all<R: ByPlace + PartialModelTrait, E: EntityTrait>(
    db: &impl ConnectionTrait,
    query: Select<E>,
) -> Result<Vec<R>, DbErr> {
    let query = R::select_cols(query.select_only());
    rows(db, query.as_query()).await
}

/// The rows of a query that selects the fields of `R` in their order.
pub async fn rows<R: ByPlace>(db: &impl ConnectionTrait, query: &SelectStatement) -> Result<Vec<R>, DbErr> {
    let rows = db.query_all(query).await?;
    rows.iter().map(|row| R::take(&mut Places::of(row))).collect()
}
