//! Tokens that end with the session of their person.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

use crate::columns::{drop_index, index};

const TOKENS: &str = "api_tokens";
const SESSION: &str = "session_id";

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // A reference of a new column has no form that both databases accept through the builder.
        let kind = match manager.get_database_backend() {
            DbBackend::Sqlite => "uuid_text",
            _ => "uuid",
        };
        let column =
            format!("ALTER TABLE {TOKENS} ADD COLUMN {SESSION} {kind} REFERENCES sessions (id) ON DELETE CASCADE");
        manager.get_connection().execute_unprepared(&column).await?;
        manager.create_index(index(TOKENS, &[SESSION])).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_index(drop_index(TOKENS, &[SESSION])).await?;
        let without = Table::alter().table(TOKENS).drop_column(SESSION).take();
        manager.alter_table(without).await
    }
}
