//! Taking a member out of an organization.

use entity::{
    ids::{OrganizationId, UserId},
    members::{Entity, MemberRole},
};
use platform::errors::WriteError;
use sea_orm::{ConnectionTrait, EntityTrait};

use crate::teams;

use super::store;

/// Removes a member with their places in teams. Answers whether there was one.
pub async fn remove(db: &impl ConnectionTrait, organization: OrganizationId, user: UserId) -> Result<bool, WriteError> {
    let Some(member) = store::find(db, organization, user).await? else {
        return Ok(false);
    };
    if member.role == Some(MemberRole::Admin) {
        store::require_other_admin(db, organization, user).await?;
    }
    teams::store::count_out_member(db, organization, user).await?;
    // The places in teams go with the member: the foreign key cascades.
    Entity::delete_by_id((organization, user)).exec(db).await?;
    store::change_members_count(db, organization, -1).await?;
    Ok(true)
}
