//! OpenAPI specifications of organizations: where they come from, and what became of the last processing.

pub mod outlines;
pub mod versions;

use sea_orm::entity::prelude::*;

use crate::{
    ids::{OpenapiSpecId, OpenapiSpecVersionId, OrganizationId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "openapi_specs")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: OpenapiSpecId,
    pub organization_id: OrganizationId,
    #[sea_orm(column_type = "String(StringLen::N(100))")]
    pub slug: String,
    /// Where the source is fetched from. `None`: the source is a text.
    #[sea_orm(column_type = "String(StringLen::N(2048))", nullable)]
    pub source_url: Option<String>,
    /// The blob of a source that is a text.
    #[sea_orm(column_type = "Binary(32)", nullable)]
    pub source_hash: Option<Vec<u8>>,
    /// Counts the times that the source was set: what was processed before has no effect.
    pub source_number: i32,
    /// The tag of the fetched source that was processed last, if nothing else was fetched.
    #[sea_orm(column_type = "Text", nullable)]
    pub source_tag: Option<String>,
    pub visibility: OpenapiSpecVisibility,
    pub processing_state: OpenapiSpecProcessingState,
    /// Of the versions that follow, without a reference to them: versions refer to this row.
    pub last_version_id: Option<OpenapiSpecVersionId>,
    pub last_processed_at: Option<Timestamp>,
    pub error_code: Option<OpenapiSpecErrorCode>,
    /// As in the contract; empty if the last processing succeeded.
    #[sea_orm(column_type = "Json")]
    pub errors: Json,
    /// All of them; `errors` has the first ones.
    pub error_count: i32,
    /// When the source is fetched again. `None`: never.
    pub next_fetch_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<crate::organizations::Entity>,
    /// Keeps the blob from being dropped.
    #[sea_orm(belongs_to, from = "source_hash", to = "hash")]
    pub source: BelongsTo<Option<crate::platform::blobs::Entity>>,
}

impl ActiveModelBehavior for ActiveModel {}

/// Who may read the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum OpenapiSpecVisibility {
    #[sea_orm(string_value = "private")]
    Private,
    #[sea_orm(string_value = "public")]
    Public,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum OpenapiSpecProcessingState {
    #[sea_orm(string_value = "pending")]
    Pending,
    #[sea_orm(string_value = "progress")]
    Progress,
    #[sea_orm(string_value = "complete")]
    Complete,
}

/// Why the last processing failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum OpenapiSpecErrorCode {
    #[sea_orm(string_value = "FETCH_TIMEOUT")]
    FetchTimeout,
    #[sea_orm(string_value = "FETCH_ERROR")]
    FetchError,
    #[sea_orm(string_value = "PARSE_ERROR")]
    ParseError,
}
