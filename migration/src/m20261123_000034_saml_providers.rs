//! SAML identity providers of organizations, and how email domains were proven.

use sea_orm_migration::{prelude::*, schema::*, sea_orm::ConnectionTrait};

use crate::{
    columns::time,
    tables::{self, NewTable, table},
};

const DOMAINS: &str = "organization_email_domains";
const OWNED: &str = "owned";

/// Nobody knows any more how the domains were proven: their DNS records are looked up once.
const CHECK_EXISTING: &str = "
    UPDATE organization_email_domains SET next_check_at = verified_at WHERE verified_at IS NOT NULL";

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let owned = boolean(OWNED).default(false).take();
        manager
            .alter_table(Table::alter().table(DOMAINS).add_column(owned).take())
            .await?;
        manager.get_connection().execute_unprepared(CHECK_EXISTING).await?;
        tables::create([saml_providers()], manager).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        tables::drop([saml_providers()], manager).await?;
        manager
            .alter_table(Table::alter().table(DOMAINS).drop_column(OWNED).take())
            .await
    }
}

/// The team is referred to by no key: when it is deleted, the provider stays, and has no team.
fn saml_providers() -> NewTable {
    table("saml_providers")
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .col(string_len("label", 30))
        .col(string_len("entity_id", 1024))
        .col(string_len("certificate", 10_000))
        .col(string_len("sso_url", 2048))
        .col(uuid_null("default_team_id"))
        .one_of(
            string_len_null("default_role", 16),
            &["read", "comment", "edit", "review", "create", "admin"],
        )
        .col(time("created_at"))
        .cascading(&["organization_id"], "organizations", &["id"])
        // Lists, the newest first.
        .index(&["organization_id", "id"])
}
