//! The conditions of the blocks around links. Of links that are stored already, the texts tell them.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

const LINKS: &str = "page_links";
const CONDITIONS: &str = "conditions";
const INDEX: &str = "page_links_with_conditions";

/// How the tag of a block with a condition begins: between `{%` and `if` there is nothing, or there are spaces and tabs.
const BEGINNINGS: [&str; 5] = ["{%if", "{% if", "{%  ", "{% \t", "{%\t"];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let column = ColumnDef::new(CONDITIONS).text().null().take();
        let with = Table::alter().table(LINKS).add_column(column).take();
        manager.alter_table(with).await?;
        let connection = manager.get_connection();
        connection
            .execute_unprepared(&mark_unknown(manager.get_database_backend()))
            .await?;
        let index = format!("CREATE INDEX {INDEX} ON {LINKS} (space_id) WHERE {CONDITIONS} IS NOT NULL");
        connection.execute_unprepared(&index).await?;
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        connection.execute_unprepared(&format!("DROP INDEX {INDEX}")).await?;
        let without = Table::alter().table(LINKS).drop_column(CONDITIONS).take();
        manager.alter_table(without).await
    }
}

/// Marks the links of texts that may have such blocks.
fn mark_unknown(backend: DbBackend) -> String {
    let begins = BEGINNINGS.map(|beginning| {
        let hex: String = beginning.bytes().map(|byte| format!("{byte:02x}")).collect();
        match backend {
            DbBackend::Sqlite => format!("instr(data, x'{hex}') > 0"),
            _ => format!("position('\\x{hex}'::bytea IN data) > 0"),
        }
    });
    format!(
        "UPDATE {LINKS} SET {CONDITIONS} = '[]' WHERE (space_id, source) IN \
         (SELECT space_id, hash FROM content_objects WHERE {})",
        begins.join(" OR ")
    )
}
