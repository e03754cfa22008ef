//! Collections in the database.

use entity::{
    ids::{NodeId, OrganizationId},
    library::{
        collections,
        nodes::{self, NodeKind},
    },
};
use sea_orm::{ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, Select};

use crate::areas::library::tree;

pub fn not_deleted(organization: OrganizationId) -> Select<nodes::Entity> {
    tree::store::not_deleted(organization, NodeKind::Collection)
}

/// Those that no collection holds.
pub fn at_top(organization: OrganizationId) -> Select<nodes::Entity> {
    not_deleted(organization).filter(nodes::Column::ParentId.is_null())
}

pub async fn insert(db: &impl ConnectionTrait, collection: NodeId) -> Result<(), DbErr> {
    let row = collections::ActiveModel {
        id: Set(collection),
        description: Set(None),
    };
    collections::Entity::insert(row).exec_without_returning(db).await?;
    Ok(())
}

/// Sets the description; an empty text clears it.
pub async fn set_description(db: &impl ConnectionTrait, collection: NodeId, description: String) -> Result<(), DbErr> {
    let description = (!description.is_empty()).then_some(description);
    collections::Entity::update_many()
        .col_expr(
            collections::Column::Description,
            sea_orm::sea_query::Expr::value(description),
        )
        .filter(collections::Column::Id.eq(collection))
        .exec(db)
        .await?;
    Ok(())
}
