//! Collections: what a node has only as a collection.

use sea_orm::entity::prelude::*;

use crate::ids::NodeId;

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "collections")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: NodeId,
    #[sea_orm(column_type = "String(StringLen::N(100))", nullable)]
    pub description: Option<String>,
    #[sea_orm(belongs_to, from = "id", to = "id", on_delete = "Cascade")]
    pub node: BelongsTo<crate::library::nodes::Entity>,
}

crate::stored_row! {
    id,
    description,
}

impl ActiveModelBehavior for ActiveModel {}
