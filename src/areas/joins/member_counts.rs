//! The numbers of spaces and sites that members see.

use std::collections::HashMap;

use entity::{
    ids::{OrganizationId, UserId},
    organizations::{self, members::MemberRole, teams::members as team_members},
    publishing::sites::permissions,
};
use platform::db::{ReadRows, count, positional};
use sea_orm::{
    DbErr,
    sea_query::{Expr, ExprTrait, Query, SelectStatement, UnionType},
};

use crate::access::{
    level_sql::{GRANTS, USER},
    space_counts::count_visible_spaces,
};

const SITE: &str = "site_id";

pub struct MemberCounts {
    spaces: HashMap<UserId, u64>,
    /// Under `None` all sites of the organization, under guests those with a permission for them.
    sites: HashMap<Option<UserId>, u64>,
}

impl MemberCounts {
    /// The numbers for these members, given with their roles. Two queries.
    pub async fn of(
        db: &impl ReadRows,
        organization: OrganizationId,
        members: impl Iterator<Item = (UserId, Option<MemberRole>)>,
    ) -> Result<Self, DbErr> {
        let members: Vec<(UserId, Option<MemberRole>)> = members.collect();
        let guests = members.iter().filter(|(_, role)| role.is_none());
        let sites = sites(organization, guests.map(|(user, _)| *user).collect());
        let sites: Vec<(Option<UserId>, i64)> = positional::tuples(db, &sites).await?;
        Ok(Self {
            spaces: count_visible_spaces(db, organization, members.into_iter()).await?,
            sites: sites.into_iter().map(|(user, sites)| (user, count(sites))).collect(),
        })
    }

    /// The numbers of spaces and of sites of a member.
    pub fn of_member(&self, user: UserId, role: Option<MemberRole>) -> (u64, u64) {
        let spaces = self.spaces.get(&user).copied().unwrap_or_default();
        let guest = role.is_none().then_some(user);
        (spaces, self.sites.get(&guest).copied().unwrap_or_default())
    }
}

/// The number of all sites of an organization, which is kept, and the numbers of sites with a permission for each guest.
fn sites(organization: OrganizationId, guests: Vec<UserId>) -> SelectStatement {
    let kept = |column| Expr::col((organizations::Entity, column));
    let mut all = Query::select()
        .expr_as(Expr::val(None::<UserId>), USER)
        .expr(kept(organizations::Column::SitesCount).cast_as("bigint"))
        .from(organizations::Entity)
        .and_where(kept(organizations::Column::Id).eq(organization))
        .take();
    if guests.is_empty() {
        return all;
    }
    let granted = Query::select()
        .column((GRANTS, USER))
        .expr(Expr::col((GRANTS, SITE)).count_distinct())
        .from_subquery(grants(organization, &guests), GRANTS)
        .group_by_col((GRANTS, USER))
        .take();
    all.union(UnionType::All, granted).take()
}

/// The permissions on sites by the users whom they reach, directly or as members of a team.
fn grants(organization: OrganizationId, users: &[UserId]) -> SelectStatement {
    use permissions::{Column, Entity};
    let column = |column| Expr::col((Entity, column));
    let select = |user: Expr| {
        Query::select()
            .expr_as(user.clone(), USER)
            .expr_as(column(Column::SiteId), SITE)
            .from(Entity)
            .and_where(column(Column::OrganizationId).eq(organization))
            .and_where(user.is_in(users.iter().copied()))
            .take()
    };
    let of_team = column(Column::TeamId).equals((team_members::Entity, team_members::Column::TeamId));
    let by_team = select(Expr::col((team_members::Entity, team_members::Column::UserId)))
        .inner_join(team_members::Entity, of_team)
        .take();
    select(column(Column::UserId)).union(UnionType::All, by_team).take()
}
