//! The members of an organization who reach a site or one of its spaces, each with the highest level and where it comes from.

use std::collections::HashMap;

use entity::{
    identity::users,
    ids::{NodeId, SiteId, TeamId, UserId},
    library::nodes::{self, ancestors},
    organizations::{
        members::{self, MemberRole},
        teams::members as team_members,
    },
    publishing::sites::{self, permissions, site_spaces},
};
use platform::db::{ReadRows, positional};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, JoinType, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait,
    sea_query::{Expr, ExprTrait, Query, SelectStatement, UnionType},
};

use crate::{
    access::{
        level_sql::{GRANTS, LevelOn, NODE, ROLE, USER, grants_by_user, highest_grant_on_site, rank},
        levels::level_by_default,
    },
    areas::organizations::members::store::MemberColumns,
};

/// Where the level of a person comes from, in the order in which equal levels count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum LevelOrigin {
    /// The role in the organization.
    #[default]
    Organization,
    /// A permission on the site, of the person or of one of their teams, or its default level.
    Site(Option<TeamId>),
    Space(NodeId),
}

/// The highest level of a person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SiteLevel {
    pub level: Option<MemberRole>,
    pub origin: LevelOrigin,
}

impl SiteLevel {
    /// The higher one; of equal ones that with the first origin.
    fn or_higher(self, level: Option<MemberRole>, origin: LevelOrigin) -> Self {
        if level > self.level || (level == self.level && level.is_some() && origin < self.origin) {
            return Self { level, origin };
        }
        self
    }
}

pub struct PeopleOfSite {
    site: sites::Model,
    /// The spaces of the site in the order of their ids.
    spaces: Vec<nodes::Model>,
}

impl PeopleOfSite {
    /// One query.
    pub async fn load(db: &impl ConnectionTrait, site: sites::Model) -> Result<Self, DbErr> {
        let spaces = nodes::Entity::find()
            .filter(nodes::Column::OrganizationId.eq(site.organization_id))
            .filter(nodes::Column::DeletedAt.is_null())
            .filter(nodes::Column::Id.in_subquery(spaces_of(site.id)))
            .order_by_asc(nodes::Column::Id)
            .all(db)
            .await?;
        Ok(Self { site, spaces })
    }

    /// Holds for members who reach the site, in a query that joins their users: all of them, or those with a role as their highest
    /// level. `Some(None)`: guests of the organization.
    pub fn condition(&self, role: Option<Option<MemberRole>>, team: Option<TeamId>) -> Condition {
        let of_spaces = ancestors::Column::NodeId.in_subquery(spaces_of(self.site.id));
        let level = LevelOn::highest(
            self.site.organization_id,
            |role| self.level_by_role(role).level,
            of_spaces,
        )
        .or_granted(highest_grant_on_site(Expr::val(self.site.id)));
        let has_level = match role {
            Some(Some(role)) => level.rank().eq(rank(Some(role))),
            Some(None) | None => level.is_at_least(1),
        };
        let is_guest = role.filter(Option::is_none).map(|_| members::Column::Role.is_null());
        Condition::all()
            // Disabled members and suspended users have access to nothing.
            .add(members::Column::Disabled.eq(false))
            .add(users::Column::SuspendedAt.is_null())
            .add(has_level)
            .add_option(is_guest)
            .add_option(team.map(|team| self.is_in_team(team)))
    }

    fn is_in_team(&self, team: TeamId) -> Expr {
        let of_team = team_members::Entity::find()
            .select_only()
            .column(team_members::Column::UserId)
            .filter(team_members::Column::OrganizationId.eq(self.site.organization_id))
            .filter(team_members::Column::TeamId.eq(team));
        members::Column::UserId.in_subquery(of_team.into_query())
    }

    /// The highest levels of these people. Three queries.
    pub async fn levels(
        &self,
        db: &impl ReadRows,
        people: &[MemberColumns],
    ) -> Result<HashMap<UserId, SiteLevel>, DbErr> {
        let ids: Vec<UserId> = people.iter().map(|person| person.user.id).collect();
        let granted = self
            .grants(|user, of| of.eq(self.site.organization_id).and(user.is_in(ids.iter().copied())))
            .distinct()
            .columns([(GRANTS, USER), (GRANTS, NODE), (GRANTS, ROLE)])
            .take();
        let granted: Vec<(UserId, NodeId, MemberRole)> = positional::tuples(db, &granted).await?;
        let first = self.first_spaces(db).await?;
        let by_role = |person: &MemberColumns| (person.user.id, self.level_by_role(person.role));
        let mut levels: HashMap<UserId, SiteLevel> = people.iter().map(by_role).collect();
        for (user, node, role) in granted {
            if let (Some(level), Some(space)) = (levels.get_mut(&user), first.get(&node)) {
                *level = level.or_higher(Some(role), LevelOrigin::Space(*space));
            }
        }
        for (user, team, role) in self.on_site(db, ids).await? {
            if let Some(level) = levels.get_mut(&user) {
                *level = level.or_higher(Some(role), LevelOrigin::Site(team));
            }
        }
        Ok(levels)
    }

    /// The permissions on the site that reach these people, each with its team unless it is that of the person.
    async fn on_site(
        &self,
        db: &impl ReadRows,
        people: Vec<UserId>,
    ) -> Result<Vec<(UserId, Option<TeamId>, MemberRole)>, DbErr> {
        use permissions::{Column, Entity};
        let of_site = || Entity::find().select_only().filter(Column::SiteId.eq(self.site.id));
        let mut rows = of_site()
            .columns([Column::UserId, Column::TeamId, Column::Role])
            .filter(Column::UserId.is_in(people.iter().copied()));
        let member = Entity::belongs_to(team_members::Entity)
            .from(Column::TeamId)
            .to(team_members::Column::TeamId)
            .into();
        let by_teams = of_site()
            .column(team_members::Column::UserId)
            .columns([Column::TeamId, Column::Role])
            .join(JoinType::InnerJoin, member)
            .filter(team_members::Column::OrganizationId.eq(self.site.organization_id))
            .filter(team_members::Column::UserId.is_in(people));
        QueryTrait::query(&mut rows).union(UnionType::All, by_teams.into_query());
        positional::tuples(db, rows.as_query()).await
    }

    /// The level of a member without permissions.
    fn level_by_role(&self, role: Option<MemberRole>) -> SiteLevel {
        let in_organization = SiteLevel {
            level: role,
            origin: LevelOrigin::Organization,
        };
        let on_site = in_organization.or_higher(self.site.level_by_default(role), LevelOrigin::Site(None));
        self.spaces.iter().fold(on_site, |level, space| {
            let by_default = level_by_default(role, space.effective_default);
            level.or_higher(by_default, LevelOrigin::Space(space.id))
        })
    }

    /// The permissions on spaces of the site and above them, by the users whom they reach.
    fn grants(&self, condition: impl Fn(Expr, Expr) -> Expr) -> SelectStatement {
        let above = ancestors::Entity::find()
            .select_only()
            .column(ancestors::Column::AncestorId)
            .filter(ancestors::Column::NodeId.in_subquery(spaces_of(self.site.id)))
            .into_query();
        Query::select()
            .from_subquery(grants_by_user(condition), GRANTS)
            .and_where(Expr::col((GRANTS, NODE)).in_subquery(above))
            .take()
    }

    /// The first space of the site that is each node, or is below it.
    async fn first_spaces(&self, db: &impl ReadRows) -> Result<HashMap<NodeId, NodeId>, DbErr> {
        let above = ancestors::Entity::find()
            .select_only()
            .columns([ancestors::Column::AncestorId, ancestors::Column::NodeId])
            .filter(ancestors::Column::NodeId.in_subquery(spaces_of(self.site.id)))
            .order_by_desc(ancestors::Column::NodeId);
        let above: Vec<(NodeId, NodeId)> = positional::tuples(db, above.as_query()).await?;
        Ok(above.into_iter().collect())
    }
}

/// The ids of the spaces of a site.
fn spaces_of(site: SiteId) -> SelectStatement {
    site_spaces::Entity::find()
        .select_only()
        .column(site_spaces::Column::SpaceId)
        .filter(site_spaces::Column::SiteId.eq(site))
        .into_query()
}
