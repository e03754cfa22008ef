//! The collections at the top of an organization are a range of an index, however many spaces are beside them.

use sea_orm_migration::prelude::*;

use crate::columns::partial_index;

const NODES: &str = "nodes";
const INDEX: &str = "nodes_at_top_by_organization_id_kind_position_id";

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // PostgreSQL sorts the rows without a parent if the parent is a column of the index.
        let columns = ["organization_id", "kind", "position", "id"];
        let at_top = Expr::col("parent_id").is_null();
        manager
            .create_index(partial_index(INDEX, NODES, &columns, at_top))
            .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .drop_index(Index::drop().name(INDEX).table(NODES).to_owned())
            .await
    }
}
