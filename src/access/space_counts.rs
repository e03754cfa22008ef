//! How many spaces people and teams have access to: the same rules as [`crate::access::node_levels::visible`], for many at once.

use std::{collections::HashMap, hash::Hash};

use entity::{
    ids::{OrganizationId, TeamId, UserId},
    members::MemberRole,
    nodes::{self, DefaultLevel, NodeKind, ancestors},
    permissions,
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, JoinType, QueryFilter, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait, IntoColumnRef, Query, SelectStatement, UnionType},
};

use super::people::{GIVEN, NODE, USER, given};
use crate::access::node_levels::{Member, level_by_default, reach};

/// The spaces of an organization that are not deleted.
fn living() -> Condition {
    Condition::all()
        .add(nodes::Column::Kind.eq(NodeKind::Space))
        .add(nodes::Column::DeletedAt.is_null())
}

/// How many spaces there are with each default level.
type ByDefault = HashMap<Option<DefaultLevel>, u64>;

/// How many spaces each of the members, told with their roles, sees. One query.
///
/// All spaces are counted by their default levels once, whoever asks, and for each member those that they were given
/// something on. A level that lets a member see its spaces counts with all of them, another one with theirs.
pub async fn spaces_seen(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    members: impl Iterator<Item = (UserId, Option<MemberRole>)>,
) -> Result<HashMap<UserId, u64>, DbErr> {
    let members: Vec<Member> = members
        .map(|(user, role)| Member {
            organization,
            user,
            role,
        })
        .collect();
    if members.is_empty() {
        return Ok(HashMap::new());
    }
    let users = members.iter().map(|member| member.user).collect();
    let mut spaces = nodes::Entity::find()
        .select_only()
        .column_as(Expr::val(None::<UserId>), USER)
        .column(nodes::Column::EffectiveDefault)
        .column_as(Expr::cust("*").count(), "spaces")
        .filter(nodes::Column::OrganizationId.eq(organization))
        .filter(living())
        .group_by(nodes::Column::EffectiveDefault);
    QueryTrait::query(&mut spaces).union(UnionType::All, spaces_given(organization, users));
    let rows: Vec<(Option<UserId>, Option<DefaultLevel>, i64)> = spaces.into_tuple().all(db).await?;
    let mut spaces: HashMap<Option<UserId>, ByDefault> = HashMap::new();
    for (user, default, count) in rows {
        spaces.entry(user).or_default().insert(default, whole(count));
    }
    let none = ByDefault::new();
    let of = |user| spaces.get(&user).unwrap_or(&none);
    let seen = |member: &Member| {
        let (all, given) = (of(None), of(Some(member.user)));
        let count = |(default, count): (&Option<DefaultLevel>, &u64)| match level_by_default(member, *default) {
            Some(_) => *count,
            None => given.get(default).copied().unwrap_or_default(),
        };
        (member.user, all.iter().map(count).sum())
    };
    Ok(members.iter().map(seen).collect())
}

/// The spaces that each of the users, or one of their teams, was given something on or above it.
///
/// Joined to the left, so that SQLite begins with what was given, and not with all nodes.
fn spaces_given(organization: OrganizationId, users: Vec<UserId>) -> SelectStatement {
    let given = given(|user, of| of.eq(organization).and(user.is_in(users.clone())));
    let default = (nodes::Entity, nodes::Column::EffectiveDefault);
    let below = Expr::col((ancestors::Entity, ancestors::Column::AncestorId)).equals((GIVEN, NODE));
    let space = Expr::col((nodes::Entity, nodes::Column::Id)).equals((ancestors::Entity, ancestors::Column::NodeId));
    Query::select()
        .column((GIVEN, USER))
        .column(default)
        .expr(Expr::col((nodes::Entity, nodes::Column::Id)).count_distinct())
        .from_subquery(given, GIVEN)
        .left_join(ancestors::Entity, below)
        .left_join(nodes::Entity, living().add(space))
        .group_by_columns([(GIVEN, USER).into_column_ref(), default.into_column_ref()])
        .take()
}

/// How many spaces each of the teams has access to by its permissions; a team with none is not in the answer. One query.
pub async fn spaces_of_teams(
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
        .join(JoinType::InnerJoin, reach())
        .join(JoinType::InnerJoin, node)
        .filter(Column::OrganizationId.eq(organization))
        .filter(Column::TeamId.is_in(teams))
        .filter(living())
        .group_by(Column::TeamId)
        .into_tuple()
        .all(db)
        .await?;
    Ok(counts(rows))
}

fn counts<K: Eq + Hash>(rows: Vec<(K, i64)>) -> HashMap<K, u64> {
    rows.into_iter().map(|(of, count)| (of, whole(count))).collect()
}

fn whole(count: i64) -> u64 {
    u64::try_from(count).unwrap_or_default()
}
