//! Tokens end with the provider that they were made through; codes that prove whose an account is are mailed; the identities and
//! the removals of a user, and the tokens of a provider, are found.

use sea_orm_migration::{prelude::*, schema::*};

use crate::columns::{add_reference, drop_index, index};

const TOKENS: &str = "api_tokens";
const PROVIDER: &str = "saml_provider_id";
const REQUESTS: &str = "saml_requests";
const MAILED: &str = "mailed";

/// Tables with the columns by which their rows are found.
const FOUND_BY: [(&str, &str); 3] = [
    ("saml_identities", "user_id"),
    ("removed_members", "user_id"),
    (TOKENS, PROVIDER),
];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        refer(manager, "CASCADE").await?;
        let mailed = boolean(MAILED).default(false).take();
        let with = Table::alter().table(REQUESTS).add_column(mailed).take();
        manager.alter_table(with).await?;
        for (table, column) in FOUND_BY {
            manager.create_index(index(table, &[column])).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (table, column) in FOUND_BY {
            manager.drop_index(drop_index(table, &[column])).await?;
        }
        let without = Table::alter().table(REQUESTS).drop_column(MAILED).take();
        manager.alter_table(without).await?;
        refer(manager, "SET NULL").await
    }
}

/// Says what becomes of tokens without their provider. SQLite cannot change a reference, so the column is made anew.
async fn refer(manager: &SchemaManager<'_>, on_delete: &str) -> Result<(), DbErr> {
    let db = manager.get_connection();
    let rename = format!("ALTER TABLE {TOKENS} RENAME COLUMN {PROVIDER} TO before");
    db.execute_unprepared(&rename).await?;
    add_reference(
        manager,
        TOKENS,
        PROVIDER,
        &format!("saml_providers (id) ON DELETE {on_delete}"),
    )
    .await?;
    let copy = format!("UPDATE {TOKENS} SET {PROVIDER} = before WHERE before IS NOT NULL");
    db.execute_unprepared(&copy).await?;
    let drop = format!("ALTER TABLE {TOKENS} DROP COLUMN before");
    db.execute_unprepared(&drop).await?;
    Ok(())
}
