//! Changes of the content of spaces that are not in the queues of their receivers yet.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{ContentChangeId, NodeId, RevisionId, UserId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "content_changes")]
pub struct Model {
    /// In the order of the changes.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: ContentChangeId,
    /// The space may be gone.
    pub space_id: NodeId,
    pub revision_id: RevisionId,
    /// Null: the service itself. The user may be gone.
    pub author_id: Option<UserId>,
    pub changed_at: Timestamp,
    /// The request that made the change.
    #[sea_orm(column_type = "String(StringLen::N(128))", nullable)]
    pub request_id: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}
