//! Endpoints of organizations that receive events.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{OrganizationId, WebhookId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "webhooks")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: WebhookId,
    pub organization_id: OrganizationId,
    #[sea_orm(column_type = "String(StringLen::N(2048))")]
    pub url: String,
    /// A list of texts, as on the wire.
    #[sea_orm(column_type = "Json")]
    pub event_types: Json,
    pub enabled: bool,
    /// The key of signatures, sealed with the secret key of the server.
    #[sea_orm(column_type = "Blob")]
    pub secret: Vec<u8>,
    /// A list of the keys that were replaced and sign too for a time, the newest first.
    #[sea_orm(column_type = "Json")]
    pub previous_secrets: Json,
    /// The first failure since the last success.
    pub failing_since: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<crate::organizations::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
