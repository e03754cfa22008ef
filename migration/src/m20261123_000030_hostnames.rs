//! Custom hostnames of sites and organizations, and the default content of organizations.

use sea_orm_migration::{prelude::*, schema::*};

use crate::{
    columns::{drop_index, index},
    tables::{self, NewTable, table},
};

const SITES: &str = "sites";
const ORGANIZATIONS: &str = "organizations";

/// The hostname that leads to a site or to an organization: a copy of the active one in `custom_hostnames`.
const COPIES: [(&str, &str); 2] = [(SITES, "hostname"), (ORGANIZATIONS, "custom_hostname")];

const STATUSES: &[&str] = &[
    "dns_passed",
    "dns_wrong_cname",
    "dns_no_cname",
    "dns_cloudflare_proxied",
    "dns_wrong_caa",
    "live",
    "ssl_unknown",
    "ssl_pending",
    "ssl_failed",
    "ssl_retry_expired",
    "invalid_domain",
    "internal_error",
];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (name, column) in COPIES {
            let column_def = string_len_null(column, 512);
            let altered = Table::alter().table(name).add_column(column_def).take();
            manager.alter_table(altered).await?;
            manager.create_index(index(name, &[column]).unique().take()).await?;
        }
        tables::create([custom_hostnames(), default_content()], manager).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        tables::drop([custom_hostnames(), default_content()], manager).await?;
        for (name, column) in COPIES {
            manager.drop_index(drop_index(name, &[column])).await?;
            let altered = Table::alter().table(name).drop_column(column).take();
            manager.alter_table(altered).await?;
        }
        Ok(())
    }
}

fn custom_hostnames() -> NewTable {
    table("custom_hostnames")
        .col(string_len("hostname", 512))
        .col(uuid("organization_id"))
        // Without a site, the hostname is that of the organization.
        .col(uuid_null("site_id"))
        .one_of(string_len("status", 24), STATUSES)
        .col(string_len_null("active_hostname", 512))
        .primary_key(&["hostname", "organization_id"])
        .cascading(&["organization_id"], ORGANIZATIONS, &["id"])
        .cascading(&["site_id", "organization_id"], SITES, &["id", "organization_id"])
        .unique_index(&["active_hostname"])
        // The hostnames of a target.
        .index(&["organization_id", "site_id"])
}

fn default_content() -> NewTable {
    table("organization_default_content")
        .col(pk_uuid("organization_id"))
        .col(uuid("site_id"))
        .cascading(&["organization_id"], ORGANIZATIONS, &["id"])
        .cascading(&["site_id", "organization_id"], SITES, &["id", "organization_id"])
        .index(&["site_id"])
}
