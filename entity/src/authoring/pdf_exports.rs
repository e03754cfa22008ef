//! PDFs of spaces, change requests and pages.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{NodeId, OrganizationId, PdfExportId, RevisionId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "pdf_exports")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: PdfExportId,
    pub organization_id: OrganizationId,
    #[sea_orm(unique_key = "fingerprint_in_space")]
    pub space_id: NodeId,
    /// The hash of everything that the PDF depends on.
    #[sea_orm(column_type = "Binary(32)", unique_key = "fingerprint_in_space")]
    pub fingerprint: Vec<u8>,
    pub revision_id: RevisionId,
    /// The part of the revision, and its reader. Null once the export has ended: claims of visitors are kept no longer.
    #[sea_orm(column_type = "Json", nullable)]
    pub parameters: Option<Json>,
    pub state: PdfExportState,
    /// The blob of the PDF.
    #[sea_orm(column_type = "Binary(32)", nullable)]
    pub hash: Option<Vec<u8>>,
    /// Why there is no PDF.
    #[sea_orm(column_type = "Text", nullable)]
    pub problem: Option<String>,
    #[sea_orm(column_type = "String(StringLen::N(320))")]
    pub file_name: String,
    pub created_at: Timestamp,
    /// Not before the last request for the export, give or take an hour.
    pub used_at: Timestamp,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<crate::organizations::Entity>,
    #[sea_orm(belongs_to, from = "space_id", to = "id", on_delete = "Cascade")]
    pub space: BelongsTo<crate::library::spaces::Entity>,
    /// Keeps the blob from being dropped.
    #[sea_orm(belongs_to, from = "hash", to = "hash")]
    pub blob: BelongsTo<Option<crate::platform::blobs::Entity>>,
}

impl ActiveModelBehavior for ActiveModel {}

/// The state of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum PdfExportState {
    #[sea_orm(string_value = "queued")]
    Queued,
    #[sea_orm(string_value = "ready")]
    Ready,
    #[sea_orm(string_value = "failed")]
    Failed,
}
