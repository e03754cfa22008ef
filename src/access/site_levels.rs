//! The level of members on sites: the highest one of their role in the organization, of the default level of the site, and of the
//! permissions on the site, which are given to them or to one of their teams.

use std::collections::HashMap;

use entity::{
    ids::SiteId,
    library::nodes::DefaultLevel,
    organizations::members::MemberRole,
    publishing::sites::{
        self,
        permissions::{Column, Entity},
    },
};
use openapi::{error::ApiError, guard::OrganizationLevel};
use platform::db::{ReadRows, positional};
use sea_orm::{
    ColumnTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait, Select,
    sea_query::{SelectStatement, UnionType},
};

use super::{
    level_sql::teams_of,
    levels::{Member, of_role, role_name},
};

/// The level of a member on a site of the organization. `None`: a guest without a permission.
pub async fn level(db: &impl ReadRows, member: &Member, site: SiteId) -> Result<Option<MemberRole>, DbErr> {
    Ok(levels(db, member, vec![site]).await?.on(site))
}

/// The levels of one member on some sites.
pub struct SiteLevels {
    role: Option<MemberRole>,
    /// By permissions, or by default.
    granted: HashMap<SiteId, MemberRole>,
}

impl SiteLevels {
    /// The level of the member on one of these sites.
    pub fn on(&self, site: SiteId) -> Option<MemberRole> {
        Ord::max(self.role, self.granted.get(&site).copied())
    }
}

/// The levels of a member on these sites of the organization. One query, and no query for admins.
pub async fn levels(db: &impl ReadRows, member: &Member, sites: Vec<SiteId>) -> Result<SiteLevels, DbErr> {
    let mut levels = SiteLevels {
        role: member.role,
        granted: HashMap::new(),
    };
    if member.is_admin() || sites.is_empty() {
        return Ok(levels);
    }
    let [mut rows, by_teams] = grants_to(member).map(|grants| {
        grants
            .select_only()
            .column(Column::SiteId)
            .column(Column::Role)
            .filter(Column::SiteId.is_in(sites.iter().copied()))
    });
    QueryTrait::query(&mut rows).union(UnionType::Distinct, by_teams.into_query());
    if member.role.is_some() {
        QueryTrait::query(&mut rows).union(UnionType::Distinct, by_default(&sites));
    }
    let rows: Vec<(SiteId, MemberRole)> = positional::tuples(db, rows.as_query()).await?;
    for (site, role) in rows {
        let known = levels.granted.entry(site).or_insert(role);
        *known = Ord::max(role, *known);
    }
    Ok(levels)
}

/// The default levels of these sites, of those that have one of their own.
fn by_default(sites: &[SiteId]) -> SelectStatement {
    use sites::{Column, Entity};
    Entity::find()
        .select_only()
        .columns([Column::Id, Column::DefaultLevel])
        .filter(Column::Id.is_in(sites.iter().copied()))
        .filter(Column::DefaultLevel.ne(DefaultLevel::Inherit))
        .into_query()
}

/// The permissions that reach a member: those of the member, and those of their teams.
pub fn grants_to(member: &Member) -> [Select<Entity>; 2] {
    let own = Column::UserId.eq(member.user);
    let by_teams = Column::TeamId.in_subquery(teams_of(member));
    [own, by_teams].map(|subject| {
        Entity::find()
            .filter(Column::OrganizationId.eq(member.organization))
            .filter(subject)
    })
}

/// Requires a level on a site.
pub fn require(level: Option<MemberRole>, needed: OrganizationLevel) -> Result<(), ApiError> {
    if of_role(level) < needed {
        let needed = role_name(needed);
        let message = format!("Requires the role `{needed}` in the organization, or `{needed}` on the site.");
        return Err(ApiError::forbidden(message));
    }
    Ok(())
}
