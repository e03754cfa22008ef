//! Numbers of open comments. They are counted on demand, so that concurrent writers do not wait for one counter. An
//! index holds the open comments of each list together.

use std::collections::HashMap;

use entity::comments::{Column, CommentStatus, Entity};
use platform::db::count;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait, Select,
    sea_query::{Expr, ExprTrait, IntoColumnRef},
};
use uuid::Uuid;

/// The numbers of open comments of spaces and change requests, without those that have none. One query.
pub async fn open(db: &impl ConnectionTrait, places: Vec<Uuid>) -> Result<HashMap<Uuid, u64>, DbErr> {
    if places.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<(Uuid, i64)> = all_open()
        .column(Column::ListId)
        .column_as(Column::Id.count(), "open")
        .filter(Column::ListId.is_in(places))
        .group_by(Column::ListId)
        .into_tuple()
        .all(db)
        .await?;
    Ok(rows.into_iter().map(|(place, open)| (place, count(open))).collect())
}

/// The number of open comments as an expression of a query. `place` is the column with the id of the space or change
/// request.
pub fn open_of(place: impl IntoColumnRef) -> Expr {
    let counted = all_open()
        .column_as(Column::Id.count(), "open")
        .filter(Expr::col((Entity, Column::ListId)).equals(place));
    counted.into_query().into()
}

fn all_open() -> Select<Entity> {
    Entity::find()
        .select_only()
        .filter(Column::Status.eq(CommentStatus::Open))
}
