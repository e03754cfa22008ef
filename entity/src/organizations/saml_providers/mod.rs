//! SAML identity providers of organizations.

pub mod assertions;
pub mod identities;
pub mod requests;

use sea_orm::entity::prelude::*;

use crate::{
    ids::{OrganizationId, SamlProviderId, TeamId},
    organizations::members::MemberRole,
    timestamp::Timestamp,
};

/// People can sign in once the three members that tell of the identity provider are there.
#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "saml_providers")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: SamlProviderId,
    pub organization_id: OrganizationId,
    #[sea_orm(column_type = "String(StringLen::N(30))")]
    pub label: String,
    /// Empty: not known yet.
    #[sea_orm(column_type = "String(StringLen::N(1024))")]
    pub entity_id: String,
    /// In PEM. Empty: not known yet.
    #[sea_orm(column_type = "String(StringLen::N(10_000))")]
    pub certificate: String,
    /// Empty: not known yet.
    #[sea_orm(column_type = "String(StringLen::N(2048))")]
    pub sso_url: String,
    /// A team of the organization, which may have been deleted since.
    pub default_team_id: Option<TeamId>,
    /// `None`: guest.
    pub default_role: Option<MemberRole>,
    pub created_at: Timestamp,
    /// The private key to which the provider encrypts, in PKCS #8, sealed with the secret key of the server. `None`: it does not
    /// encrypt.
    #[sea_orm(column_type = "VarBinary(StringLen::N(4096))", nullable)]
    pub encryption_key: Option<Vec<u8>>,
    /// The certificate with the public key, in base64 of DER.
    #[sea_orm(column_type = "String(StringLen::N(4096))", nullable)]
    pub encryption_certificate: Option<String>,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<super::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

impl Model {
    /// Returns whether people can sign in.
    pub fn is_active(&self) -> bool {
        ![&self.entity_id, &self.certificate, &self.sso_url]
            .into_iter()
            .any(String::is_empty)
    }
}
