//! Searched spaces name their organization, so that those of one are a range of an index.

use sea_orm_migration::{prelude::*, schema::*};

use crate::columns::{drop_index, index};

const SPACES: &str = "search_spaces";
const ORGANIZATION: &str = "organization_id";
const COLUMNS: [&str; 2] = [ORGANIZATION, "id"];

const FILL: &str = "UPDATE search_spaces SET organization_id =
    (SELECT nodes.organization_id FROM nodes WHERE nodes.id = search_spaces.space_id)";

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // Neither database adds a column without a default to rows.
        let mut column = uuid(ORGANIZATION)
            .default("00000000-0000-0000-0000-000000000000")
            .take();
        let table = Table::alter().table(SPACES).add_column(&mut column).take();
        manager.alter_table(table).await?;
        manager.get_connection().execute_unprepared(FILL).await?;
        manager.create_index(index(SPACES, &COLUMNS)).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_index(drop_index(SPACES, &COLUMNS)).await?;
        let table = Table::alter().table(SPACES).drop_column(ORGANIZATION).take();
        manager.alter_table(table).await
    }
}
