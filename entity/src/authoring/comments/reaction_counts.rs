//! Numbers of reactions, kept as reactions change. The number of an emoji is the sum of its parts.

use sea_orm::entity::prelude::*;

use crate::ids::CommentId;

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "comment_reaction_counts")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub comment_id: CommentId,
    #[sea_orm(primary_key, auto_increment = false, column_type = "String(StringLen::N(160))")]
    pub emoji: String,
    /// Nil: the sum so far. Other parts are changes that are not summed up yet, in the order of their time.
    #[sea_orm(primary_key, auto_increment = false, indexed)]
    pub part_id: Uuid,
    /// Negative if the change removes.
    pub reactions: i32,
    #[sea_orm(belongs_to, from = "comment_id", to = "id", on_delete = "Cascade")]
    pub comment: BelongsTo<super::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
