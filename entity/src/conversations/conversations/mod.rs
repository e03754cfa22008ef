//! Conversations with customers.

pub mod texts;

use sea_orm::entity::prelude::*;

use crate::{
    ids::{ConversationId, OrganizationId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "conversations")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: ConversationId,
    #[sea_orm(unique_key = "key_of_source")]
    pub organization_id: OrganizationId,
    #[sea_orm(column_type = "String(StringLen::N(255))", unique_key = "key_of_source")]
    pub source: String,
    /// The id of the conversation at its source.
    #[sea_orm(column_type = "String(StringLen::N(255))", unique_key = "key_of_source")]
    pub source_key: String,
    #[sea_orm(column_type = "String(StringLen::N(512))", nullable)]
    pub subject: Option<String>,
    #[sea_orm(column_type = "String(StringLen::N(2048))", nullable)]
    pub url: Option<String>,
    pub created_at: Timestamp,
    pub ingested_at: Timestamp,
    /// `None`: the issues of this version are not found yet.
    pub processed_at: Option<Timestamp>,
    /// The characters of all messages, as they were sent.
    pub length: i64,
    /// Counts the versions, from 1.
    pub version: i32,
    /// What found the issues of the last version that was processed.
    pub method: Option<ConversationMethod>,
    /// The language model that found them.
    #[sea_orm(column_type = "String(StringLen::N(200))", nullable)]
    pub model: Option<String>,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<crate::organizations::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

/// What finds issues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum ConversationMethod {
    #[sea_orm(string_value = "model")]
    Model,
    #[sea_orm(string_value = "extractive")]
    Extractive,
}
