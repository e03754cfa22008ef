//! Translated segments, which no run pays for again.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{JobId, OrganizationId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "translation_segments")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: OrganizationId,
    /// The hash of the segment, the languages, the instructions and the glossary. One row for each run has another hash: its
    /// text is empty, and its words are those that the run sent beyond the words of its translations.
    #[sea_orm(primary_key, auto_increment = false, column_type = "Binary(32)")]
    pub hash: Vec<u8>,
    #[sea_orm(column_type = "Text")]
    pub text: String,
    /// The words of the segment in the source.
    pub words: i32,
    pub follows_glossary: bool,
    /// The run that translated the segment.
    pub job_id: JobId,
    pub created_at: Timestamp,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<crate::organizations::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
