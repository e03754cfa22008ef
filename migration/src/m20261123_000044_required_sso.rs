//! The provider that a token was made through, and admins who may leave single sign-on out.

use sea_orm_migration::{prelude::*, schema::*};

use crate::columns::add_reference;

const MEMBERS: &str = "members";
const EXEMPT: &str = "sso_exempt";
const TOKENS: &str = "api_tokens";
const PROVIDER: &str = "saml_provider_id";

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        add_reference(manager, TOKENS, PROVIDER, "saml_providers (id) ON DELETE SET NULL").await?;
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
