//! Spaces that are kept in other languages beside their sources.

pub mod segments;

use sea_orm::entity::prelude::*;

use crate::{
    ids::{JobId, NodeId, OrganizationId, RevisionId, TranslationId, UserId},
    library::spaces::Language,
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "translations")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: TranslationId,
    pub organization_id: OrganizationId,
    /// Refers to no row: a translation stays when its source is purged.
    #[sea_orm(unique_key = "language_of_source")]
    pub source_space_id: NodeId,
    pub source_language: Language,
    #[sea_orm(unique_key = "language_of_source")]
    pub language: Language,
    pub result_space_id: NodeId,
    /// A rich text document.
    #[sea_orm(column_type = "Json")]
    pub instructions: Json,
    pub status: TranslationStatus,
    /// The last job that was enqueued.
    pub job_id: JobId,
    /// `true`: another run follows the present one, which may have read the source before it changed.
    #[sea_orm(default_value = false)]
    pub run_again: bool,
    /// `true`: a change of the source leads to a run.
    #[sea_orm(default_value = false)]
    pub auto_run: bool,
    /// When a run begins by itself. `None`: nothing has changed.
    #[sea_orm(indexed)]
    pub next_run_at: Option<Timestamp>,
    /// `None`: no run has ended.
    pub engine: Option<TranslationEngine>,
    #[sea_orm(column_type = "Text", nullable)]
    pub problem: Option<String>,
    /// The revision of the source that the last run read.
    pub source_revision_id: RevisionId,
    /// The snapshot that the last run wrote, before what people changed in the result.
    #[sea_orm(column_type = "Json")]
    pub written: Json,
    /// The revision of the result after the last run.
    pub result_revision_id: RevisionId,
    /// Everything besides the source that the written snapshot depends on. `None`: all of it has to be made again.
    #[sea_orm(column_type = "String(StringLen::N(64))", nullable)]
    pub fingerprint: Option<String>,
    /// The pages and reusable contents that are not translated in all their parts: the next run makes them again. `None`: none.
    #[sea_orm(column_type = "Json", nullable)]
    pub incomplete: Option<Json>,
    pub runs: i32,
    pub total_words: i64,
    pub total_pages: i64,
    pub total_seconds: i64,
    pub latest_seconds: i64,
    pub latest_pages: i64,
    pub latest_words: i64,
    pub latest_untranslated: i64,
    pub latest_glossary_misses: i64,
    pub created_by: UserId,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<crate::organizations::Entity>,
    #[sea_orm(belongs_to, from = "result_space_id", to = "id", on_delete = "Cascade")]
    pub result: BelongsTo<crate::library::spaces::Entity>,
    #[sea_orm(belongs_to, from = "created_by", to = "id")]
    pub creator: BelongsTo<crate::identity::users::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

/// The state of the latest run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum TranslationStatus {
    #[sea_orm(string_value = "pending")]
    Pending,
    #[sea_orm(string_value = "running")]
    Running,
    #[sea_orm(string_value = "completed")]
    Completed,
}

/// The engine of a run, by its protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum TranslationEngine {
    #[sea_orm(string_value = "none")]
    None,
    #[sea_orm(string_value = "openai")]
    Openai,
    #[sea_orm(string_value = "libretranslate")]
    Libretranslate,
    #[sea_orm(string_value = "deepl")]
    Deepl,
}
