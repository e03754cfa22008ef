//! The links to a page or file of a space are one range of an index, whether they name the space or not: by the linking page, so
//! that each page is found without its other links, then by the text that has or had the link.

use sea_orm_migration::prelude::*;

use crate::columns::{drop_index, index};

const LINKS: &str = "page_links";
const BY_NAMED_SPACE: [&str; 4] = ["target_id", "target_space", "space_id", "page_id"];
const INDEX: &str = "page_links_by_target";

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let create = format!(
            "CREATE INDEX {INDEX} ON {LINKS}
                (target_id, (COALESCE(target_space, space_id)), space_id, page_id, source, seq)
                WHERE target_id IS NOT NULL"
        );
        manager.get_connection().execute_unprepared(&create).await?;
        manager.drop_index(drop_index(LINKS, &BY_NAMED_SPACE)).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_index(index(LINKS, &BY_NAMED_SPACE)).await?;
        manager
            .drop_index(Index::drop().name(INDEX).table(LINKS).to_owned())
            .await
    }
}
