//! When the DNS records of email domains are looked up. Existing domains that are not proven are looked up once.

use sea_orm_migration::{prelude::*, sea_orm::ConnectionTrait};

use crate::columns::{drop_index, index, time_null};

const DOMAINS: &str = "organization_email_domains";
const COLUMNS: [&str; 2] = ["asked_at", "next_check_at"];
const DUE: [&str; 1] = ["next_check_at"];

/// An organization is older than its domains, so the time of its creation is one that has passed.
const CHECK_EXISTING: &str = "
    UPDATE organization_email_domains SET next_check_at =
        (SELECT created_at FROM organizations WHERE organizations.id = organization_email_domains.organization_id)
    WHERE verified_at IS NULL";

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for column in COLUMNS {
            let table = Table::alter().table(DOMAINS).add_column(time_null(column)).take();
            manager.alter_table(table).await?;
        }
        manager.create_index(index(DOMAINS, &DUE)).await?;
        manager.get_connection().execute_unprepared(CHECK_EXISTING).await?;
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_index(drop_index(DOMAINS, &DUE)).await?;
        for column in COLUMNS {
            let table = Table::alter().table(DOMAINS).drop_column(column).take();
            manager.alter_table(table).await?;
        }
        Ok(())
    }
}
