//! When the DNS records of custom hostnames are checked again.

use sea_orm_migration::prelude::*;

use crate::columns::{drop_index, index, time_null};

const HOSTNAMES: &str = "custom_hostnames";
const FAILING: &str = "failing_since";
const NEXT: &str = "next_check_at";

/// All are due.
const FILL: &str = "UPDATE custom_hostnames SET next_check_at = 0";

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // SQLite adds one column at a time.
        for column in [FAILING, NEXT] {
            let with = Table::alter().table(HOSTNAMES).add_column(time_null(column)).take();
            manager.alter_table(with).await?;
        }
        manager.create_index(index(HOSTNAMES, &[NEXT])).await?;
        manager.get_connection().execute_unprepared(FILL).await?;
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_index(drop_index(HOSTNAMES, &[NEXT])).await?;
        for column in [NEXT, FAILING] {
            let without = Table::alter().table(HOSTNAMES).drop_column(column).take();
            manager.alter_table(without).await?;
        }
        Ok(())
    }
}
