//! Numbers of open comments, in queries of spaces and change requests.

use entity::authoring::comments::counts::{Column, Entity};
use sea_orm::sea_query::{Expr, ExprTrait, Func, IntoColumnRef, Query};

/// The number of open comments as an expression of a query. `list` is the column with the id of the space or change
/// request.
pub fn sum(list: impl IntoColumnRef) -> Expr {
    let column = |column: Column| Expr::col((Entity, column));
    let sum = Func::coalesce([Func::sum(column(Column::Open)).into(), Expr::value(0)]);
    let query = Query::select()
        .expr(sum)
        .from(Entity)
        .and_where(column(Column::ListId).equals(list))
        .take();
    query.into()
}
