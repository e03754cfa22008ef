//! Conflicts between change requests and the content of their spaces.

use sea_orm::entity::prelude::*;
use uuid::Uuid;

use crate::{
    ids::{ChangeRequestId, RevisionId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "conflicts")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub change_request_id: ChangeRequestId,
    /// The id of the page, the file or the reusable content.
    #[sea_orm(primary_key, auto_increment = false)]
    pub subject_id: Uuid,
    pub subject: ConflictSubject,
    pub kind: ConflictKind,
    /// Where both sides started from.
    pub base_id: RevisionId,
    /// The content of the change request.
    pub ours_id: RevisionId,
    /// The content of the space.
    pub theirs_id: RevisionId,
    pub created_at: Timestamp,
    #[sea_orm(belongs_to, from = "change_request_id", to = "id", on_delete = "Cascade")]
    pub change_request: BelongsTo<super::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum ConflictSubject {
    #[sea_orm(string_value = "page")]
    Page,
    #[sea_orm(string_value = "file")]
    File,
    #[sea_orm(string_value = "reusable_content")]
    ReusableContent,
}

/// The change of our side and the change of their side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum ConflictKind {
    #[sea_orm(string_value = "edit_edit")]
    EditEdit,
    #[sea_orm(string_value = "metadata")]
    Metadata,
    #[sea_orm(string_value = "move_move")]
    MoveMove,
    #[sea_orm(string_value = "edit_delete")]
    EditDelete,
    #[sea_orm(string_value = "delete_edit")]
    DeleteEdit,
    #[sea_orm(string_value = "move_delete")]
    MoveDelete,
    #[sea_orm(string_value = "delete_move")]
    DeleteMove,
    #[sea_orm(string_value = "file")]
    File,
    #[sea_orm(string_value = "reusable_content")]
    ReusableContent,
}
