//! Tokens that end with the session of their person.

use sea_orm_migration::prelude::*;

use crate::columns::{add_reference, drop_index, index};

const TOKENS: &str = "api_tokens";
const SESSION: &str = "session_id";

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        add_reference(manager, TOKENS, SESSION, "sessions (id) ON DELETE CASCADE").await?;
        manager.create_index(index(TOKENS, &[SESSION])).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_index(drop_index(TOKENS, &[SESSION])).await?;
        let without = Table::alter().table(TOKENS).drop_column(SESSION).take();
        manager.alter_table(without).await
    }
}
