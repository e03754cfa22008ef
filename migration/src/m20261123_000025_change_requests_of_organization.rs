//! Change requests name their organization, so that lists over it are a range of an index.

use sea_orm_migration::{prelude::*, schema::*};

use crate::columns::{drop_index, index};

const REQUESTS: &str = "change_requests";
const ORGANIZATION: &str = "organization_id";
const INDEXES: [[&str; 3]; 2] = [[ORGANIZATION, "status", "id"], [ORGANIZATION, "created_by", "id"]];

const FILL: &str = "UPDATE change_requests SET organization_id =
    (SELECT nodes.organization_id FROM nodes WHERE nodes.id = change_requests.space_id)";

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // Neither database adds a column without a default to rows.
        let mut column = uuid(ORGANIZATION)
            .default("00000000-0000-0000-0000-000000000000")
            .take();
        let table = Table::alter().table(REQUESTS).add_column(&mut column).take();
        manager.alter_table(table).await?;
        manager.get_connection().execute_unprepared(FILL).await?;
        for columns in INDEXES {
            manager.create_index(index(REQUESTS, &columns)).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for columns in INDEXES {
            manager.drop_index(drop_index(REQUESTS, &columns)).await?;
        }
        let table = Table::alter().table(REQUESTS).drop_column(ORGANIZATION).take();
        manager.alter_table(table).await
    }
}
