//! Searched spaces name their organization, so that those of one are a range of an index.

use sea_orm_migration::prelude::*;

use crate::columns::{add_organization_of_space, drop_index, drop_organization_of_space, index};

const SPACES: &str = "search_spaces";
const ORGANIZATION: &str = "organization_id";
const COLUMNS: [&str; 2] = [ORGANIZATION, "id"];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        add_organization_of_space(manager, SPACES).await?;
        manager.create_index(index(SPACES, &COLUMNS)).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_index(drop_index(SPACES, &COLUMNS)).await?;
        drop_organization_of_space(manager, SPACES).await
    }
}
