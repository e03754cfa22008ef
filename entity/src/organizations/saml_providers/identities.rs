//! Which user a person of an identity provider is.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{SamlProviderId, UserId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "saml_identities")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub provider_id: SamlProviderId,
    /// SHA-256 of the entity id of the identity provider and its name of the person.
    #[sea_orm(primary_key, auto_increment = false, column_type = "Binary(32)")]
    pub subject_hash: Vec<u8>,
    #[sea_orm(indexed)]
    pub user_id: UserId,
    pub created_at: Timestamp,
    #[sea_orm(belongs_to, from = "provider_id", to = "id", on_delete = "Cascade")]
    pub provider: BelongsTo<super::Entity>,
    #[sea_orm(belongs_to, from = "user_id", to = "id", on_delete = "Cascade")]
    pub user: BelongsTo<crate::identity::users::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
