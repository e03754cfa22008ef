//! Numbers of spaces by organization and default level, filled for the existing spaces. They replace counting by an index.

use sea_orm_migration::{prelude::*, schema::*};

use crate::{
    columns::{drop_index, index},
    tables::{self, NewTable, table},
};

const NODES: &str = "nodes";
const COUNTED: &[&str] = &["organization_id", "kind", "deleted_at", "effective_default"];
const LEVELS: &[&str] = &["", "inherit", "read", "comment", "edit", "review", "create", "admin"];

const FILL: &str = "
    INSERT INTO organization_space_counts (organization_id, default_level, spaces)
        SELECT organization_id, COALESCE(effective_default, ''), COUNT(*) FROM nodes
        WHERE kind = 'space' AND deleted_at IS NULL GROUP BY organization_id, COALESCE(effective_default, '')";

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        tables::create([space_counts()], manager).await?;
        manager.get_connection().execute_unprepared(FILL).await?;
        manager.drop_index(drop_index(NODES, COUNTED)).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_index(index(NODES, COUNTED)).await?;
        tables::drop([space_counts()], manager).await
    }
}

fn space_counts() -> NewTable {
    table("organization_space_counts")
        .col(uuid("organization_id"))
        .one_of(string_len("default_level", 16), LEVELS)
        .col(integer("spaces"))
        .primary_key(&["organization_id", "default_level"])
        .cascading(&["organization_id"], "organizations", &["id"])
}
