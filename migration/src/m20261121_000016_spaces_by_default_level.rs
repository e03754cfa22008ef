//! How many spaces an organization has with each default level.

use sea_orm_migration::prelude::*;

use crate::columns::{drop_index, index};

const NODES: &str = "nodes";
/// All that is asked to count them.
const COLUMNS: &[&str] = &["organization_id", "kind", "deleted_at", "effective_default"];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_index(index(NODES, COLUMNS)).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_index(drop_index(NODES, COLUMNS)).await
    }
}
