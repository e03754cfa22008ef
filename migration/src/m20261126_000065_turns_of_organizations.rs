//! Jobs name the organization whose work they are, so that those of different ones can take turns.

use sea_orm_migration::prelude::*;

use crate::columns::{drop_index, index};

const JOBS: &str = "jobs";
const ORGANIZATION: &str = "organization_id";
const DUE: [&str; 3] = ["kind", "next_attempt_at", "id"];
/// With the organization, jobs that have no turn are passed over without being read.
const DUE_WITH_ORGANIZATION: [&str; 4] = ["kind", "next_attempt_at", "id", ORGANIZATION];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let column = ColumnDef::new(ORGANIZATION).uuid().take();
        manager
            .alter_table(Table::alter().table(JOBS).add_column(column).take())
            .await?;
        manager.drop_index(drop_index(JOBS, &DUE)).await?;
        manager.create_index(index(JOBS, &DUE_WITH_ORGANIZATION)).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_index(drop_index(JOBS, &DUE_WITH_ORGANIZATION)).await?;
        manager.create_index(index(JOBS, &DUE)).await?;
        manager
            .alter_table(Table::alter().table(JOBS).drop_column(ORGANIZATION).take())
            .await
    }
}
