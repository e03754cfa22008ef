//! The people with access to a node, each with their level, and those who share an organization with somebody.

use std::collections::HashSet;

use entity::{
    ids::UserId,
    members::{self, MemberRole},
    nodes, organizations, users,
};
use platform::db::{Keyset, Page};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, PartialModelTrait, QueryFilter, QueryResult,
    QuerySelect, QueryTrait, Select,
    sea_query::{Expr, ExprTrait},
};

use super::{
    identity::Identity,
    level_sql::{self, RANK},
    rows::UserColumns,
    sso,
};

/// A user with access to a node.
pub struct UserWithLevel {
    pub user: UserColumns,
    pub level: MemberRole,
}

impl FromQueryResult for UserWithLevel {
    fn from_query_result(result: &QueryResult, prefix: &str) -> Result<Self, DbErr> {
        let rank = result.try_get(prefix, RANK)?;
        let level = level_sql::level_of_rank(rank);
        Ok(Self {
            user: UserColumns::from_query_result(result, prefix)?,
            level: level.ok_or_else(|| DbErr::Type(format!("no level has the rank {rank}")))?,
        })
    }
}

/// A query for the people with access to a node, with the rank of their level.
pub struct PeopleWithAccess(Select<members::Entity>, Expr);

impl PeopleWithAccess {
    /// Everybody with access to the node, or with exactly one level on it.
    pub fn to(node: &nodes::Model, exactly: Option<MemberRole>) -> Self {
        Self::having(node, |rank| match exactly {
            Some(level) => rank.eq(level_sql::rank(Some(level))),
            None => rank.gt(0),
        })
    }

    /// Everybody with this level on the node or a higher one.
    pub fn with_at_least(node: &nodes::Model, level: MemberRole) -> Self {
        Self::having(node, |rank| rank.gte(level_sql::rank(Some(level))))
    }

    fn having(node: &nodes::Model, level: impl FnOnce(Expr) -> Expr) -> Self {
        use members::{Column, Entity};
        let rank = level_sql::rank_on(node);
        let has_level = level(rank.clone());
        let people = Entity::find()
            .inner_join(users::Entity)
            .filter(Column::OrganizationId.eq(node.organization_id))
            // Disabled members and suspended users have access to nothing.
            .filter(Column::Disabled.eq(false))
            .filter(users::Column::SuspendedAt.is_null())
            .filter(has_level);
        Self(people, rank)
    }

    /// A page in the order of the user ids.
    pub async fn page(
        &self,
        db: &impl ConnectionTrait,
        after: Option<UserId>,
        limit: u64,
    ) -> Result<Page<UserWithLevel, UserId>, DbErr> {
        let Self(people, rank) = self;
        let order = Keyset::ascending([(members::Entity, members::Column::UserId)]);
        let rows = UserColumns::select_cols(people.clone().select_only()).column_as(rank.clone(), RANK);
        let run = |query: Select<members::Entity>| query.into_model::<UserWithLevel>().all(db);
        order.page(rows, after, limit, run, |row| row.user.id).await
    }

    /// The users of a list who have access.
    pub async fn among(self, db: &impl ConnectionTrait, users: Vec<UserId>) -> Result<HashSet<UserId>, DbErr> {
        use members::Column;
        let Self(people, _) = self;
        let query = people
            .select_only()
            .column(Column::UserId)
            .filter(Column::UserId.is_in(users));
        Ok(query.into_tuple::<UserId>().all(db).await?.into_iter().collect())
    }

    pub fn into_query(self) -> Select<members::Entity> {
        let Self(people, _) = self;
        people
    }
}

/// The users of a list who belong to an organization in which the caller is active. The users of the list may be disabled there,
/// because lists of members show disabled ones too.
pub async fn sharing_organization(
    db: &impl ConnectionTrait,
    caller: &Identity,
    others: Vec<UserId>,
) -> Result<HashSet<UserId>, DbErr> {
    use members::{Column, Entity};
    if others.is_empty() {
        return Ok(HashSet::new());
    }
    let own = Entity::find()
        .select_only()
        .column(Column::OrganizationId)
        .inner_join(organizations::Entity)
        .filter(Column::UserId.eq(caller.user_id))
        .filter(Column::Disabled.eq(false))
        .filter(sso::counts_for(caller));
    let query = Entity::find()
        .select_only()
        .column(Column::UserId)
        .distinct()
        .filter(Column::UserId.is_in(others))
        .filter(Column::OrganizationId.in_subquery(own.into_query()));
    Ok(query.into_tuple::<UserId>().all(db).await?.into_iter().collect())
}
