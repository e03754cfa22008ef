//! Site spaces whose paths lead to a section: the path of the default section is left out only where no section has the path of
//! the site space.

use sea_orm_migration::{prelude::*, sea_orm::ConnectionTrait};

/// Only defaults of default sections have the empty path, so that those beside them are in the default section.
const LENGTHEN: &str = "
    UPDATE site_spaces SET published_path =
        (SELECT site_sections.path FROM site_sections WHERE site_sections.id = site_spaces.section_id) || '/' || path || '/'
    WHERE published_path = path || '/'
    AND EXISTS (
        SELECT 1 FROM site_spaces AS defaults
        WHERE defaults.section_id = site_spaces.section_id AND defaults.published_path = '')
    AND EXISTS (
        SELECT 1 FROM site_sections AS named
        WHERE named.site_id = site_spaces.site_id AND named.path = site_spaces.path)";

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.get_connection().execute_unprepared(LENGTHEN).await?;
        Ok(())
    }

    /// The longer paths lead to the site spaces for older versions as well.
    async fn down(&self, _: &SchemaManager) -> Result<(), DbErr> {
        Ok(())
    }
}
