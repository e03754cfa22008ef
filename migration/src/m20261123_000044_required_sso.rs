//! The provider that a token was made through, and admins who may leave single sign-on out.

use sea_orm_migration::{prelude::*, schema::*, sea_orm::DbBackend};

const MEMBERS: &str = "members";
const EXEMPT: &str = "sso_exempt";
const TOKENS: &str = "api_tokens";
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
            "ALTER TABLE {TOKENS} ADD COLUMN {PROVIDER} {kind} REFERENCES saml_providers (id) ON DELETE SET NULL"
        );
        manager.get_connection().execute_unprepared(&column).await?;
        let exempt = boolean(EXEMPT).default(false).take();
        manager
            .alter_table(Table::alter().table(MEMBERS).add_column(exempt).take())
            .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (table, column) in [(MEMBERS, EXEMPT), (TOKENS, PROVIDER)] {
            let without = Table::alter().table(table).drop_column(column).take();
            manager.alter_table(without).await?;
        }
        Ok(())
    }
}
