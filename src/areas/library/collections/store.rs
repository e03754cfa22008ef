//! Collections in the database.

use entity::{
    collections,
    ids::{NodeId, OrganizationId},
    nodes::{self, NodeKind},
};
use sea_orm::{ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, Select};

use crate::{
    access::rows::{CollectionRow, NodeRow},
    areas::library::tree,
};

pub fn living(organization: OrganizationId) -> Select<nodes::Entity> {
    tree::store::living(organization, NodeKind::Collection)
}

pub async fn find(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    collection: NodeId,
) -> Result<Option<CollectionRow>, DbErr> {
    let found = living(organization).filter(nodes::Column::Id.eq(collection));
    CollectionRow::of(found).into_model().one(db).await
}

pub async fn insert(db: &impl ConnectionTrait, collection: NodeId) -> Result<(), DbErr> {
    let row = collections::ActiveModel {
        id: Set(collection),
        description: Set(None),
    };
    collections::Entity::insert(row).exec_without_returning(db).await?;
    Ok(())
}

/// An empty description is none.
pub async fn describe(db: &impl ConnectionTrait, collection: NodeId, description: String) -> Result<(), DbErr> {
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
