use sea_orm_migration::{prelude::*, schema::*};

use crate::columns::{cascading, counter, index, one_of, time, time_null};

const TABLE: &str = "members";
const ROLES: &[&str] = &["read", "comment", "edit", "review", "create", "admin"];

/// One for each order and filter that lists of members offer, ending in the key that makes the order total.
const INDEXES: &[&[&str]] = &[
    &["organization_id", "joined_at", "user_id"],
    &["organization_id", "last_seen_at", "user_id"],
    &["organization_id", "role", "joined_at", "user_id"],
    &["user_id", "organization_id"],
];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                Table::create()
                    .table(TABLE)
                    .col(uuid("organization_id"))
                    .col(uuid("user_id"))
                    .col(one_of(string_len_null("role", 16), TABLE, ROLES))
                    .col(boolean("disabled"))
                    .col(boolean("sso"))
                    .col(time("joined_at"))
                    .col(time_null("last_seen_at"))
                    .col(counter("teams_count", TABLE))
                    .primary_key(Index::create().col("organization_id").col("user_id"))
                    .foreign_key(&mut cascading(TABLE, &["organization_id"], "organizations", &["id"]))
                    .foreign_key(&mut cascading(TABLE, &["user_id"], "users", &["id"]))
                    .take(),
            )
            .await?;
        for columns in INDEXES {
            manager.create_index(index(TABLE, columns)).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(TABLE).take()).await
    }
}
