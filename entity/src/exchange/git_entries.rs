//! The files of repositories that are pages, files and reusable contents of spaces, as of the last import or export.

use sea_orm::entity::prelude::*;

use crate::ids::NodeId;

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "git_entries")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub space_id: NodeId,
    /// The id of the page, file or reusable content.
    #[sea_orm(primary_key, auto_increment = false)]
    pub object_id: Uuid,
    pub kind: GitEntryKind,
    /// From the directory of the space in the repository.
    #[sea_orm(column_type = "Text")]
    pub path: String,
    /// The blob.
    #[sea_orm(column_type = "Binary(20)")]
    pub oid: Vec<u8>,
    #[sea_orm(belongs_to, from = "space_id", to = "id", on_delete = "Cascade")]
    pub space: BelongsTo<crate::library::spaces::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum GitEntryKind {
    #[sea_orm(string_value = "page")]
    Page,
    #[sea_orm(string_value = "file")]
    File,
    #[sea_orm(string_value = "content")]
    ReusableContent,
}
