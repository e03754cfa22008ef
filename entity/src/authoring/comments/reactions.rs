//! Reactions to comments and replies.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{CommentId, UserId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "comment_reactions")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub comment_id: CommentId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: UserId,
    /// The same for all forms of an emoji: its code points.
    #[sea_orm(primary_key, auto_increment = false, column_type = "String(StringLen::N(160))")]
    pub emoji: String,
    /// The form in which it was sent.
    #[sea_orm(column_type = "String(StringLen::N(50))")]
    pub written: String,
    pub reacted_at: Timestamp,
    #[sea_orm(belongs_to, from = "comment_id", to = "id", on_delete = "Cascade")]
    pub comment: BelongsTo<super::Entity>,
    #[sea_orm(belongs_to, from = "user_id", to = "id", on_delete = "Cascade")]
    pub user: BelongsTo<crate::identity::users::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
