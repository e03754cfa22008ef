//! The messages of conversations.

use sea_orm::entity::prelude::*;

use crate::ids::ConversationId;

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "conversation_texts")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub conversation_id: ConversationId,
    /// A list of `ConversationPart`.
    #[sea_orm(column_type = "Json")]
    pub parts: Json,
    /// Texts by name.
    #[sea_orm(column_type = "Json", nullable)]
    pub attributes: Option<Json>,
    #[sea_orm(belongs_to, from = "conversation_id", to = "id", on_delete = "Cascade")]
    pub conversation: BelongsTo<super::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
