//! The customization of sites and of their site spaces, and the icon of sites.

use sea_orm_migration::{prelude::*, schema::*};

use crate::tables::{self, NewTable, table};

const SITES: &str = "sites";
const FAVICON: &str = "favicon";

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut column = json_null(FAVICON);
        let table = Table::alter().table(SITES).add_column(&mut column).take();
        manager.alter_table(table).await?;
        tables::create([of_sites(), of_site_spaces()], manager).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        tables::drop([of_sites(), of_site_spaces()], manager).await?;
        let table = Table::alter().table(SITES).drop_column(FAVICON).take();
        manager.alter_table(table).await
    }
}

/// Without a row, the default settings are in force.
fn of_sites() -> NewTable {
    table("site_customizations")
        .col(pk_uuid("site_id"))
        .col(json("settings"))
        .cascading(&["site_id"], SITES, &["id"])
}

/// Without a row, the settings of the site are in force.
fn of_site_spaces() -> NewTable {
    table("site_space_customizations")
        .col(pk_uuid("site_space_id"))
        .col(json("overrides"))
        .cascading(&["site_space_id"], "site_spaces", &["id"])
}
