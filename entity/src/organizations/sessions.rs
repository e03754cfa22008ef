//! Sessions of members in browsers. The secret itself is never stored.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{OrganizationId, SamlProviderId, SessionId, UserId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "sessions")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: SessionId,
    /// SHA-256 of the secret: enough for 256 random bits.
    #[sea_orm(unique, column_type = "Binary(32)")]
    pub hash: Vec<u8>,
    pub user_id: UserId,
    /// The organization whose provider let the person in. Whoever leaves it loses the session.
    pub organization_id: OrganizationId,
    pub provider_id: SamlProviderId,
    pub created_at: Timestamp,
    /// Kept up to some minutes.
    pub last_seen_at: Timestamp,
    #[sea_orm(indexed)]
    pub expires_at: Timestamp,
    #[sea_orm(
        belongs_to,
        from = "(organization_id, user_id)",
        to = "(organization_id, user_id)",
        on_delete = "Cascade"
    )]
    pub member: BelongsTo<crate::organizations::members::Entity>,
    #[sea_orm(belongs_to, from = "provider_id", to = "id", on_delete = "Cascade")]
    pub provider: BelongsTo<crate::organizations::saml_providers::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
