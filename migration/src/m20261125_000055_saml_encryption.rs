//! Keys to which SAML providers encrypt.

use sea_orm_migration::{prelude::*, schema::*};

const PROVIDERS: &str = "saml_providers";
const KEY: &str = "encryption_key";
const CERTIFICATE: &str = "encryption_certificate";

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // SQLite adds one column at a time.
        for column in [var_binary_null(KEY, 4096), string_len_null(CERTIFICATE, 4096)] {
            let with = Table::alter().table(PROVIDERS).add_column(column).take();
            manager.alter_table(with).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for column in [KEY, CERTIFICATE] {
            let without = Table::alter().table(PROVIDERS).drop_column(column).take();
            manager.alter_table(without).await?;
        }
        Ok(())
    }
}
