//! How many spaces people and teams have access to: the same rules as [`super::nodes::visible`], for many at once.

use std::{collections::HashMap, hash::Hash};

use entity::{
    ids::{OrganizationId, TeamId, UserId},
    members::{self, MemberRole},
    nodes::{self, NodeKind, ancestors},
    permissions,
    teams::members as team_members,
};
use sea_orm::{
    ActiveEnum, ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, JoinType, QueryFilter, QuerySelect,
    QueryTrait,
    sea_query::{CaseStatement, Expr, ExprTrait, Func, Query, SelectStatement},
};

use super::{
    nodes::{by_default, reach},
    people::{GIVEN, NODE, USER, given},
};

/// How many spaces somebody sees by permissions alone, as a guest and as a member with a role.
const MORE: &str = "more";
const FOR_GUESTS: &str = "for_guests";
const FOR_ROLES: &str = "for_roles";

/// The spaces of an organization that are not deleted.
fn living() -> Condition {
    Condition::all()
        .add(nodes::Column::Kind.eq(NodeKind::Space))
        .add(nodes::Column::DeletedAt.is_null())
}

/// How many spaces each of the members sees. One query.
pub async fn spaces_seen(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    users: Vec<UserId>,
) -> Result<HashMap<UserId, u64>, DbErr> {
    use members::{Column, Entity};
    if users.is_empty() {
        return Ok(HashMap::new());
    }
    let role = || Expr::col((Entity, Column::Role));
    let all = |which: Condition| {
        let spaces = nodes::Entity::find()
            .select_only()
            .column_as(nodes::Column::Id.count(), "spaces")
            .filter(nodes::Column::OrganizationId.eq(organization))
            .filter(living())
            .filter(which);
        Expr::from(spaces.into_query())
    };
    let more = |column: &'static str| -> Expr { Func::coalesce([Expr::col((MORE, column)), Expr::val(0)]).into() };
    let seen: Expr = CaseStatement::new()
        .case(role().eq(MemberRole::Admin.to_value()), all(Condition::all()))
        .case(role().is_null(), all(by_default(None)).add(more(FOR_GUESTS)))
        .finally(all(by_default(Some(MemberRole::Read))).add(more(FOR_ROLES)))
        .into();
    let theirs = Expr::col((MORE, USER)).equals((Entity, Column::UserId));
    let mut query = Entity::find()
        .select_only()
        .column(Column::UserId)
        .column_as(seen, "spaces")
        .filter(Column::OrganizationId.eq(organization))
        .filter(Column::UserId.is_in(users.clone()));
    QuerySelect::query(&mut query).join_subquery(
        JoinType::LeftJoin,
        more_than_default(organization, users),
        MORE,
        theirs,
    );
    let rows: Vec<(UserId, i64)> = query.into_tuple().all(db).await?;
    Ok(counts(rows))
}

fn more_than_default(organization: OrganizationId, users: Vec<UserId>) -> SelectStatement {
    let teams = team_members::Entity::find()
        .select_only()
        .column(team_members::Column::TeamId)
        .filter(team_members::Column::OrganizationId.eq(organization))
        .filter(team_members::Column::UserId.is_in(users.clone()));
    let given = given(organization, Some(teams.into_query()), |user| user.is_in(users.clone()));
    let hidden_from = |role| {
        let space = Expr::col((nodes::Entity, nodes::Column::Id));
        let hidden: Expr = CaseStatement::new().case(by_default(role).not(), space).into();
        hidden.count_distinct()
    };
    let below = Expr::col((ancestors::Entity, ancestors::Column::AncestorId)).equals((GIVEN, NODE));
    let space = Expr::col((nodes::Entity, nodes::Column::Id)).equals((ancestors::Entity, ancestors::Column::NodeId));
    Query::select()
        .column((GIVEN, USER))
        .expr_as(hidden_from(None), FOR_GUESTS)
        .expr_as(hidden_from(Some(MemberRole::Read)), FOR_ROLES)
        .from_subquery(given, GIVEN)
        .inner_join(ancestors::Entity, below)
        .inner_join(nodes::Entity, space)
        .cond_where(living())
        .group_by_col((GIVEN, USER))
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
    rows.into_iter()
        .map(|(of, count)| (of, u64::try_from(count).unwrap_or_default()))
        .collect()
}
