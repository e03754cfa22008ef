//! What [`super::nodes::effective`] says of one member on one node, for many at once: the same rules in SQL.

use std::collections::HashSet;

use entity::{
    ids::{OrganizationId, UserId},
    members::{self, MemberRole},
    nodes::{self, DefaultLevel, ancestors},
    permissions, teams, users,
};
use sea_orm::{
    ActiveEnum, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, Iterable, JoinType, PaginatorTrait,
    PartialModelTrait, QueryFilter, QueryResult, QuerySelect, QueryTrait, Select,
    sea_query::{CaseStatement, Expr, ExprTrait, Func, Query, SelectStatement, UnionType},
};

use crate::{
    db::{Keyset, Page},
    users::store::Shown,
};

/// What [`given`] selects is joined under this name, and has the three columns below.
pub(super) const GIVEN: &str = "given";
pub(super) const USER: &str = "user_id";
pub(super) const NODE: &str = "node_id";
const RANK: &str = "rank";

/// Somebody with access to a node.
pub struct WithLevel {
    pub user: Shown,
    pub level: MemberRole,
}

impl FromQueryResult for WithLevel {
    fn from_query_result(result: &QueryResult, prefix: &str) -> Result<Self, DbErr> {
        let rank: i32 = result.try_get(prefix, RANK)?;
        let level = MemberRole::iter().find(|role| self::rank(*role) == rank);
        Ok(Self {
            user: Shown::from_query_result(result, prefix)?,
            level: level.ok_or_else(|| DbErr::Type(format!("no level has the rank {rank}")))?,
        })
    }
}

/// Everybody with access to a node, or with exactly this level on it.
pub struct WithAccess(Select<members::Entity>, Expr);

impl WithAccess {
    pub fn to(node: &nodes::Model, exactly: Option<MemberRole>) -> Self {
        use members::{Column, Entity};
        let level = rank_on(node);
        let wanted = match exactly {
            Some(role) => level.clone().eq(rank(role)),
            None => level.clone().gt(0),
        };
        let mut people = Entity::find()
            .inner_join(users::Entity)
            .filter(Column::OrganizationId.eq(node.organization_id))
            // Who is shut out has access to nothing.
            .filter(Column::Disabled.eq(false))
            .filter(users::Column::SuspendedAt.is_null())
            .filter(wanted);
        let theirs = Expr::col((GIVEN, USER)).equals((Entity, Column::UserId));
        QuerySelect::query(&mut people).join_subquery(JoinType::LeftJoin, highest_on(node), GIVEN, theirs);
        Self(people, level)
    }

    /// In the order of the user ids.
    pub async fn page(
        &self,
        db: &impl ConnectionTrait,
        after: Option<UserId>,
        limit: u64,
    ) -> Result<Page<WithLevel, UserId>, DbErr> {
        let Self(people, level) = self;
        let order = Keyset::ascending([(members::Entity, members::Column::UserId)]);
        let shown = Shown::select_cols(people.clone().select_only()).column_as(level.clone(), RANK);
        let run = |query: Select<members::Entity>| query.into_model::<WithLevel>().all(db);
        order.page(shown, after, limit, run, |row| row.user.id).await
    }

    /// Those of the users who have access.
    pub async fn among(self, db: &impl ConnectionTrait, users: Vec<UserId>) -> Result<HashSet<UserId>, DbErr> {
        use members::Column;
        let Self(people, _) = self;
        let found = people
            .select_only()
            .column(Column::UserId)
            .filter(Column::UserId.is_in(users));
        Ok(found.into_tuple::<UserId>().all(db).await?.into_iter().collect())
    }

    pub async fn count(self, db: &impl ConnectionTrait) -> Result<u64, DbErr> {
        let Self(people, _) = self;
        people.select_only().column(members::Column::UserId).count(db).await
    }
}

/// Orders roles in the database, which knows them as texts; 0 is no role.
fn rank(role: MemberRole) -> i32 {
    let lower = MemberRole::iter().take_while(|other| *other < role);
    i32::try_from(lower.count()).unwrap_or(i32::MAX).saturating_add(1)
}

fn rank_of(role: Expr) -> Expr {
    let ranks = MemberRole::iter().fold(CaseStatement::new(), |ranks, known| {
        ranks.case(role.clone().eq(known.to_value()), rank(known))
    });
    ranks.finally(0).into()
}

/// The rank of a member's level on a node, where [`highest_on`] is joined.
fn rank_on(node: &nodes::Model) -> Expr {
    let role = Expr::col((members::Entity, members::Column::Role));
    let default = match node.effective_default {
        None => Expr::val(0),
        Some(DefaultLevel::Inherit) => rank_of(role.clone()),
        Some(fixed) => Expr::val(fixed.for_member(None).map_or(0, rank)),
    };
    let given: Expr = Func::coalesce([Expr::col((GIVEN, RANK)), Expr::val(0)]).into();
    CaseStatement::new()
        .case(role.eq(MemberRole::Admin.to_value()), rank(MemberRole::Admin))
        .case(given.clone().gt(default.clone()), given)
        .finally(default)
        .into()
}

/// Who was given something on a node or above it, each once with the highest rank. The cost grows with these people, and
/// not with the members of the organization.
fn highest_on(node: &nodes::Model) -> SelectStatement {
    use permissions::Column;
    let above = ancestors::Entity::find()
        .select_only()
        .column(ancestors::Column::AncestorId)
        .filter(ancestors::Column::NodeId.eq(node.id))
        .into_query();
    let given = given(node.organization_id, |_, _| Column::NodeId.in_subquery(above.clone()));
    Query::select()
        .column(USER)
        .expr_as(Expr::col(RANK).max(), RANK)
        .from_subquery(given, GIVEN)
        .group_by_col(USER)
        .take()
}

/// The permissions of an organization by the people they reach, directly or as members of a team; `which` narrows them
/// down, and is handed the columns of the user and of the organization in the table that names the person: where people
/// are searched for, SQLite has to begin there.
pub(super) fn given(organization: OrganizationId, which: impl Fn(Expr, Expr) -> Expr) -> SelectStatement {
    use permissions::{Column, Entity};
    use teams::members as places;
    let select = |rows: Select<Entity>, [user, of]: [Expr; 2]| {
        rows.select_only()
            .column_as(user.clone(), USER)
            .column_as(Column::NodeId, NODE)
            .column_as(rank_of(Expr::col((Entity, Column::Role))), RANK)
            .filter(Column::OrganizationId.eq(organization))
            .filter(which(user, of))
            .into_query()
    };
    let direct = Entity::find().filter(Column::UserId.is_not_null());
    let who = [Column::UserId, Column::OrganizationId].map(|column| Expr::col((Entity, column)));
    let mut direct = select(direct, who);
    let of_team = Entity::belongs_to(places::Entity)
        .from(Column::TeamId)
        .to(places::Column::TeamId)
        .into();
    let by_team = Entity::find().join(JoinType::InnerJoin, of_team);
    let who = [places::Column::UserId, places::Column::OrganizationId];
    let by_team = select(by_team, who.map(|column| Expr::col((places::Entity, column))));
    direct.union(UnionType::All, by_team).take()
}
