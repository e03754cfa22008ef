//! Requests to identity providers that were answered, for as long as another answer to them could come.

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
    /// Who signs in.
    pub user_id: UserId,
    /// SHA-256 of the entity id of the identity provider and its name of the person, if it is to be linked with the user.
    #[sea_orm(column_type = "Binary(32)", nullable)]
    pub subject_hash: Option<Vec<u8>>,
    /// Whether the person has yet to prove that the account of the user is theirs.
    pub unproven: bool,
    /// Whether a code that proves it was mailed to the address of the account.
    #[sea_orm(default_value = false)]
    pub mailed: bool,
    /// SHA-256 of the code with which the browser comes back. `None`: the browser has come back.
    #[sea_orm(unique, column_type = "Binary(32)", nullable)]
    pub code_hash: Option<Vec<u8>>,
    pub code_expires_at: Timestamp,
    #[sea_orm(indexed)]
    pub expires_at: Timestamp,
    #[sea_orm(belongs_to, from = "provider_id", to = "id", on_delete = "Cascade")]
    pub provider: BelongsTo<super::Entity>,
    #[sea_orm(belongs_to, from = "user_id", to = "id", on_delete = "Cascade")]
    pub user: BelongsTo<crate::identity::users::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
