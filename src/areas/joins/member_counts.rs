//! The numbers of spaces and sites that members see.

use std::collections::HashMap;

use entity::{
    ids::{OrganizationId, UserId},
    organizations::members::MemberRole,
    publishing::sites::{Column, Entity},
};
use platform::db::ReadRows;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter};

use crate::access::space_counts::count_visible_spaces;

pub struct MemberCounts {
    spaces: HashMap<UserId, u64>,
    /// All sites of the organization.
    sites: u64,
}

impl MemberCounts {
    /// The numbers for these members, given with their roles. Two queries.
    pub async fn of(
        db: &impl ReadRows,
        organization: OrganizationId,
        members: impl Iterator<Item = (UserId, Option<MemberRole>)>,
    ) -> Result<Self, DbErr> {
        let sites = Entity::find().filter(Column::OrganizationId.eq(organization));
        Ok(Self {
            spaces: count_visible_spaces(db, organization, members).await?,
            sites: sites.count(db).await?,
        })
    }

    /// The numbers of spaces and of sites of a member. Guests see no sites.
    pub fn of_member(&self, user: UserId, role: Option<MemberRole>) -> (u64, u64) {
        let spaces = self.spaces.get(&user).copied().unwrap_or_default();
        (spaces, role.map_or(0, |_| self.sites))
    }
}
