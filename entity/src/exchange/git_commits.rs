//! The commits of revisions.

use sea_orm::entity::prelude::*;

use crate::ids::{NodeId, RevisionId};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "git_commits")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub revision_id: RevisionId,
    pub space_id: NodeId,
    #[sea_orm(column_type = "Binary(20)")]
    pub oid: Vec<u8>,
    #[sea_orm(column_type = "Text")]
    pub message: String,
    /// Whether the server made the commit.
    pub is_own: bool,
    #[sea_orm(column_type = "String(StringLen::N(2048))", nullable)]
    pub url: Option<String>,
    #[sea_orm(column_type = "String(StringLen::N(255))")]
    pub reference: String,
    #[sea_orm(belongs_to, from = "space_id", to = "id", on_delete = "Cascade")]
    pub space: BelongsTo<crate::library::spaces::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
