//! Assertions that were used, for as long as they could be used again.

use sea_orm::entity::prelude::*;

use crate::{ids::SamlProviderId, timestamp::Timestamp};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "saml_assertions")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub provider_id: SamlProviderId,
    /// SHA-256 of the id.
    #[sea_orm(primary_key, auto_increment = false, column_type = "Binary(32)")]
    pub hash: Vec<u8>,
    #[sea_orm(indexed)]
    pub expires_at: Timestamp,
    #[sea_orm(belongs_to, from = "provider_id", to = "id", on_delete = "Cascade")]
    pub provider: BelongsTo<super::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
