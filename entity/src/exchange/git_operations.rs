//! Imports from repositories and exports to them.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{GitOperationId, NodeId, RevisionId, UserId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "git_operations")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: GitOperationId,
    pub space_id: NodeId,
    pub direction: GitDirection,
    pub state: GitOperationState,
    /// What was asked for, sealed: addresses may have credentials. Null once the operation has ended.
    #[sea_orm(column_type = "Blob", nullable)]
    pub request: Option<Vec<u8>>,
    /// Who asked for it.
    pub requested_by: UserId,
    /// The revision that it made, or that it exported.
    pub revision_id: Option<RevisionId>,
    /// Why it failed.
    #[sea_orm(column_type = "Text", nullable)]
    pub problem: Option<String>,
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    #[sea_orm(belongs_to, from = "space_id", to = "id", on_delete = "Cascade")]
    pub space: BelongsTo<crate::library::spaces::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum GitDirection {
    #[sea_orm(string_value = "import")]
    Import,
    #[sea_orm(string_value = "export")]
    Export,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum GitOperationState {
    #[sea_orm(string_value = "queued")]
    Queued,
    #[sea_orm(string_value = "success")]
    Success,
    #[sea_orm(string_value = "failure")]
    Failure,
}
