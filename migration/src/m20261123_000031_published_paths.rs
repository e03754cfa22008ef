//! The paths of site spaces below the address of their site. Existing site spaces get the long form of the path, which leads
//! to them as well; the next change of the structure of the site shortens those of defaults.

use sea_orm_migration::{prelude::*, schema::*, sea_orm::ConnectionTrait};

const SITE_SPACES: &str = "site_spaces";
const PATH: &str = "published_path";

const FILL: &str = "
    UPDATE site_spaces SET published_path = COALESCE(
        (SELECT site_sections.path || '/' FROM site_sections WHERE site_sections.id = site_spaces.section_id), '')
        || path || '/'";

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let column = string_len(PATH, 202).default("").take();
        let table = Table::alter().table(SITE_SPACES).add_column(column).take();
        manager.alter_table(table).await?;
        manager.get_connection().execute_unprepared(FILL).await?;
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::alter().table(SITE_SPACES).drop_column(PATH).take();
        manager.alter_table(table).await
    }
}
