//! The members of an organization who reach a site or one of its spaces, each with the highest level and where it comes from.

use std::collections::HashMap;

use entity::{
    identity::users,
    ids::{NodeId, OrganizationId, SiteId, UserId},
    library::nodes::{self, ancestors},
    organizations::members::{self, MemberRole},
    publishing::sites::site_spaces,
};
use platform::db::{Keyset, ReadRows, Scan, positional};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, PartialModelTrait, QueryFilter,
    QueryOrder, QueryResult, QuerySelect, QueryTrait, Select,
    sea_query::{Expr, ExprTrait, Query, SelectStatement},
};

use crate::access::{
    level_sql::{GRANTS, NODE, ROLE, USER, grants_by_user},
    levels::level_by_default,
    rows::UserColumns,
};

/// A member who reaches a site.
pub struct SitePerson {
    pub user: UserColumns,
    role: Option<MemberRole>,
}

impl FromQueryResult for SitePerson {
    fn from_query_result(result: &QueryResult, prefix: &str) -> Result<Self, DbErr> {
        Ok(Self {
            user: UserColumns::from_query_result(result, prefix)?,
            role: result.try_get(prefix, "role")?,
        })
    }
}

/// The highest level of a person. `None` as the space: the role in the organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiteLevel {
    pub level: Option<MemberRole>,
    pub space: Option<NodeId>,
}

impl SiteLevel {
    /// The higher one; of equal ones the first.
    fn or_higher(self, level: Option<MemberRole>, space: NodeId) -> Self {
        if level > self.level {
            return Self {
                level,
                space: Some(space),
            };
        }
        self
    }
}

pub struct PeopleOfSite {
    organization: OrganizationId,
    site: SiteId,
    /// The spaces of the site in the order of their ids.
    spaces: Vec<nodes::Model>,
}

impl PeopleOfSite {
    /// One query.
    pub async fn load(db: &impl ConnectionTrait, organization: OrganizationId, site: SiteId) -> Result<Self, DbErr> {
        let spaces = nodes::Entity::find()
            .filter(nodes::Column::OrganizationId.eq(organization))
            .filter(nodes::Column::DeletedAt.is_null())
            .filter(nodes::Column::Id.in_subquery(spaces_of(site)))
            .order_by_asc(nodes::Column::Id)
            .all(db)
            .await?;
        Ok(Self {
            organization,
            site,
            spaces,
        })
    }

    /// The people in the order of the user ids. No index tells which guests reach the site.
    pub fn scan(&self) -> Scan<members::Entity, impl Fn(Select<members::Entity>) -> Select<members::Entity>> {
        let order = Keyset::ascending([(members::Entity, members::Column::UserId)]);
        let members = members::Entity::find().filter(members::Column::OrganizationId.eq(self.organization));
        Scan::new(members, order, |members| self.among_members(members))
    }

    /// The people of a page.
    pub async fn load_page(db: &impl ConnectionTrait, page: Select<members::Entity>) -> Result<Vec<SitePerson>, DbErr> {
        let columns = UserColumns::select_cols(page.select_only()).column(members::Column::Role);
        columns.into_model::<SitePerson>().all(db).await
    }

    /// All but guests, who need a level on a space.
    fn among_members(&self, members: Select<members::Entity>) -> Select<members::Entity> {
        use members::{Column, Entity};
        let people = members
            .inner_join(users::Entity)
            // Disabled members and suspended users have access to nothing.
            .filter(Column::Disabled.eq(false))
            .filter(users::Column::SuspendedAt.is_null());
        let open_to_guests = |space: &nodes::Model| level_by_default(None, space.effective_default).is_some();
        if self.spaces.iter().any(open_to_guests) {
            return people;
        }
        let member = Expr::col((Entity, Column::UserId));
        // A value for each member, so that a page costs no more when more people have permissions.
        let granted = self
            .grants(|user, of| of.eq(self.organization).and(user.eq(member.clone())))
            .column((GRANTS, NODE))
            .limit(1)
            .take();
        people.filter(
            Condition::any()
                .add(Column::Role.is_not_null())
                .add(Expr::from(granted).is_not_null()),
        )
    }

    /// The highest levels of these people. Two queries.
    pub async fn levels(&self, db: &impl ReadRows, people: &[SitePerson]) -> Result<HashMap<UserId, SiteLevel>, DbErr> {
        let ids: Vec<UserId> = people.iter().map(|person| person.user.id).collect();
        let granted = self
            .grants(|user, of| of.eq(self.organization).and(user.is_in(ids.iter().copied())))
            .distinct()
            .columns([(GRANTS, USER), (GRANTS, NODE), (GRANTS, ROLE)])
            .take();
        let granted: Vec<(UserId, NodeId, MemberRole)> = positional::tuples(db, &granted).await?;
        let first = self.first_spaces(db).await?;
        let by_role = |person: &SitePerson| (person.user.id, self.level_by_role(person.role));
        let mut levels: HashMap<UserId, SiteLevel> = people.iter().map(by_role).collect();
        for (user, node, role) in granted {
            if let (Some(level), Some(space)) = (levels.get_mut(&user), first.get(&node)) {
                *level = level.or_higher(Some(role), *space);
            }
        }
        Ok(levels)
    }

    /// The level of a member without permissions.
    fn level_by_role(&self, role: Option<MemberRole>) -> SiteLevel {
        let in_organization = SiteLevel {
            level: role,
            space: None,
        };
        self.spaces.iter().fold(in_organization, |level, space| {
            level.or_higher(level_by_default(role, space.effective_default), space.id)
        })
    }

    /// The permissions on spaces of the site and above them, by the users whom they reach.
    fn grants(&self, condition: impl Fn(Expr, Expr) -> Expr) -> SelectStatement {
        let above = ancestors::Entity::find()
            .select_only()
            .column(ancestors::Column::AncestorId)
            .filter(ancestors::Column::NodeId.in_subquery(spaces_of(self.site)))
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
            .filter(ancestors::Column::NodeId.in_subquery(spaces_of(self.site)))
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
