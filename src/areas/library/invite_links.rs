//! Invite links with their targets.

use entity::{
    ids::{InviteId, OrganizationId, UserId},
    library::{
        invitations::{Column, Entity, Model},
        nodes,
    },
    timestamp::Timestamp,
};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, Select};

/// A link with its target space or collection. `None`: the organization.
#[derive(Clone)]
pub struct InviteLink {
    pub row: Model,
    pub node: Option<nodes::Model>,
}

impl InviteLink {
    /// Returns whether a user may use the link.
    pub fn is_for(&self, user: UserId) -> bool {
        let bound = self.row.user_id.or(self.row.invitee_id);
        bound.is_none_or(|only| only == user)
    }

    /// Returns whether the link is for one person.
    pub fn is_personal(&self) -> bool {
        self.row.user_id.or(self.row.invitee_id).is_some()
    }
}

pub fn not_expired(organization: OrganizationId, now: Timestamp) -> Select<Entity> {
    Entity::find()
        .filter(Column::OrganizationId.eq(organization))
        .filter(Column::ExpiresAt.gt(now))
}

/// A link that can be used; not one to a deleted space or collection.
pub async fn find(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    invite: InviteId,
    now: Timestamp,
) -> Result<Option<InviteLink>, DbErr> {
    let found = not_expired(organization, now)
        .filter(Column::Id.eq(invite))
        .find_also_related(nodes::Entity)
        .one(db)
        .await?;
    Ok(found.and_then(|(row, node)| {
        let node = node.filter(|node| node.deleted_at.is_none());
        (row.node_id.is_none() || node.is_some()).then_some(InviteLink { row, node })
    }))
}
