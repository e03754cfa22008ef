//! Contributors of change requests.

use entity::{
    authoring::change_requests::contributors::{Column, ContributorAction, Entity, Model},
    identity::users,
    ids::{ChangeRequestId, UserId},
    timestamp::Timestamp,
};
use openapi::{
    error::ApiError, models::ContributorList, operations::change_requests::GetContributorsByChangeRequestIdQuery,
};
use platform::db::{Keyset, Tx};
use sea_orm::{
    ActiveEnum, ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, QueryTrait, Select,
    sea_query::{Expr, ExprTrait, OnConflict},
};

use super::{store::ContributorRow, view};
use crate::{
    access::ChangeRequestAccess,
    kernel::{Kernel, lists::List},
};

/// Records one more contribution of a user.
pub async fn record_contribution(
    tx: &Tx,
    request: ChangeRequestId,
    user: UserId,
    action: ContributorAction,
    now: Timestamp,
) -> Result<(), DbErr> {
    let first = Model {
        change_request_id: request,
        user_id: user,
        action,
        count: 1,
        updated_at: now,
    };
    let or_increment = OnConflict::columns([Column::ChangeRequestId, Column::UserId, Column::Action])
        .value(Column::Count, Expr::col((Entity, Column::Count)).add(1))
        .update_column(Column::UpdatedAt)
        .to_owned();
    let insert = Entity::insert(first.into_active_model().reset_all()).on_conflict(or_increment);
    tx.execute_later(&insert.into_query()).await
}

/// Lists the contributors, the most recent first.
pub async fn list(
    kernel: &Kernel,
    access: &ChangeRequestAccess,
    query: GetContributorsByChangeRequestIdQuery,
) -> Result<ContributorList, ApiError> {
    let request = access.request.id;
    let list = List::new(kernel, ("contributors", request), query.page, query.limit);
    let db = kernel.db.read();
    let found = Entity::find().filter(Column::ChangeRequestId.eq(request));
    let columns = [Column::UpdatedAt, Column::UserId, Column::Action].map(|column| (Entity, column));
    let key = |row: &ContributorRow| (row.updated_at, row.user.id, row.action.to_value());
    let order = Keyset::descending(columns);
    let load = |found: Select<Entity>, after, limit| {
        let run = |query: Select<Entity>| query.into_partial_model().all(db);
        order.page(found.inner_join(users::Entity), after, limit, run, key)
    };
    let view = |row| view::contributor(&kernel.urls, row);
    let views = async |rows: Vec<ContributorRow>| Ok(rows.into_iter().map(view).collect());
    Ok(list.load(found, load, views).await?.into())
}
