//! The documents that the processing of a specification made, one for each content.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{OpenapiSpecId, OpenapiSpecVersionId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "openapi_spec_versions")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: OpenapiSpecVersionId,
    pub spec_id: OpenapiSpecId,
    /// The blob of the processed document.
    #[sea_orm(column_type = "Binary(32)")]
    pub hash: Vec<u8>,
    /// The blob of the document with its descriptions as HTML beside them, for renderers.
    #[sea_orm(column_type = "Binary(32)")]
    pub content_hash: Vec<u8>,
    /// The blob of the source, without the documents that it refers to.
    #[sea_orm(column_type = "Binary(32)")]
    pub source_hash: Vec<u8>,
    /// `false`: YAML.
    pub source_is_json: bool,
    pub created_at: Timestamp,
    #[sea_orm(belongs_to, from = "spec_id", to = "id", on_delete = "Cascade")]
    pub spec: BelongsTo<super::Entity>,
    /// Keeps the blob from being dropped.
    #[sea_orm(belongs_to, relation_enum = "Blob", from = "hash", to = "hash")]
    pub blob: BelongsTo<crate::platform::blobs::Entity>,
    #[sea_orm(belongs_to, relation_enum = "Content", from = "content_hash", to = "hash")]
    pub content: BelongsTo<crate::platform::blobs::Entity>,
    #[sea_orm(belongs_to, relation_enum = "Source", from = "source_hash", to = "hash")]
    pub source: BelongsTo<crate::platform::blobs::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
