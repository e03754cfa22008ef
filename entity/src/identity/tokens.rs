//! API tokens of users. The secret itself is never stored.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{SamlProviderId, SessionId, TokenId, UserId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "api_tokens")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: TokenId,
    pub user_id: UserId,
    #[sea_orm(column_type = "String(StringLen::N(50))")]
    pub label: String,
    /// SHA-256 of the secret: enough for 256 random bits.
    #[sea_orm(unique, column_type = "Binary(32)")]
    pub hash: Vec<u8>,
    /// The end of the secret, for people to tell their tokens apart.
    #[sea_orm(column_type = "String(StringLen::N(8))")]
    pub hint: String,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub last_used_at: Option<Timestamp>,
    /// The provider that its user had signed in at when it was made. The token ends with it.
    #[sea_orm(indexed)]
    pub saml_provider_id: Option<SamlProviderId>,
    /// The session that the token ends with.
    #[sea_orm(indexed)]
    pub session_id: Option<SessionId>,
    #[sea_orm(belongs_to, from = "user_id", to = "id", on_delete = "Cascade")]
    pub user: BelongsTo<crate::identity::users::Entity>,
    #[sea_orm(belongs_to, from = "saml_provider_id", to = "id", on_delete = "Cascade")]
    pub saml_provider: BelongsTo<Option<crate::organizations::saml_providers::Entity>>,
    #[sea_orm(belongs_to, from = "session_id", to = "id", on_delete = "Cascade")]
    pub session: BelongsTo<Option<crate::organizations::sessions::Entity>>,
}

impl ActiveModelBehavior for ActiveModel {}
