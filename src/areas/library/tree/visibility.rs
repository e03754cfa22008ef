//! The visibility of spaces that depends on their place in the tree.

use entity::{
    ids::NodeId,
    library::{
        nodes::{Model, NodeKind},
        spaces::{Column, ContentVisibility, Entity},
    },
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait,
    sea_query::{Expr, SelectStatement},
};

/// The ids of the spaces whose visibility [`adapt`] may change.
pub fn adapted(node: NodeId) -> SelectStatement {
    let space = Entity::find_by_id(node).select_only().column(Column::Id);
    space.into_query()
}

/// Makes a space private if it left all collections and was visible to the people of its collection.
pub async fn adapt(db: &impl ConnectionTrait, node: &Model) -> Result<(), DbErr> {
    if node.kind == NodeKind::Collection || node.parent_id.is_some() {
        return Ok(());
    }
    Entity::update_many()
        .col_expr(Column::Visibility, Expr::value(ContentVisibility::Private))
        .filter(Column::Id.eq(node.id))
        .filter(Column::Visibility.eq(ContentVisibility::InCollection))
        .exec(db)
        .await?;
    Ok(())
}
