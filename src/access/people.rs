//! The people with access to a node, each with their level, and those who share an organization with somebody.

use std::collections::HashSet;

use entity::{
    identity::users,
    ids::{OrganizationId, UserId},
    library::nodes,
    organizations::{
        self,
        members::{self, MemberRole},
    },
};
use openapi::models::SCANNED_TO;
use platform::db::{Keyset, Scan};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, PartialModelTrait, QueryFilter, QueryResult,
    QuerySelect, QueryTrait, Select,
    sea_query::{Expr, ExprTrait},
};

use super::{
    identity::Identity,
    level_sql::{self, LevelOn, RANK},
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

/// The people with access to a node.
pub struct PeopleWithAccess {
    organization: OrganizationId,
    level: LevelOn,
    has_level: Expr,
}

impl PeopleWithAccess {
    /// Everybody with access to the node.
    pub fn to(node: &nodes::Model) -> Self {
        Self::having(node, |level| level.is_at_least(1))
    }

    /// Everybody with exactly this level on the node.
    pub fn with_exactly(node: &nodes::Model, wanted: MemberRole) -> Self {
        Self::having(node, |level| level.rank().eq(level_sql::rank(Some(wanted))))
    }

    /// Everybody with this level on the node or a higher one.
    pub fn with_at_least(node: &nodes::Model, wanted: MemberRole) -> Self {
        Self::having(node, |level| level.is_at_least(level_sql::rank(Some(wanted))))
    }

    fn having(node: &nodes::Model, condition: impl FnOnce(&LevelOn) -> Expr) -> Self {
        let level = LevelOn::node(node);
        Self {
            organization: node.organization_id,
            has_level: condition(&level),
            level,
        }
    }

    /// The people in the order of the user ids. No index tells who has access.
    pub fn scan(&self) -> Scan<members::Entity, impl Fn(Select<members::Entity>) -> Select<members::Entity>> {
        let order = Keyset::ascending([(members::Entity, members::Column::UserId)]);
        Scan::new(self.members(), order, |members| self.among_members(members), SCANNED_TO)
    }

    /// The people of a page with their levels.
    pub async fn load_page(
        &self,
        db: &impl ConnectionTrait,
        page: Select<members::Entity>,
    ) -> Result<Vec<UserWithLevel>, DbErr> {
        let columns = UserColumns::select_cols(page.select_only()).column_as(self.level.rank(), RANK);
        columns.into_model::<UserWithLevel>().all(db).await
    }

    /// The users of a list who have access.
    pub async fn among(&self, db: &impl ConnectionTrait, users: Vec<UserId>) -> Result<HashSet<UserId>, DbErr> {
        use members::Column;
        let query = self
            .among_members(self.members())
            .select_only()
            .column(Column::UserId)
            .filter(Column::UserId.is_in(users));
        Ok(query.into_tuple::<UserId>().all(db).await?.into_iter().collect())
    }

    fn members(&self) -> Select<members::Entity> {
        members::Entity::find().filter(members::Column::OrganizationId.eq(self.organization))
    }

    fn among_members(&self, members: Select<members::Entity>) -> Select<members::Entity> {
        members
            .inner_join(users::Entity)
            // Disabled members and suspended users have access to nothing.
            .filter(members::Column::Disabled.eq(false))
            .filter(users::Column::SuspendedAt.is_null())
            .filter(self.has_level.clone())
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

/// The user with this id, if they are a member of the organization and neither is disabled.
pub async fn active_member(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    user: UserId,
) -> Result<Option<users::Model>, DbErr> {
    let found = members::Entity::find_by_id((organization, user))
        .filter(members::Column::Disabled.eq(false))
        .find_also_related(users::Entity)
        .one(db)
        .await?;
    let user = found.and_then(|(_, user)| user);
    Ok(user.filter(|user| user.suspended_at.is_none()))
}
