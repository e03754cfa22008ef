//! Requests to identity providers that have not been answered, or whose answer the browser has not come back with.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{SamlProviderId, SamlRequestId, UserId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "saml_requests")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: SamlRequestId,
    pub provider_id: SamlProviderId,
    /// SHA-256 of the secret that the browser keeps in a cookie.
    #[sea_orm(column_type = "Binary(32)")]
    pub browser_hash: Vec<u8>,
    /// A path of this server.
    #[sea_orm(column_type = "String(StringLen::N(2048))")]
    pub return_to: String,
    /// Who signs in. `None`: not answered yet.
    pub user_id: Option<UserId>,
    /// SHA-256 of the code with which the browser comes back.
    #[sea_orm(unique, column_type = "Binary(32)", nullable)]
    pub code_hash: Option<Vec<u8>>,
    #[sea_orm(indexed)]
    pub expires_at: Timestamp,
    #[sea_orm(belongs_to, from = "provider_id", to = "id", on_delete = "Cascade")]
    pub provider: BelongsTo<super::Entity>,
    #[sea_orm(belongs_to, from = "user_id", to = "id", on_delete = "Cascade")]
    pub user: BelongsTo<Option<crate::users::Entity>>,
}

impl ActiveModelBehavior for ActiveModel {}
