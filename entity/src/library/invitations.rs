//! Links by which people join an organization, or get at one of its spaces or collections.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{InviteId, NodeId, OrganizationId, UserId},
    organizations::members::MemberRole,
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "invitations")]
pub struct Model {
    /// Whoever knows it can join: nobody can guess it.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: InviteId,
    #[sea_orm(unique_key = "organization_user")]
    pub organization_id: OrganizationId,
    /// The role in the organization, or the level on the node. `None`: guest, or no permission on the node.
    pub role: Option<MemberRole>,
    /// The space or collection to which the link invites. `None`: the organization.
    pub node_id: Option<NodeId>,
    /// The only member who can use a personal invite.
    #[sea_orm(unique_key = "organization_user")]
    pub user_id: Option<UserId>,
    /// Somebody who is asked to join and is no member yet.
    pub invitee_id: Option<UserId>,
    /// `true`: the invitee signs in through the identity provider.
    #[sea_orm(default_value = false)]
    pub sso: bool,
    /// Where the personal invite was sent.
    #[sea_orm(column_type = "String(StringLen::N(320))", nullable)]
    pub email: Option<String>,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    pub created_by: UserId,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<crate::organizations::Entity>,
    #[sea_orm(
        belongs_to,
        from = "(organization_id, node_id)",
        to = "(organization_id, id)",
        on_delete = "Cascade"
    )]
    pub node: BelongsTo<Option<crate::library::nodes::Entity>>,
    /// Leaving the organization ends the personal invite to it.
    #[sea_orm(
        belongs_to,
        from = "(organization_id, user_id)",
        to = "(organization_id, user_id)",
        on_delete = "Cascade"
    )]
    pub member: BelongsTo<Option<crate::organizations::members::Entity>>,
    #[sea_orm(
        belongs_to,
        relation_enum = "Invitee",
        from = "invitee_id",
        to = "id",
        on_update = "Cascade",
        on_delete = "Cascade"
    )]
    pub invitee: BelongsTo<Option<crate::identity::users::Entity>>,
    #[sea_orm(
        belongs_to,
        relation_enum = "Creator",
        from = "created_by",
        to = "id",
        on_delete = "Cascade"
    )]
    pub creator: BelongsTo<crate::identity::users::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
