//! Lists of change requests by a person with one status are a range of an index, however many others the person made.

use sea_orm_migration::prelude::*;

use crate::columns::{drop_index, index};

const REQUESTS: &str = "change_requests";
const WITHOUT_STATUS: [[&str; 3]; 2] = [
    ["organization_id", "created_by", "id"],
    ["space_id", "created_by", "id"],
];
const WITH_STATUS: [[&str; 4]; 2] = [
    ["organization_id", "created_by", "status", "id"],
    ["space_id", "created_by", "status", "id"],
];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for columns in WITH_STATUS {
            manager.create_index(index(REQUESTS, &columns)).await?;
        }
        for columns in WITHOUT_STATUS {
            manager.drop_index(drop_index(REQUESTS, &columns)).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for columns in WITHOUT_STATUS {
            manager.create_index(index(REQUESTS, &columns)).await?;
        }
        for columns in WITH_STATUS {
            manager.drop_index(drop_index(REQUESTS, &columns)).await?;
        }
        Ok(())
    }
}
