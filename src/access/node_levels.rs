//! The level of one member on spaces and collections, by the rule in [`super::levels`].

use std::collections::HashMap;

use entity::{
    ids::{NodeId, OrganizationId},
    library::{
        nodes::{self, DefaultLevel, NodeKind, ancestors},
        permissions,
    },
    organizations::members::MemberRole,
};
use platform::db::{ReadRows, positional};
use sea_orm::{
    ColumnTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait, Select,
    sea_query::{Expr, ExprTrait, IntoColumnRef, UnionType},
};

use super::level_sql;
pub use super::levels::{Member, effective_level};

/// The level of a member on a node. `None`: the member does not see the node.
pub async fn level(db: &impl ReadRows, member: &Member, node: &nodes::Model) -> Result<Option<MemberRole>, DbErr> {
    level_on(db, member, node.id, node.effective_default).await
}

/// The level of a member on a node with this effective default level.
pub async fn level_on(
    db: &impl ReadRows,
    member: &Member,
    node: NodeId,
    default: Option<DefaultLevel>,
) -> Result<Option<MemberRole>, DbErr> {
    let granted = granted_levels(db, member, vec![node]).await?;
    Ok(member.level_on(default, granted.get(&node).copied()))
}

/// The granted levels of one member on some nodes.
pub struct MemberLevels {
    member: Member,
    granted: HashMap<NodeId, MemberRole>,
}

impl MemberLevels {
    /// The level of the member on one of these nodes.
    pub fn on(&self, node: &nodes::Model) -> Option<MemberRole> {
        self.member
            .level_on(node.effective_default, self.granted.get(&node.id).copied())
    }
}

/// The levels of a member on these nodes, in one query.
pub async fn levels(db: &impl ReadRows, member: &Member, nodes: Vec<NodeId>) -> Result<MemberLevels, DbErr> {
    Ok(MemberLevels {
        member: *member,
        granted: granted_levels(db, member, nodes).await?,
    })
}

/// The highest level granted to a member, or to one of their teams, on each node or above it; for an installation, the spaces on which
/// it is. One query, and no query for admins, who have the highest level by their role.
async fn granted_levels(
    db: &impl ReadRows,
    member: &Member,
    nodes: Vec<NodeId>,
) -> Result<HashMap<NodeId, MemberRole>, DbErr> {
    let mut highest = HashMap::new();
    if member.is_admin() || nodes.is_empty() {
        return Ok(highest);
    }
    if let Some(installation) = &member.installation {
        let installed = nodes::Entity::find()
            .select_only()
            .column(nodes::Column::Id)
            .filter(nodes::Column::Id.is_in(nodes))
            .filter(installation.is_on_space());
        let installed: Vec<(NodeId,)> = positional::tuples(db, installed.as_query()).await?;
        return Ok(installed.into_iter().map(|(node,)| (node, MemberRole::Admin)).collect());
    }
    let [mut rows, by_teams] = level_sql::grants_to(member).map(|grants| {
        grants
            .select_only()
            .column(ancestors::Column::NodeId)
            .column(permissions::Column::Role)
            .filter(ancestors::Column::NodeId.is_in(nodes.iter().copied()))
    });
    QueryTrait::query(&mut rows).union(UnionType::Distinct, by_teams.into_query());
    let rows: Vec<(NodeId, MemberRole)> = positional::tuples(db, rows.as_query()).await?;
    for (node, role) in rows {
        let known = highest.entry(node).or_insert(role);
        *known = Ord::max(role, *known);
    }
    Ok(highest)
}

/// Narrows a query over nodes down to the nodes that a member sees.
pub fn visible(query: Select<nodes::Entity>, member: &Member) -> Select<nodes::Entity> {
    if let Some(installation) = &member.installation {
        return query.filter(installation.is_on_space());
    }
    if member.is_admin() {
        return query;
    }
    query.filter(level_sql::is_visible(member))
}

/// Holds for rows whose column names a space that a member sees: a value for each row in the order of a list, so that a page
/// reads no more of them than it needs.
pub fn is_visible_space(member: &Member, space: impl IntoColumnRef) -> Expr {
    let this = existing_space(member.organization, space);
    Expr::from(visible(this, member).into_query()).is_not_null()
}

/// Holds for rows whose column names no space of an organization, or a deleted one: a value for each row as well.
pub fn is_no_space(organization: OrganizationId, space: impl IntoColumnRef) -> Expr {
    Expr::from(existing_space(organization, space).into_query()).is_null()
}

/// The id of the space that a column of the outer query names, unless the space is deleted.
fn existing_space(organization: OrganizationId, space: impl IntoColumnRef) -> Select<nodes::Entity> {
    use nodes::{Column, Entity};
    Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Expr::col((Entity, Column::Id)).equals(space))
        .filter(Column::OrganizationId.eq(organization))
        .filter(Column::Kind.eq(NodeKind::Space))
        .filter(Column::DeletedAt.is_null())
        .limit(1)
}
