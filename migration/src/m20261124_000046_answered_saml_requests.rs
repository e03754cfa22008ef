//! Requests to identity providers are stored once they are answered, and no longer when they begin.

use sea_orm_migration::prelude::*;

use crate::tables::{self, NewTable, prelude::*};

const REQUESTS: &str = "saml_requests";

#[derive(DeriveMigrationName)]
pub struct Migration;

/// Requests last for minutes: those of the table before have to begin again.
#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(REQUESTS).take()).await?;
        tables::create([answered()], manager).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(REQUESTS).take()).await?;
        tables::create([begun()], manager).await
    }
}

fn answered() -> NewTable {
    table(REQUESTS)
        .col(pk_uuid("id"))
        .col(uuid("provider_id"))
        .col(uuid("user_id"))
        .col(binary_len_null("subject_hash", 32))
        .col(boolean("unproven"))
        .col(binary_len_null("code_hash", 32))
        .col(time("code_expires_at"))
        .col(time("expires_at"))
        .cascading(&["provider_id"], "saml_providers", &["id"])
        .cascading(&["user_id"], "users", &["id"])
        .unique_index(&["code_hash"])
        // What has expired.
        .index(&["expires_at"])
}

/// The table of step 35.
fn begun() -> NewTable {
    table(REQUESTS)
        .col(pk_uuid("id"))
        .col(uuid("provider_id"))
        .col(binary_len("browser_hash", 32))
        .col(string_len("return_to", 2048))
        .col(uuid_null("user_id"))
        .col(binary_len_null("code_hash", 32))
        .col(time("expires_at"))
        .cascading(&["provider_id"], "saml_providers", &["id"])
        .cascading(&["user_id"], "users", &["id"])
        .unique_index(&["code_hash"])
        .index(&["expires_at"])
}
