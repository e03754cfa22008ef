//! The states that the content of a space has been in.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{ChangeRequestId, NodeId, RevisionId, UserId},
    timestamp::Timestamp,
};

/// Never changed once it is written.
#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "revisions")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: RevisionId,
    pub space_id: NodeId,
    pub kind: RevisionKind,
    /// The pages and files that it holds, by the hashes of the objects that they are made of.
    #[sea_orm(column_type = "Json")]
    pub snapshot: Json,
    /// The ids of the revisions that it comes from.
    #[sea_orm(column_type = "Json")]
    pub parents: Json,
    /// The author. `None`: the server.
    pub author_id: Option<UserId>,
    /// The change request of the revision. `None`: the history of the space.
    pub change_request_id: Option<ChangeRequestId>,
    /// The change request whose merge made it.
    pub merged_from: Option<ChangeRequestId>,
    pub created_at: Timestamp,
    #[sea_orm(belongs_to, from = "space_id", to = "id", on_delete = "Cascade")]
    pub space: BelongsTo<crate::library::spaces::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

/// How a revision came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum RevisionKind {
    #[sea_orm(string_value = "edits")]
    Edits,
    #[sea_orm(string_value = "merge")]
    Merge,
    #[sea_orm(string_value = "rollback")]
    Rollback,
    #[sea_orm(string_value = "update")]
    Update,
    #[sea_orm(string_value = "computed")]
    Computed,
}
