//! Teams are listed by their ids: ids increase even if the clock is set back, times of creation do not.

use sea_orm_migration::prelude::*;

use crate::columns::{drop_index, index};

const TEAMS: &str = "teams";
const BEFORE: [&str; 3] = ["organization_id", "created_at", "id"];
const AFTER: [&str; 2] = ["organization_id", "id"];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_index(index(TEAMS, &AFTER)).await?;
        manager.drop_index(drop_index(TEAMS, &BEFORE)).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_index(index(TEAMS, &BEFORE)).await?;
        manager.drop_index(drop_index(TEAMS, &AFTER)).await
    }
}
