//! Access to custom hostnames, and to the organizations and sites that they are to lead to.

use entity::{
    ids::{OrganizationId, SiteId},
    organizations::{
        self,
        members::{Column, Entity, Model},
    },
    publishing::sites::{self, custom_hostnames},
};
use openapi::{error::ApiError, guard::OrganizationLevel};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select,
};

use crate::access::{
    Caller,
    basis::Basis,
    levels::{self, Member},
    sso,
};

/// The claim of an organization that the caller administers to a hostname, preferring the active one. A caller who administers
/// none of the organizations with a claim is refused. `None`: no organization of the caller claims the hostname.
pub async fn find(
    db: &impl ConnectionTrait,
    hostname: &str,
    caller: &Caller,
) -> Result<Option<(custom_hostnames::Model, Basis)>, ApiError> {
    // PostgreSQL refuses texts with NUL, which no hostname has.
    let hostname = hostname.to_lowercase().replace('\0', "?");
    let claims = custom_hostnames::Entity::find()
        .filter(custom_hostnames::Column::Hostname.eq(hostname))
        .filter(custom_hostnames::Column::OrganizationId.in_subquery(organizations_of(caller).into_query()))
        .order_by_asc(custom_hostnames::Column::OrganizationId)
        .all(db)
        .await?;
    let ids = claims.iter().map(|claim| claim.organization_id);
    let members = of_user(caller)
        .filter(Column::OrganizationId.is_in(ids))
        .all(db)
        .await?;
    let claims = claims.into_iter().filter_map(|claim| {
        let mut members = members.iter();
        let membership = members.find(|membership| membership.organization_id == claim.organization_id)?;
        Some((claim, member_of(membership)))
    });
    let best = claims.max_by_key(|(claim, member)| (member.is_admin(), claim.active_hostname.is_some()));
    let Some((claim, member)) = best else {
        return Ok(None);
    };
    levels::require_role(member.role, OrganizationLevel::Admin)?;
    Ok(Some((claim, Basis::Organization(member))))
}

/// The membership of the caller in an organization. `None`: the caller is not an active member.
pub async fn member(
    db: &impl ConnectionTrait,
    organization: Option<OrganizationId>,
    caller: &Caller,
) -> Result<Option<Member>, DbErr> {
    let found = of_user(caller)
        .filter(Column::OrganizationId.eq(organization))
        .one(db)
        .await?;
    Ok(found.as_ref().map(member_of))
}

/// The membership of the caller in the organization of a site. `None`: the caller is not an active member of it.
pub async fn member_of_site(db: &impl ConnectionTrait, site: SiteId, caller: &Caller) -> Result<Option<Member>, DbErr> {
    let organization = sites::Entity::find_by_id(site)
        .select_only()
        .column(sites::Column::OrganizationId);
    let found = of_user(caller).filter(Column::OrganizationId.in_subquery(organization.into_query()));
    Ok(found.one(db).await?.as_ref().map(member_of))
}

fn of_user(caller: &Caller) -> Select<Entity> {
    Entity::find()
        .inner_join(organizations::Entity)
        .filter(Column::UserId.eq(caller.user_id))
        .filter(Column::Disabled.eq(false))
        .filter(sso::counts_for(&caller.identity))
}

fn organizations_of(caller: &Caller) -> Select<Entity> {
    of_user(caller).select_only().column(Column::OrganizationId)
}

fn member_of(row: &Model) -> Member {
    Member::new(row.organization_id, row.user_id, row.role)
}
