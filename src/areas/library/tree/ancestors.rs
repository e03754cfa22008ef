//! The ancestors of nodes, kept as rows so that access and moves need no recursive query.

use entity::{
    ids::NodeId,
    library::nodes::{
        self, NodeKind,
        ancestors::{ActiveModel, Column, Entity},
    },
};
use openapi::error::{ApiError, ErrorType};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, JoinType, PaginatorTrait, QueryFilter,
    QuerySelect, QueryTrait, RelationDef, Statement,
};

/// The greatest nesting of collections; the contract names it where it declares 412.
const MAX_DEPTH: i64 = 16;

/// Inserts the ancestors of a new node.
pub async fn insert(db: &impl ConnectionTrait, node: NodeId, parent: Option<NodeId>) -> Result<(), DbErr> {
    let itself = ActiveModel {
        node_id: Set(node),
        ancestor_id: Set(node),
        depth: Set(0),
    };
    Entity::insert(itself).exec_without_returning(db).await?;
    match parent {
        Some(parent) => attach(db, node, parent).await,
        None => Ok(()),
    }
}

/// Moves a node with its descendants under another parent, or to the top level.
pub async fn move_subtree(db: &impl ConnectionTrait, node: NodeId, parent: Option<NodeId>) -> Result<(), DbErr> {
    let subtree = with_descendants(node).into_query();
    Entity::delete_many()
        .filter(Column::NodeId.in_subquery(subtree.clone()))
        .filter(Column::AncestorId.not_in_subquery(subtree))
        .exec(db)
        .await?;
    match parent {
        Some(parent) => attach(db, node, parent).await,
        None => Ok(()),
    }
}

async fn attach(db: &impl ConnectionTrait, node: NodeId, parent: NodeId) -> Result<(), DbErr> {
    let sql = "INSERT INTO node_ancestors (node_id, ancestor_id, depth)
        SELECT below.node_id, above.ancestor_id, below.depth + above.depth + 1
        FROM node_ancestors below CROSS JOIN node_ancestors above
        WHERE below.ancestor_id = $1 AND above.node_id = $2";
    let values = [node.into(), parent.into()];
    db.execute_raw(Statement::from_sql_and_values(db.get_database_backend(), sql, values))
        .await?;
    Ok(())
}

/// The ids of a node and its descendants.
pub fn with_descendants(node: NodeId) -> sea_orm::Select<Entity> {
    Entity::find()
        .select_only()
        .column(Column::NodeId)
        .filter(Column::AncestorId.eq(node))
}

/// The ids of a node and its ancestors.
pub fn with_ancestors(node: NodeId) -> sea_orm::Select<Entity> {
    Entity::find()
        .select_only()
        .column(Column::AncestorId)
        .filter(Column::NodeId.eq(node))
}

pub async fn is_descendant(db: &impl ConnectionTrait, node: NodeId, above: NodeId) -> Result<bool, DbErr> {
    Ok(Entity::find_by_id((node, above)).one(db).await?.is_some())
}

/// Refuses a parent under which collections would nest too deep. `moved` is the collection that moves there with its
/// descendants; `None`: a new collection.
pub async fn require_depth(
    db: &impl ConnectionTrait,
    moved: Option<NodeId>,
    parent: Option<NodeId>,
) -> Result<(), ApiError> {
    let above = match parent {
        Some(parent) => Entity::find().filter(Column::NodeId.eq(parent)).count(db).await?,
        None => 0,
    };
    let height = match moved {
        Some(node) => height(db, node).await?,
        None => 0,
    };
    if i64::try_from(above).unwrap_or(i64::MAX).saturating_add(height) >= MAX_DEPTH {
        let message = format!("Collections nest at most {MAX_DEPTH} deep.");
        return Err(ApiError::new(ErrorType::TooDeep, message));
    }
    Ok(())
}

/// The number of levels of collections below a collection.
async fn height(db: &impl ConnectionTrait, collection: NodeId) -> Result<i64, DbErr> {
    let of_node: RelationDef = Entity::belongs_to(nodes::Entity)
        .from(Column::NodeId)
        .to(nodes::Column::Id)
        .into();
    let deepest: Option<Option<i32>> = Entity::find()
        .select_only()
        .column_as(Column::Depth.max(), "deepest")
        .join(JoinType::InnerJoin, of_node)
        .filter(Column::AncestorId.eq(collection))
        .filter(nodes::Column::Kind.eq(NodeKind::Collection))
        .into_tuple()
        .one(db)
        .await?;
    Ok(deepest.flatten().unwrap_or_default().into())
}
