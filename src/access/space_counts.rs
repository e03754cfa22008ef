//! The numbers of spaces that people and teams have access to, for many of them in one query.

use std::collections::{BTreeMap, HashMap};

use entity::{
    ids::{NodeId, OrganizationId, TeamId, UserId},
    library::{
        nodes::{self, DefaultLevel, NodeKind, ancestors},
        permissions,
    },
    organizations::{
        members::MemberRole,
        space_counts::{Column, Entity, Model},
    },
};
use platform::db::{QueryTemplate, ReadRows, count, positional};
use sea_orm::{
    ActiveEnum, ActiveModelTrait, ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel,
    JoinType, QueryFilter, QuerySelect, RelationDef,
    sea_query::{Expr, ExprTrait, Func, IntoColumnRef, OnConflict, Query, SelectStatement, UnionType},
};
use uuid::Uuid;

use super::{
    level_sql::{GRANTS, NODE, USER, grants_by_user, reached_nodes},
    levels::level_by_default,
};

/// Stands for no default level in the table.
const NO_LEVEL: &str = "";

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
/// The numbers of all spaces by default level are kept, and for each member the spaces with a grant to them are counted. For
/// a default level that gives the member a level, the first number applies, for any other the second.
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
    let kept = |column: Column| Expr::col((Entity, column));
    let default = [kept(Column::DefaultLevel), Expr::val(NO_LEVEL)];
    let counts = Query::select()
        .expr_as(Expr::val(None::<UserId>), USER)
        .expr(Func::cust("NULLIF").args(default))
        .expr(kept(Column::Spaces).cast_as("bigint"))
        .from(Entity)
        .and_where(kept(Column::OrganizationId).eq(organization))
        .union(UnionType::All, granted_spaces(organization, users))
        .take();
    let rows: Vec<(Option<UserId>, Option<DefaultLevel>, i64)> = positional::tuples(db, &counts).await?;
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

/// The number of all spaces of an organization. One query.
pub async fn count_all_spaces(db: &impl ReadRows, organization: OrganizationId) -> Result<u64, DbErr> {
    static TEMPLATE: QueryTemplate<1> = QueryTemplate::new();
    let query = |[organization]: [Uuid; 1]| {
        let all = Expr::col(Column::Spaces).sum().cast_as("bigint");
        let of_organization = Expr::col(Column::OrganizationId).eq(organization);
        Query::select().expr(all).from(Entity).and_where(of_organization).take()
    };
    let statement = TEMPLATE.statement(db.get_database_backend(), [*organization.as_uuid()], query);
    let spaces: Option<Option<i64>> = positional::row(db, statement).await?;
    Ok(spaces.flatten().map_or(0, count))
}

/// The numbers of all spaces of several organizations, in one query. An organization without spaces may be missing.
pub async fn count_spaces_of(
    db: &impl ReadRows,
    organizations: Vec<OrganizationId>,
) -> Result<HashMap<OrganizationId, u64>, DbErr> {
    let all = Expr::col(Column::Spaces).sum().cast_as("bigint");
    let query = Query::select()
        .column(Column::OrganizationId)
        .expr(all)
        .from(Entity)
        .and_where(Expr::col(Column::OrganizationId).is_in(organizations))
        .group_by_col(Column::OrganizationId)
        .take();
    let rows: Vec<(OrganizationId, i64)> = positional::tuples(db, &query).await?;
    Ok(rows.into_iter().map(|(id, spaces)| (id, count(spaces))).collect())
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

/// The numbers of the spaces at a node and below it, as they were before a change of them.
#[derive(Default)]
pub struct SpacesBelow(BTreeMap<(OrganizationId, String), i32>);

impl SpacesBelow {
    pub async fn load(db: &impl ConnectionTrait, node: NodeId) -> Result<Self, DbErr> {
        use nodes::Column;
        let reached: RelationDef = nodes::Entity::belongs_to(ancestors::Entity)
            .from(Column::Id)
            .to(ancestors::Column::NodeId)
            .into();
        let rows: Vec<(OrganizationId, Option<DefaultLevel>, i64)> = nodes::Entity::find()
            .select_only()
            .columns([Column::OrganizationId, Column::EffectiveDefault])
            .column_as(Expr::col((nodes::Entity, Column::Id)).count(), "spaces")
            .join(JoinType::InnerJoin, reached)
            .filter(ancestors::Column::AncestorId.eq(node))
            .filter(is_space())
            .group_by(Column::OrganizationId)
            .group_by(Column::EffectiveDefault)
            .into_tuple()
            .all(db)
            .await?;
        let number = |(organization, level, spaces): (_, Option<DefaultLevel>, i64)| {
            let level = level.map_or(NO_LEVEL.to_owned(), |level| level.to_value());
            ((organization, level), i32::try_from(spaces).unwrap_or(i32::MAX))
        };
        Ok(Self(rows.into_iter().map(number).collect()))
    }

    /// Adds the change since to the kept numbers, in the transaction of the change.
    pub async fn record_change(self, db: &impl ConnectionTrait, node: NodeId) -> Result<(), DbErr> {
        let Self(mut change) = Self::load(db, node).await?;
        for (counted, spaces) in self.0 {
            *change.entry(counted).or_default() -= spaces;
        }
        let rows: Vec<Model> = change
            .into_iter()
            .filter(|(_, spaces)| *spaces != 0)
            .map(|((organization_id, default_level), spaces)| Model {
                organization_id,
                default_level,
                spaces,
            })
            .collect();
        if rows.is_empty() {
            return Ok(());
        }
        let sum = Expr::col((Entity, Column::Spaces)).add(Expr::col(("excluded", Column::Spaces)));
        let add = OnConflict::columns([Column::OrganizationId, Column::DefaultLevel])
            .value(Column::Spaces, sum)
            .to_owned();
        Entity::insert_many(rows.into_iter().map(|row| row.into_active_model().reset_all()))
            .on_conflict(add)
            .exec_without_returning(db)
            .await?;
        Ok(())
    }
}
