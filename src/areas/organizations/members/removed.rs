//! Who was removed from an organization by somebody else. They come back when they are let in again by name: neither the domain of
//! their address, nor a link for everybody, nor an identity provider undoes what an admin has done.

use entity::{
    ids::{OrganizationId, UserId},
    organizations::removed_members::{Column, Entity, Model},
    timestamp::Timestamp,
};
use platform::db::rows;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};

pub async fn note(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    user: UserId,
    now: Timestamp,
) -> Result<(), DbErr> {
    let row = Model {
        organization_id: organization,
        user_id: user,
        removed_at: now,
    };
    rows::put(db, &row).await
}

pub async fn is_noted(db: &impl ConnectionTrait, organization: OrganizationId, user: UserId) -> Result<bool, DbErr> {
    Ok(Entity::find_by_id((organization, user)).one(db).await?.is_some())
}

/// The organizations from which a user was removed.
pub async fn of_user(db: &impl ConnectionTrait, user: UserId) -> Result<Vec<OrganizationId>, DbErr> {
    let query = Entity::find().select_only().column(Column::OrganizationId);
    query.filter(Column::UserId.eq(user)).into_tuple().all(db).await
}

/// Forgets the removal of users who are members again.
pub async fn forget(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    users: impl IntoIterator<Item = UserId>,
) -> Result<(), DbErr> {
    Entity::delete_many()
        .filter(Column::OrganizationId.eq(organization))
        .filter(Column::UserId.is_in(users))
        .exec(db)
        .await?;
    Ok(())
}
