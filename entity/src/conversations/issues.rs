//! Issues that were found in conversations.

use sea_orm::entity::prelude::*;

use crate::ids::{ConversationId, ConversationIssueId, IssuesClusterId, OrganizationId};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "conversation_issues")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: ConversationIssueId,
    pub organization_id: OrganizationId,
    pub conversation_id: ConversationId,
    pub cluster_id: IssuesClusterId,
    #[sea_orm(column_type = "String(StringLen::N(100))")]
    pub title: String,
    #[sea_orm(column_type = "String(StringLen::N(1000))")]
    pub summary: String,
    /// The terms with their weights, in the form of the crate `conversations`.
    #[sea_orm(column_type = "Blob")]
    pub terms: Vec<u8>,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<crate::organizations::Entity>,
    #[sea_orm(belongs_to, from = "conversation_id", to = "id", on_delete = "Cascade")]
    pub conversation: BelongsTo<super::conversations::Entity>,
    #[sea_orm(belongs_to, from = "cluster_id", to = "id", on_delete = "Cascade")]
    pub cluster: BelongsTo<super::clusters::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
