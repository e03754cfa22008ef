//! What somebody may do with spaces and collections: the one place that decides it.
//!
//! The level is the highest of: `admin` for admins of the organization, the permissions of the member and of their teams
//! on the node or above it, and the default level, which is kept with the node. [`super::people`] and
//! [`crate::access::space_counts`] say the same of many people at once.

use std::collections::HashMap;

use entity::{
    ids::{NodeId, OrganizationId, UserId},
    members::MemberRole,
    nodes::{self, DefaultLevel, ancestors},
    permissions,
    teams::members as team_members,
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, JoinType, QueryFilter, QuerySelect, QueryTrait,
    RelationDef, Select,
    sea_query::{Expr, ExprTrait, UnionType},
};

/// A member of an organization, as far as access to its content goes.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    pub organization: OrganizationId,
    pub user: UserId,
    /// None is a guest.
    pub role: Option<MemberRole>,
}

impl Member {
    pub fn is_admin(&self) -> bool {
        self.role == Some(MemberRole::Admin)
    }
}

/// The level of a member on a node; none does not see it.
pub async fn level(
    db: &impl ConnectionTrait,
    member: &Member,
    node: &nodes::Model,
) -> Result<Option<MemberRole>, DbErr> {
    let given = given(db, member, vec![node.id]).await?;
    Ok(effective(member, node, given.get(&node.id).copied()))
}

/// The same, with what [`given`] found.
pub fn effective(member: &Member, node: &nodes::Model, given: Option<MemberRole>) -> Option<MemberRole> {
    Ord::max(level_by_default(member, node.effective_default), given)
}

/// The level of a member who was given nothing, where this default level holds.
pub(super) fn level_by_default(member: &Member, default: Option<DefaultLevel>) -> Option<MemberRole> {
    if member.is_admin() {
        return Some(MemberRole::Admin);
    }
    default.and_then(|level| level.for_member(member.role))
}

/// The highest level that a member, or one of their teams, was given on each node or above it. One query, and none for
/// those who may do everything anyway.
pub async fn given(
    db: &impl ConnectionTrait,
    member: &Member,
    nodes: Vec<NodeId>,
) -> Result<HashMap<NodeId, MemberRole>, DbErr> {
    let mut highest = HashMap::new();
    if member.is_admin() || nodes.is_empty() {
        return Ok(highest);
    }
    let [mut rows, by_teams] = permissions_of(member).map(|reaching| {
        reaching
            .select_only()
            .column(ancestors::Column::NodeId)
            .column(permissions::Column::Role)
            .filter(ancestors::Column::NodeId.is_in(nodes.iter().copied()))
    });
    QueryTrait::query(&mut rows).union(UnionType::Distinct, by_teams.into_query());
    let rows: Vec<(NodeId, MemberRole)> = rows.into_tuple().all(db).await?;
    for (node, role) in rows {
        let known = highest.entry(node).or_insert(role);
        *known = Ord::max(role, *known);
    }
    Ok(highest)
}

/// The permissions that reach a member, joined with the nodes that they reach: their own, and those of their teams.
///
/// Apart, because then a node costs one look into the index of each kind, however many permissions there are. SQLite would
/// read all of the node's with both in one condition, and all of the organization's with the organization in it, which
/// the node implies.
fn permissions_of(member: &Member) -> [Select<permissions::Entity>; 2] {
    use permissions::{Column, Entity};
    let teams = team_members::Entity::find()
        .select_only()
        .column(team_members::Column::TeamId)
        .filter(team_members::Column::OrganizationId.eq(member.organization))
        .filter(team_members::Column::UserId.eq(member.user));
    let own = Column::UserId.eq(member.user);
    let by_teams = Column::TeamId.in_subquery(teams.into_query());
    [own, by_teams].map(|subject| Entity::find().join(JoinType::InnerJoin, reach()).filter(subject))
}

/// A permission reaches the node that it is for and everything below.
pub fn reach() -> RelationDef {
    permissions::Entity::belongs_to(ancestors::Entity)
        .from(permissions::Column::NodeId)
        .to(ancestors::Column::AncestorId)
        .into()
}

/// What members with this role see by default.
fn by_default(role: Option<MemberRole>) -> Condition {
    let default = nodes::Column::EffectiveDefault;
    let any = Condition::all().add(default.is_not_null());
    match role {
        Some(_) => any,
        // Without a role of their own, guests inherit nothing.
        None => any.add(default.ne(DefaultLevel::Inherit)),
    }
}

/// Of a query over nodes, those that a member sees.
pub fn visible(query: Select<nodes::Entity>, member: &Member) -> Select<nodes::Entity> {
    if member.is_admin() {
        return query;
    }
    // A value for each node instead of EXISTS, which PostgreSQL may answer by collecting all nodes that they reach.
    let seen = permissions_of(member).map(|reaching| {
        let reaching = reaching
            .select_only()
            .column(permissions::Column::NodeId)
            .filter(
                Expr::col((ancestors::Entity, ancestors::Column::NodeId)).equals((nodes::Entity, nodes::Column::Id)),
            )
            .limit(1);
        Expr::from(reaching.into_query()).is_not_null()
    });
    let seen = seen
        .into_iter()
        .fold(Condition::any().add(by_default(member.role)), Condition::add);
    query.filter(seen)
}
