//! From the id of a space or a collection to the row, with the level that the caller has on it.

use chrono::TimeDelta;
use entity::{ids::NodeId, members, members::MemberRole, nodes, timestamp::Timestamp};
use openapi::error::ApiError;
use sea_orm::{
    ActiveEnum, ColumnTrait, Condition, DbErr, EntityTrait, FromQueryResult, JoinType, QueryFilter, QueryResult,
    QuerySelect, Select, sea_query::ExprTrait,
};

use super::{Caller, rows::NodeRow, state::AccessGuard};
use crate::access::node_levels::{Member, level};

/// A node that the caller sees.
pub struct Reached<R> {
    pub row: R,
    pub member: Member,
    pub level: MemberRole,
}

/// A node that is not deleted.
pub async fn reach<R: NodeRow>(guard: &AccessGuard, caller: &Caller, id: &str) -> Result<Option<Reached<R>>, ApiError> {
    reach_with(guard, caller, id, Condition::all()).await
}

/// The same for a row that holds more than the node: `which` says which of what stands beside it.
pub async fn reach_with<R: NodeRow>(
    guard: &AccessGuard,
    caller: &Caller,
    id: &str,
    which: Condition,
) -> Result<Option<Reached<R>>, ApiError> {
    let living = R::of(nodes::Entity::find()).filter(nodes::Column::DeletedAt.is_null());
    find(guard, caller, id, living.filter(which)).await
}

/// A node that may be deleted, if it can be brought back.
pub async fn reach_deleted<R: NodeRow>(
    guard: &AccessGuard,
    caller: &Caller,
    id: &str,
) -> Result<Option<Reached<R>>, ApiError> {
    let deleted = nodes::Column::DeletedAt;
    let kept = deleted.is_null().or(deleted.gte(restore_horizon(guard.clock.now())));
    find(guard, caller, id, R::of(nodes::Entity::find()).filter(kept)).await
}

async fn find<R: NodeRow>(
    guard: &AccessGuard,
    caller: &Caller,
    id: &str,
    rows: Select<nodes::Entity>,
) -> Result<Option<Reached<R>>, ApiError> {
    let Ok(id) = id.parse::<NodeId>() else {
        return Ok(None);
    };
    let member: sea_orm::RelationDef = nodes::Entity::belongs_to(members::Entity)
        .from(nodes::Column::OrganizationId)
        .to(members::Column::OrganizationId)
        .into();
    let query = rows
        .filter(nodes::Column::Id.eq(id))
        .join(JoinType::InnerJoin, member)
        .column_as(members::Column::Role, "member_role")
        .filter(members::Column::UserId.eq(caller.user_id))
        .filter(members::Column::Disabled.eq(false));
    let db = guard.db.read();
    let found = query.into_model::<WithRole<R>>().one(db).await?;
    let Some(WithRole { row, role }) = found else {
        return Ok(None);
    };
    let member = Member {
        organization: row.node().organization_id,
        user: caller.user_id,
        role,
    };
    let level = level(db, &member, row.node()).await?;
    Ok(level.map(|level| Reached { row, member, level }))
}

struct WithRole<R> {
    row: R,
    role: Option<MemberRole>,
}

impl<R: FromQueryResult> FromQueryResult for WithRole<R> {
    fn from_query_result(result: &QueryResult, prefix: &str) -> Result<Self, DbErr> {
        Ok(Self {
            row: R::from_query_result(result, prefix)?,
            role: result.try_get(prefix, "member_role")?,
        })
    }
}

/// The node, if the caller has the level or is whom the operation is about.
pub fn require<R>(
    reached: Option<Reached<R>>,
    caller: &Caller,
    level: MemberRole,
    or_self: Option<&str>,
    what: &str,
) -> Result<Reached<R>, ApiError> {
    let reached = reached.ok_or_else(|| ApiError::not_found(what))?;
    if reached.level < level && !is_caller(caller, or_self) {
        let needed = level.to_value();
        return Err(ApiError::forbidden(format!(
            "This needs the level {needed} on the {what}."
        )));
    }
    Ok(reached)
}

/// The node, if there is one that the caller sees; then the caller has to administer it.
pub fn require_if_there<R>(reached: Option<Reached<R>>, what: &str) -> Result<Option<R>, ApiError> {
    match reached {
        None => Ok(None),
        Some(reached) if reached.level == MemberRole::Admin => Ok(Some(reached.row)),
        Some(_) => Err(ApiError::forbidden(format!(
            "This needs the level admin on the {what}."
        ))),
    }
}

pub fn is_caller(caller: &Caller, named: Option<&str>) -> bool {
    named.and_then(|id| id.parse().ok()) == Some(caller.user_id)
}

/// How long a deleted space or collection can be restored.
const RETENTION: TimeDelta = TimeDelta::days(7);

/// Spaces and collections that were deleted before this time cannot be restored.
pub fn restore_horizon(now: Timestamp) -> Timestamp {
    now.plus(-RETENTION)
}
