//! Providers at which the visitors of a site sign in.

use sea_orm_migration::prelude::*;

use crate::columns::{add_reference, drop_index, index};

const AUTH: &str = "site_publishing_auth";
const PROVIDER: &str = "saml_provider_id";

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        add_reference(manager, AUTH, PROVIDER, "saml_providers (id) ON DELETE SET NULL").await?;
        manager.create_index(index(AUTH, &[PROVIDER])).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_index(drop_index(AUTH, &[PROVIDER])).await?;
        let without = Table::alter().table(AUTH).drop_column(PROVIDER).take();
        manager.alter_table(without).await
    }
}
