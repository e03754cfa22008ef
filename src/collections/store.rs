//! Collections in the database.

use entity::{
    collections,
    ids::{NodeId, OrganizationId},
    nodes::{self, NodeKind},
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, JoinType, QueryFilter,
    QuerySelect, Related, Select,
};

use crate::{access::NodeRow, tree};

/// A collection: the node, and what it has as a collection.
#[derive(FromQueryResult)]
pub struct Row {
    #[sea_orm(nested)]
    pub node: nodes::Model,
    #[sea_orm(nested)]
    pub collection: collections::Model,
}

impl NodeRow for Row {
    fn of(found: Select<nodes::Entity>) -> Select<nodes::Entity> {
        let of_node = <collections::Entity as Related<nodes::Entity>>::to().rev();
        // The id is that of the node.
        found
            .join(JoinType::InnerJoin, of_node)
            .column(collections::Column::Description)
    }

    fn node(&self) -> &nodes::Model {
        &self.node
    }
}

pub fn living(organization: OrganizationId) -> Select<nodes::Entity> {
    tree::store::living(organization, NodeKind::Collection)
}

pub async fn find(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    collection: NodeId,
) -> Result<Option<Row>, DbErr> {
    let found = living(organization).filter(nodes::Column::Id.eq(collection));
    Row::of(found).into_model().one(db).await
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
