//! Change requests name their organization, so that lists over it are a range of an index.

use sea_orm_migration::prelude::*;

use crate::columns::{add_organization_of_space, drop_index, drop_organization_of_space, index};

const REQUESTS: &str = "change_requests";
const ORGANIZATION: &str = "organization_id";
const INDEXES: [[&str; 3]; 2] = [[ORGANIZATION, "status", "id"], [ORGANIZATION, "created_by", "id"]];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        add_organization_of_space(manager, REQUESTS).await?;
        for columns in INDEXES {
            manager.create_index(index(REQUESTS, &columns)).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for columns in INDEXES {
            manager.drop_index(drop_index(REQUESTS, &columns)).await?;
        }
        drop_organization_of_space(manager, REQUESTS).await
    }
}
