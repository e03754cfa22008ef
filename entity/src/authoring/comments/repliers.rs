//! The people who have replied to a comment, kept as replies change.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{CommentId, UserId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "comment_repliers")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub comment_id: CommentId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: UserId,
    /// The number of replies by the user, never 0.
    pub replies: i32,
    /// The time of the last reply.
    pub replied_at: Timestamp,
    #[sea_orm(belongs_to, from = "comment_id", to = "id", on_delete = "Cascade")]
    pub comment: BelongsTo<super::Entity>,
    #[sea_orm(belongs_to, from = "user_id", to = "id", on_delete = "Cascade")]
    pub user: BelongsTo<crate::identity::users::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
