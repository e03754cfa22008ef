//! Which nodes lie above which: every node with itself, its parent, and so on to the top.

use sea_orm::entity::prelude::*;

use crate::ids::NodeId;

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "node_ancestors")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub node_id: NodeId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub ancestor_id: NodeId,
    /// Steps from the node up to the ancestor; 0 is the node itself.
    pub depth: i32,
    #[sea_orm(
        belongs_to,
        relation_enum = "Node",
        from = "node_id",
        to = "id",
        on_delete = "Cascade"
    )]
    pub node: BelongsTo<super::Entity>,
    #[sea_orm(
        belongs_to,
        relation_enum = "Ancestor",
        from = "ancestor_id",
        to = "id",
        on_delete = "Cascade"
    )]
    pub ancestor: BelongsTo<super::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
