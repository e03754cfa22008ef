//! Providers at which the visitors of a site sign in.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

use crate::columns::{drop_index, index};

const AUTH: &str = "site_publishing_auth";
const PROVIDER: &str = "saml_provider_id";

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
        let column = format!(
            "ALTER TABLE {AUTH} ADD COLUMN {PROVIDER} {kind} REFERENCES saml_providers (id) ON DELETE SET NULL"
        );
        manager.get_connection().execute_unprepared(&column).await?;
        manager.create_index(index(AUTH, &[PROVIDER])).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_index(drop_index(AUTH, &[PROVIDER])).await?;
        let without = Table::alter().table(AUTH).drop_column(PROVIDER).take();
        manager.alter_table(without).await
    }
}
