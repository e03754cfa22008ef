//! Integrations as callers see them, for the guard.

use std::sync::Arc;

use entity::{
    integrations::{Column, Entity, IntegrationVisibility, Model, installations},
    organizations::members::{self, MemberRole},
};
use openapi::error::ApiError;
use platform::db::rows;
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait, Select,
};

use crate::{
    access::{Caller, SiteReader, basis::Basis, grants::name_caller, levels::Member},
    areas::organizations::organizations,
};

/// An integration that a caller sees.
pub struct SeenIntegration {
    pub row: Model,
    /// The caller in the organization that owns the integration. `None`: not a member.
    pub owner: Option<Member>,
}

/// Finds an integration by its name, which is unique on the server.
pub async fn find_by_name(db: &impl ConnectionTrait, name: &str) -> Result<Option<Model>, DbErr> {
    // PostgreSQL refuses texts with NUL, which no name has.
    if name.contains('\0') {
        return Ok(None);
    }
    Entity::find().filter(Column::Name.eq(name)).one(db).await
}

/// `None`: the caller does not see the integration, or it does not exist.
pub async fn find(db: &impl ConnectionTrait, caller: &Caller, name: &str) -> Result<Option<SeenIntegration>, DbErr> {
    let Some(row) = find_by_name(db, name).await? else {
        return Ok(None);
    };
    let memberships = memberships(caller, &row).all(db).await?;
    let calling = caller.identity.integration.as_ref();
    let is_own = calling.is_some_and(|calling| calling.id == row.id);
    let is_seen = match row.visibility {
        IntegrationVisibility::Public | IntegrationVisibility::Unlisted => true,
        IntegrationVisibility::Private => is_own || memberships.iter().any(|member| member.role.is_some()),
    };
    let owner = memberships
        .iter()
        .find(|member| member.organization_id == row.organization_id);
    let owner = owner.map(member_of);
    Ok(is_seen.then_some(SeenIntegration { row, owner }))
}

/// Finds an integration that a caller sees, or of which the caller sees blocks as a guest. `None`: neither, or it does not exist.
pub async fn find_for_rendering(
    db: &impl ConnectionTrait,
    caller: &Caller,
    name: &str,
) -> Result<Option<Model>, DbErr> {
    let Some(row) = find_by_name(db, name).await? else {
        return Ok(None);
    };
    let is_seen = match row.visibility {
        IntegrationVisibility::Public | IntegrationVisibility::Unlisted => true,
        IntegrationVisibility::Private => rows::is_any(db, memberships(caller, &row)).await?,
    };
    Ok(is_seen.then_some(row))
}

/// The memberships of a caller in the organization that owns an integration, and in those on which it is installed.
fn memberships(caller: &Caller, row: &Model) -> Select<members::Entity> {
    let installed = installations::Entity::find()
        .select_only()
        .column(installations::Column::OrganizationId)
        .filter(installations::Column::IntegrationId.eq(row.id));
    let concerned = Condition::any()
        .add(members::Column::OrganizationId.eq(row.organization_id))
        .add(members::Column::OrganizationId.in_subquery(installed.into_query()));
    organizations::store::memberships(caller).filter(concerned)
}

/// Requires an admin of the organization that owns the integration.
pub fn allow_admin(caller: Caller, owner: Option<Member>) -> Result<Caller, ApiError> {
    match owner {
        Some(member) if member.role == Some(MemberRole::Admin) => Ok(caller.allowed_by(Basis::Organization(member))),
        _ => Err(ApiError::forbidden(
            "This needs the role admin in the organization that owns the integration.",
        )),
    }
}

/// Requires a token of the integration itself.
pub fn require_own_token(caller: &Caller, row: &Model) -> Result<(), ApiError> {
    match caller.integration() == Some(row.id) {
        true => Ok(()),
        false => Err(ApiError::forbidden("This needs a token of the integration.")),
    }
}

pub fn member_of(row: &members::Model) -> Member {
    Member::new(row.organization_id, row.user_id, row.role)
}

/// The caller sees the integration.
pub struct IntegrationAccess {
    pub caller: Caller,
    pub row: Model,
    /// The caller in the organization that owns the integration. `None`: not a member.
    pub owner: Option<Member>,
}

/// The caller may see components of the integration, where it is installed.
pub struct RenderedIntegrationAccess {
    pub caller: Caller,
    pub row: Model,
    /// The site whose visitor the caller is. `None`: the caller is a user.
    pub site: Option<Arc<dyn SiteReader>>,
}

impl RenderedIntegrationAccess {
    /// The access of a visitor of a site.
    pub async fn of_visitor(
        db: &impl ConnectionTrait,
        caller: Caller,
        site: Arc<dyn SiteReader>,
        name: &str,
    ) -> Result<Self, ApiError> {
        let row = find_by_name(db, name).await?;
        Ok(Self {
            caller,
            row: row.ok_or_else(|| ApiError::not_found("integration"))?,
            site: Some(site),
        })
    }
}

/// The caller is an admin of the owner of the integration, or does not see an integration with the name.
pub struct DeletableIntegrationAccess {
    pub caller: Caller,
    pub row: Option<Model>,
}

/// The caller is an admin of the organization in which an integration is to be published.
pub struct IntegrationPublisherAccess {
    pub caller: Caller,
    pub member: Member,
}

name_caller!(
    IntegrationAccess,
    RenderedIntegrationAccess,
    DeletableIntegrationAccess,
    IntegrationPublisherAccess
);
