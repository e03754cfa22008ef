//! The numbers of spaces that people and teams have access to, for many of them in one query.

use std::collections::HashMap;

use entity::{
    ids::{OrganizationId, TeamId, UserId},
    members::MemberRole,
    nodes::{self, DefaultLevel, NodeKind, ancestors},
    permissions,
};
use platform::db::{ReadRows, count, positional};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, JoinType, QueryFilter, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait, IntoColumnRef, Query, SelectStatement, UnionType},
};

use super::{
    level_sql::{GRANTS, NODE, USER, grants_by_user, reached_nodes},
    levels::level_by_default,
};

/// Holds for spaces that are not deleted.
fn is_space() -> Condition {
    Condition::all()
        .add(nodes::Column::Kind.eq(NodeKind::Space))
        .add(nodes::Column::DeletedAt.is_null())
}

/// The number of spaces with each effective default level.
type CountsByDefault = HashMap<Option<DefaultLevel>, u64>;

/// The number of spaces that each member, given with their role, sees. One query.
///
/// All spaces are counted by their default level once for everybody, and for each member the spaces with a grant to them.
/// For a default level that gives the member a level, the first count applies, for any other the second.
pub async fn count_visible_spaces(
    db: &impl ReadRows,
    organization: OrganizationId,
    members: impl Iterator<Item = (UserId, Option<MemberRole>)>,
) -> Result<HashMap<UserId, u64>, DbErr> {
    let members: Vec<(UserId, Option<MemberRole>)> = members.collect();
    if members.is_empty() {
        return Ok(HashMap::new());
    }
    let users = members.iter().map(|(user, _)| *user).collect();
    let mut counts = nodes::Entity::find()
        .select_only()
        .column_as(Expr::val(None::<UserId>), USER)
        .column(nodes::Column::EffectiveDefault)
        .column_as(Expr::cust("*").count(), "spaces")
        .filter(nodes::Column::OrganizationId.eq(organization))
        .filter(is_space())
        .group_by(nodes::Column::EffectiveDefault);
    QueryTrait::query(&mut counts).union(UnionType::All, granted_spaces(organization, users));
    let rows: Vec<(Option<UserId>, Option<DefaultLevel>, i64)> = positional::tuples(db, counts.as_query()).await?;
    let mut counts: HashMap<Option<UserId>, CountsByDefault> = HashMap::new();
    for (user, default, spaces) in rows {
        counts.entry(user).or_default().insert(default, count(spaces));
    }
    let nothing = CountsByDefault::new();
    let counts_of = |user| counts.get(&user).unwrap_or(&nothing);
    let all = counts_of(None);
    let visible = |(user, role): (UserId, Option<MemberRole>)| {
        let granted = counts_of(Some(user));
        let spaces = all.iter().map(|(default, all)| match level_by_default(role, *default) {
            Some(_) => *all,
            None => granted.get(default).copied().unwrap_or_default(),
        });
        (user, spaces.sum())
    };
    Ok(members.into_iter().map(visible).collect())
}

/// The numbers of spaces with a grant to each of the users, on the space or above it, by default level.
///
/// Joined to the left, so that SQLite begins with the grants, and not with all nodes.
fn granted_spaces(organization: OrganizationId, users: Vec<UserId>) -> SelectStatement {
    let grants = grants_by_user(|user, of| of.eq(organization).and(user.is_in(users.clone())));
    let default = (nodes::Entity, nodes::Column::EffectiveDefault);
    let below = Expr::col((ancestors::Entity, ancestors::Column::AncestorId)).equals((GRANTS, NODE));
    let space = Expr::col((nodes::Entity, nodes::Column::Id)).equals((ancestors::Entity, ancestors::Column::NodeId));
    Query::select()
        .column((GRANTS, USER))
        .column(default)
        .expr(Expr::col((nodes::Entity, nodes::Column::Id)).count_distinct())
        .from_subquery(grants, GRANTS)
        .left_join(ancestors::Entity, below)
        .left_join(nodes::Entity, is_space().add(space))
        .group_by_columns([(GRANTS, USER).into_column_ref(), default.into_column_ref()])
        .take()
}

/// The number of spaces that each of the teams has access to by its permissions; a team without any is absent. One query.
pub async fn count_spaces_of_teams(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    teams: Vec<TeamId>,
) -> Result<HashMap<TeamId, u64>, DbErr> {
    use permissions::{Column, Entity};
    if teams.is_empty() {
        return Ok(HashMap::new());
    }
    let node = ancestors::Entity::belongs_to(nodes::Entity)
        .from(ancestors::Column::NodeId)
        .to(nodes::Column::Id)
        .into();
    let rows: Vec<(TeamId, i64)> = Entity::find()
        .select_only()
        .column(Column::TeamId)
        .column_as(Expr::col((nodes::Entity, nodes::Column::Id)).count_distinct(), "spaces")
        .join(JoinType::InnerJoin, reached_nodes())
        .join(JoinType::InnerJoin, node)
        .filter(Column::OrganizationId.eq(organization))
        .filter(Column::TeamId.is_in(teams))
        .filter(is_space())
        .group_by(Column::TeamId)
        .into_tuple()
        .all(db)
        .await?;
    Ok(rows.into_iter().map(|(team, spaces)| (team, count(spaces))).collect())
}
