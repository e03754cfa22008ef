//! What [`crate::access::node_levels::effective`] says of one member on one node, for many at once: the same rules in SQL.

use std::collections::HashSet;

use entity::{
    ids::UserId,
    members::{self, MemberRole},
    nodes::{self, DefaultLevel, ancestors},
    permissions, teams, users,
};
use platform::db::{Keyset, Page};
use sea_orm::{
    ActiveEnum, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, Iterable, JoinType, PaginatorTrait,
    PartialModelTrait, QueryFilter, QueryResult, QuerySelect, QueryTrait, Select,
    sea_query::{CaseStatement, Expr, ExprTrait, Func, Query, SelectStatement, UnionType},
};

use crate::access::rows::UserColumns;

/// What [`given`] selects is joined under this name, and has the three columns below.
pub(super) const GIVEN: &str = "given";
pub(super) const USER: &str = "user_id";
pub(super) const NODE: &str = "node_id";
const ROLE: &str = "role";
const RANK: &str = "rank";

/// Somebody with access to a node.
pub struct WithLevel {
    pub user: UserColumns,
    pub level: MemberRole,
}

impl FromQueryResult for WithLevel {
    fn from_query_result(result: &QueryResult, prefix: &str) -> Result<Self, DbErr> {
        let rank: i32 = result.try_get(prefix, RANK)?;
        let level = MemberRole::iter().find(|role| self::rank(*role) == rank);
        Ok(Self {
            user: UserColumns::from_query_result(result, prefix)?,
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
        let shown = UserColumns::select_cols(people.clone().select_only()).column_as(level.clone(), RANK);
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
    let given = given(|user, organization| {
        let on_one = Column::NodeId.in_subquery(above.clone());
        organization
            .eq(node.organization_id)
            .and(user.is_not_null())
            .and(on_one)
    });
    Query::select()
        .column(USER)
        .expr_as(rank_of(Expr::col(ROLE)).max(), RANK)
        .from_subquery(given, GIVEN)
        .group_by_col(USER)
        .take()
}

/// The permissions by the people they reach, directly or as members of a team; `which` narrows them down, and is handed
/// the columns of the user and of the organization in the table that names the person.
///
/// Joined to the left, so that SQLite begins with the people's teams where it is given people: a team without a
/// permission is a row without a node.
pub(super) fn given(which: impl Fn(Expr, Expr) -> Expr) -> SelectStatement {
    use permissions::{Column, Entity};
    use teams::members as places;
    let column = |column| Expr::col((Entity, column));
    let place = |column| Expr::col((places::Entity, column));
    let select = |user: Expr, organization: Expr| {
        Query::select()
            .expr_as(user.clone(), USER)
            .expr_as(column(Column::NodeId), NODE)
            .expr_as(column(Column::Role), ROLE)
            .and_where(which(user, organization))
            .take()
    };
    let of_team = column(Column::TeamId)
        .equals((places::Entity, places::Column::TeamId))
        .and(column(Column::OrganizationId).equals((places::Entity, places::Column::OrganizationId)));
    let by_team = select(place(places::Column::UserId), place(places::Column::OrganizationId))
        .from(places::Entity)
        .left_join(Entity, of_team)
        .take();
    select(column(Column::UserId), column(Column::OrganizationId))
        .from(Entity)
        .union(UnionType::All, by_team)
        .take()
}
