//! Numbers of comments, kept as comments change. The numbers of a list are the sums of its parts.

use sea_orm::entity::prelude::*;

use crate::ids::NodeId;

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "comment_counts")]
pub struct Model {
    /// The list of the comments.
    #[sea_orm(primary_key, auto_increment = false)]
    pub list_id: Uuid,
    /// Nil: the sum so far. Other parts are changes that are not summed up yet, in the order of their time.
    #[sea_orm(primary_key, auto_increment = false, indexed)]
    pub part_id: Uuid,
    #[sea_orm(indexed)]
    pub space_id: NodeId,
    /// Negative if the change deletes.
    pub comments: i32,
    pub open: i32,
    #[sea_orm(belongs_to, from = "space_id", to = "id", on_delete = "Cascade")]
    pub space: BelongsTo<crate::library::spaces::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
