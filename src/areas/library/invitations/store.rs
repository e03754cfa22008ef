//! Invite links in the database; the organization is always part of the query, and expired links are not found.

use std::collections::HashSet;

use chrono::TimeDelta;
use entity::{
    ids::{InviteId, OrganizationId, UserId},
    library::invitations::{Column, Entity, Model},
    organizations::members::MemberRole,
    timestamp::Timestamp,
};
use openapi::error::{ApiError, ErrorType};
use platform::db::rows;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, QuerySelect,
    Select, sea_query::Expr,
};

use crate::{
    areas::{library::invite_links::not_expired, organizations::organizations},
    kernel::Kernel,
};

/// The lifetime of a link, as the contract names it.
const LINK_TTL: TimeDelta = TimeDelta::days(30);

/// The time at which a link that is created now expires.
pub fn expiry(now: Timestamp) -> Timestamp {
    now.plus(LINK_TTL)
}

/// The links to the organization itself.
pub fn to_organization(organization: OrganizationId, now: Timestamp) -> Select<Entity> {
    not_expired(organization, now).filter(Column::NodeId.is_null())
}

/// The users of a list who are asked to join, and whose invitation has not expired.
pub async fn asked(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    users: Vec<UserId>,
    now: Timestamp,
) -> Result<HashSet<UserId>, DbErr> {
    let query = not_expired(organization, now)
        .select_only()
        .column(Column::InviteeId)
        .filter(Column::InviteeId.is_in(users));
    Ok(query.into_tuple::<UserId>().all(db).await?.into_iter().collect())
}

/// Removes the invitations of users who were asked to join, expired ones too.
pub async fn remove_asked(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    users: Vec<UserId>,
) -> Result<(), DbErr> {
    Entity::delete_many()
        .filter(Column::OrganizationId.eq(organization))
        .filter(Column::InviteeId.is_in(users))
        .exec(db)
        .await?;
    Ok(())
}

pub async fn insert(db: &impl ConnectionTrait, rows: Vec<Model>) -> Result<(), DbErr> {
    if rows.is_empty() {
        return Ok(());
    }
    let rows = rows.into_iter().map(|row| row.into_active_model().reset_all());
    Entity::insert_many(rows).exec_without_returning(db).await?;
    Ok(())
}

pub async fn set_role(db: &impl ConnectionTrait, invite: InviteId, role: Option<MemberRole>) -> Result<(), DbErr> {
    Entity::update_many()
        .col_expr(Column::Role, Expr::value(role))
        .filter(Column::Id.eq(invite))
        .exec(db)
        .await?;
    Ok(())
}

pub async fn remove(db: &impl ConnectionTrait, invite: InviteId) -> Result<(), DbErr> {
    Entity::delete_by_id(invite).exec(db).await?;
    Ok(())
}

/// Refuses while the organization does not allow invite links.
pub async fn require_allowed(db: &impl ConnectionTrait, organization: OrganizationId) -> Result<(), ApiError> {
    let found = organizations::store::find(db, organization).await?;
    let organization = found.ok_or_else(|| ApiError::not_found("organization"))?;
    if !organization.invite_links {
        let message = "The organization does not allow invite links.";
        return Err(ApiError::new(ErrorType::InviteLinksOff, message));
    }
    Ok(())
}

/// Removes expired links; run by a job, not by requests.
pub async fn purge(kernel: &Kernel) -> Result<(), DbErr> {
    let expired = Entity::find().filter(Column::ExpiresAt.lte(kernel.clock.now()));
    rows::remove_in_steps(&kernel.db, expired).await
}
