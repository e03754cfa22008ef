//! Rows by id within a scope: `rows` is the query for the rows of an organization, a user or a space.

use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, Iterable, ModelTrait,
    PrimaryKeyToColumn, PrimaryKeyTrait, QueryFilter, QuerySelect, QueryTrait, Select, Value,
    sea_query::{Expr, ExprTrait, OnConflict},
};

use super::{Db, Tx};

/// Rows that one transaction of [`remove_in_steps`] deletes.
const ROWS_OF_STEP: u64 = 200;

/// The type of an entity's ids.
pub type Id<E> = <<E as EntityTrait>::PrimaryKey as PrimaryKeyTrait>::ValueType;

pub async fn find<E>(db: &impl ConnectionTrait, rows: Select<E>, id: Id<E>) -> Result<Option<E::Model>, DbErr>
where
    E: EntityTrait,
    Id<E>: Into<Value> + Copy,
{
    let has_id = |rows: Select<E>, key: E::PrimaryKey| rows.filter(key.into_column().eq(id));
    E::PrimaryKey::iter().fold(rows, has_id).one(db).await
}

pub async fn insert<M>(db: &impl ConnectionTrait, row: &M) -> Result<(), DbErr>
where
    M: ModelTrait + IntoActiveModel<<M::Entity as EntityTrait>::ActiveModel>,
{
    let row = row.clone().into_active_model().reset_all();
    M::Entity::insert(row).exec_without_returning(db).await?;
    Ok(())
}

/// Inserts a row at the latest when the write's closure has returned: see [`Tx::execute_later`].
pub async fn insert_later<M>(tx: &Tx, row: &M) -> Result<(), DbErr>
where
    M: ModelTrait + IntoActiveModel<<M::Entity as EntityTrait>::ActiveModel>,
{
    let row = row.clone().into_active_model().reset_all();
    tx.execute_later(&M::Entity::insert(row).into_query()).await
}

/// Inserts a row, or replaces the one with the same primary key.
pub async fn put<M>(db: &impl ConnectionTrait, row: &M) -> Result<(), DbErr>
where
    M: ModelTrait + IntoActiveModel<<M::Entity as EntityTrait>::ActiveModel>,
{
    let key = <M::Entity as EntityTrait>::PrimaryKey::iter().map(PrimaryKeyToColumn::into_column);
    let columns = <M::Entity as EntityTrait>::Column::iter();
    let replace = OnConflict::columns(key).update_columns(columns).to_owned();
    let row = row.clone().into_active_model().reset_all();
    M::Entity::insert(row)
        .on_conflict(replace)
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Deletes a row. Returns it, or `None` if it was absent.
pub async fn remove<E>(db: &impl ConnectionTrait, rows: Select<E>, id: Id<E>) -> Result<Option<E::Model>, DbErr>
where
    E: EntityTrait,
    Id<E>: Into<Value> + Copy,
{
    let row = find(db, rows, id).await?;
    if row.is_some() {
        E::delete_by_id(id).exec(db).await?;
    }
    Ok(row)
}

/// Returns whether the query has a row.
pub async fn is_any<E: EntityTrait>(db: &impl ConnectionTrait, rows: Select<E>) -> Result<bool, DbErr> {
    let one = rows.select_only().expr_as(Expr::value(1), "one").limit(1);
    Ok(one.into_tuple::<i32>().one(db).await?.is_some())
}

/// Deletes at most `limit` of the rows, and returns how many.
pub async fn remove_some<E: EntityTrait>(db: &impl ConnectionTrait, rows: Select<E>, limit: u64) -> Result<u64, DbErr> {
    let keys: Vec<E::Column> = E::PrimaryKey::iter().map(PrimaryKeyToColumn::into_column).collect();
    let some = rows.select_only().columns(keys.iter().copied()).limit(limit);
    let key = Expr::tuple(keys.into_iter().map(|column| Expr::col((E::default(), column))));
    let removed = E::delete_many().filter(key.in_subquery(some.into_query()));
    Ok(removed.exec(db).await?.rows_affected)
}

/// Deletes the rows in transactions of few rows, so that other writers do not wait for all of them.
pub async fn remove_in_steps<E: EntityTrait>(db: &Db, rows: Select<E>) -> Result<(), DbErr> {
    // Usually there are none, and a read is enough to know.
    while is_any(db.read(), rows.clone()).await? {
        let some = rows.clone();
        let work = move |tx: Tx| async move { remove_some(&tx, some, ROWS_OF_STEP).await };
        db.write(work).await?;
    }
    Ok(())
}
