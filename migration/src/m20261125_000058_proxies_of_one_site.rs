//! Each address of a proxy is that of one site, with its host in lower case. Where several sites have the same one, it stays with
//! the site that it led to: a published one, the oldest of them. The others get back the address that they have without it.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

use crate::columns::{drop_index, index};

const SITES: &str = "sites";
const PROXY: &str = "proxy";

const KEEP_ONE: &str = "
    UPDATE sites SET proxy = NULL WHERE proxy IS NOT NULL AND EXISTS (
        SELECT 1 FROM sites AS other WHERE other.proxy = sites.proxy AND (
            (other.published AND NOT sites.published)
            OR (other.published = sites.published AND other.id < sites.id)))";

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let slash = match manager.get_database_backend() {
            DbBackend::Sqlite => "instr(proxy, '/')",
            _ => "strpos(proxy, '/')",
        };
        let lower_case = format!(
            "UPDATE sites SET proxy = lower(substr(proxy, 1, {slash})) || substr(proxy, {slash} + 1) WHERE proxy IS NOT NULL"
        );
        let db = manager.get_connection();
        db.execute_unprepared(&lower_case).await?;
        db.execute_unprepared(KEEP_ONE).await?;
        manager.create_index(index(SITES, &[PROXY]).unique().take()).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_index(drop_index(SITES, &[PROXY])).await
    }
}
