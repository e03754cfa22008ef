//! The authentication of the visitors of a site. The key that signs their tokens is derived from its number, not stored.

use sea_orm::entity::prelude::*;

use crate::ids::{SamlProviderId, SiteId};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "site_publishing_auth")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub site_id: SiteId,
    pub backend: VisitorAuthBackend,
    /// Counts the keys: a new one ends all tokens of the former.
    pub key_number: i32,
    /// The address that visitors without a valid token are sent to.
    #[sea_orm(column_type = "String(StringLen::N(2048))", nullable)]
    pub fallback_url: Option<String>,
    /// The address at which visitors sign out of what signs their tokens.
    #[sea_orm(column_type = "String(StringLen::N(2048))", nullable)]
    pub logout_url: Option<String>,
    /// The provider at which visitors without a valid token sign in.
    #[sea_orm(indexed)]
    pub saml_provider_id: Option<SamlProviderId>,
    #[sea_orm(belongs_to, from = "site_id", to = "id", on_delete = "Cascade")]
    pub site: BelongsTo<super::Entity>,
    #[sea_orm(belongs_to, from = "saml_provider_id", to = "id", on_delete = "SetNull")]
    pub saml_provider: BelongsTo<Option<crate::organizations::saml_providers::Entity>>,
}

crate::stored_row! {
    site_id,
    backend,
    key_number,
    fallback_url,
    logout_url,
    saml_provider_id,
}

impl ActiveModelBehavior for ActiveModel {}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum VisitorAuthBackend {
    #[sea_orm(string_value = "custom")]
    Custom,
    #[sea_orm(string_value = "integration")]
    Integration,
}
