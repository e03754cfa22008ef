//! Loading of spaces and collections together with the level of the caller on them.

use chrono::TimeDelta;
use entity::{
    ids::{NodeId, UserId},
    library::nodes,
    organizations::members::{self, MemberRole},
    timestamp::Timestamp,
};
use openapi::error::ApiError;
use platform::db::positional::{self, Columns, FromColumns};
use sea_orm::{
    ActiveEnum, ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, JoinType, QueryFilter, QuerySelect,
    QueryTrait, Select, Statement, sea_query::ExprTrait,
};
use uuid::Uuid;

use super::{
    Caller,
    basis::Basis,
    identity::Installed,
    rows::{NodeRow, organization_of_member},
    sso,
    state::Access,
};

use crate::access::node_levels::{Member, level};

/// A node on which the caller has a level.
pub struct Authorized<R> {
    pub row: R,
    pub member: Member,
    pub level: MemberRole,
}

impl<R: NodeRow> Authorized<R> {
    pub fn basis(&self) -> Basis {
        Basis::Node {
            kind: R::KIND,
            member: self.member,
            node: self.row.node().id,
            level: self.level,
            seen: None,
        }
    }
}

/// Loads a node that is not deleted. `None`: the caller does not see it, or it does not exist.
pub async fn load_node<R: NodeRow>(
    guard: &Access,
    caller: &Caller,
    id: NodeId,
) -> Result<Option<Authorized<R>>, ApiError> {
    if let Some(installation) = caller.installation() {
        return load_installed(guard, caller, installation, not_deleted::<R>(), id).await;
    }
    let query = |[node, user]: [Uuid; 2]| with_role(not_deleted::<R>(), node.into(), user.into()).into_query();
    let parameters = [*id.as_uuid(), *caller.user_id.as_uuid()];
    let backend = guard.db.read().get_database_backend();
    load(guard, caller, R::with_role().statement(backend, parameters, query)).await
}

/// Like [`load_node`], for rows that join more than the node; `condition` selects the joined row.
pub async fn load_node_where<R: NodeRow>(
    guard: &Access,
    caller: &Caller,
    id: NodeId,
    condition: Condition,
) -> Result<Option<Authorized<R>>, ApiError> {
    load_found(guard, caller, id, not_deleted::<R>().filter(condition)).await
}

/// Loads a node that may be deleted, if it can still be restored.
pub async fn load_restorable_node<R: NodeRow>(
    guard: &Access,
    caller: &Caller,
    id: NodeId,
) -> Result<Option<Authorized<R>>, ApiError> {
    let deleted = nodes::Column::DeletedAt;
    let restorable = deleted.is_null().or(deleted.gte(restore_horizon(guard.clock.now())));
    load_found(guard, caller, id, R::of(nodes::Entity::find()).filter(restorable)).await
}

fn not_deleted<R: NodeRow>() -> Select<nodes::Entity> {
    R::of(nodes::Entity::find()).filter(nodes::Column::DeletedAt.is_null())
}

/// Narrows rows down to one node, and adds the role of a member of its organization.
fn with_role(rows: Select<nodes::Entity>, id: NodeId, user: UserId) -> Select<nodes::Entity> {
    let member: sea_orm::RelationDef = nodes::Entity::belongs_to(members::Entity)
        .from(nodes::Column::OrganizationId)
        .to(members::Column::OrganizationId)
        .into();
    rows.filter(nodes::Column::Id.eq(id))
        .join(JoinType::InnerJoin, member)
        .join(JoinType::InnerJoin, organization_of_member())
        .column(members::Column::Role)
        .expr(sso::is_required())
        .filter(members::Column::UserId.eq(user))
        .filter(members::Column::Disabled.eq(false))
}

async fn load_found<R: NodeRow>(
    guard: &Access,
    caller: &Caller,
    id: NodeId,
    rows: Select<nodes::Entity>,
) -> Result<Option<Authorized<R>>, ApiError> {
    if let Some(installation) = caller.installation() {
        return load_installed(guard, caller, installation, rows, id).await;
    }
    let query = with_role(rows, id, caller.user_id);
    load(guard, caller, query.build(guard.db.read().get_database_backend())).await
}

/// Loads a node of the organization of an installation, which is a member of none.
async fn load_installed<R: NodeRow>(
    guard: &Access,
    caller: &Caller,
    installation: &Installed,
    rows: Select<nodes::Entity>,
    id: NodeId,
) -> Result<Option<Authorized<R>>, ApiError> {
    let db = guard.db.read();
    let query = rows
        .filter(nodes::Column::Id.eq(id))
        .filter(nodes::Column::OrganizationId.eq(installation.organization))
        .build(db.get_database_backend());
    let Some(row) = positional::row::<R>(db, query).await? else {
        return Ok(None);
    };
    let member = caller.member(installation.organization, None);
    let level = level(db, &member, row.node()).await?;
    Ok(level.map(|level| Authorized { row, member, level }))
}

async fn load<R: NodeRow>(
    guard: &Access,
    caller: &Caller,
    query: Statement,
) -> Result<Option<Authorized<R>>, ApiError> {
    let db = guard.db.read();
    let found = positional::row::<WithRole<R>>(db, query).await?;
    let Some(WithRole {
        row,
        role,
        sso_required,
    }) = found
    else {
        return Ok(None);
    };
    let member = Member::new(row.node().organization_id, caller.user_id, role);
    let Some(level) = level(db, &member, row.node()).await? else {
        return Ok(None);
    };
    sso::require(&caller.identity, member.organization, sso_required)?;
    Ok(Some(Authorized { row, member, level }))
}

struct WithRole<R> {
    row: R,
    role: Option<MemberRole>,
    sso_required: bool,
}

impl<R: FromColumns> FromColumns for WithRole<R> {
    fn from_columns(columns: &mut Columns<'_>) -> Result<Self, DbErr> {
        Ok(Self {
            row: columns.read()?,
            role: columns.read()?,
            sso_required: columns.read()?,
        })
    }
}

/// Requires a level on the node, unless the operation is about the caller.
pub fn require<R>(
    authorized: Option<Authorized<R>>,
    caller: &Caller,
    level: MemberRole,
    or_self: Option<UserId>,
    what: &str,
) -> Result<Authorized<R>, ApiError> {
    let authorized = authorized.ok_or_else(|| ApiError::not_found(what))?;
    if authorized.level < level && !is_caller(caller, or_self) {
        let needed = level.to_value();
        return Err(ApiError::forbidden(format!(
            "This needs the level {needed} on the {what}."
        )));
    }
    Ok(authorized)
}

/// Requires `admin` on the node if the caller sees it. `None`: the caller does not see it, or it does not exist.
pub fn require_admin_if_present<R>(
    authorized: Option<Authorized<R>>,
    what: &str,
) -> Result<Option<Authorized<R>>, ApiError> {
    match authorized {
        None => Ok(None),
        Some(authorized) if authorized.level == MemberRole::Admin => Ok(Some(authorized)),
        Some(_) => Err(ApiError::forbidden(format!(
            "This needs the level admin on the {what}."
        ))),
    }
}

pub fn is_caller(caller: &Caller, named: Option<UserId>) -> bool {
    named == Some(caller.user_id)
}

/// The time during which a deleted space or collection can be restored.
const RETENTION: TimeDelta = TimeDelta::days(7);

/// Spaces and collections that were deleted before this time cannot be restored.
pub fn restore_horizon(now: Timestamp) -> Timestamp {
    now.plus(-RETENTION)
}
