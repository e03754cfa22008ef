//! What the pages of spaces link to.

use sea_orm_migration::{prelude::*, schema::*};

use crate::columns::{cascading, index, one_of};

const LINKS: &str = "page_links";

const ROLES: &[&str] = &["link", "media", "file", "reusable", "specification"];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(links()).await?;
        // What links to something: every page once, however many of its texts do.
        let columns = &["target_id", "target_space", "space_id", "page_id"];
        manager.create_index(index(LINKS, columns)).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(LINKS).take()).await
    }
}

fn links() -> TableCreateStatement {
    Table::create()
        .table(LINKS)
        .col(uuid("space_id"))
        .col(binary_len("source", 32))
        .col(uuid("page_id"))
        .col(integer("seq"))
        .col(uuid_null("target_space"))
        .col(uuid_null("target_id"))
        .col(one_of(string_len("role", 16), LINKS, ROLES))
        .col(json("reference"))
        .col(string_len_null("node", 128))
        .primary_key(Index::create().col("space_id").col("source").col("page_id").col("seq"))
        .foreign_key(&mut cascading(LINKS, &["space_id"], "spaces", &["id"]))
        .take()
}
