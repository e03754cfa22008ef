//! What the pages that are computed from a version need to know of its document.

use sea_orm::entity::prelude::*;

use crate::ids::OpenapiSpecVersionId;

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "openapi_spec_outlines")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub version_id: OpenapiSpecVersionId,
    /// JSON, which is made anew from the document if it is not there.
    #[sea_orm(column_type = "Text")]
    pub outline: String,
    #[sea_orm(belongs_to, from = "version_id", to = "id", on_delete = "Cascade")]
    pub version: BelongsTo<super::versions::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
