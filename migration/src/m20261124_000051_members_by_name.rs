//! Members have the name of their user, so that a list of members by name is a range of an index.

use sea_orm_migration::{
    prelude::*,
    schema::*,
    sea_orm::{ConnectionTrait, DbBackend},
};

use crate::columns::{drop_index, index};

const MEMBERS: &str = "members";
const NAME: &str = "sort_name";
const INDEXES: [&[&str]; 2] = [
    &["organization_id", NAME, "user_id"],
    &["organization_id", "role", NAME, "user_id"],
];

/// The text that users are found by begins with their folded name, and the address stands on the line after it.
const FILL: &str = "UPDATE members SET sort_name = (SELECT
    replace(users.search_text, {line} || users.email, '') FROM users WHERE users.id = members.user_id)";

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // Neither database adds a column without a default to rows.
        let mut column = text(NAME).default("").take();
        let table = Table::alter().table(MEMBERS).add_column(&mut column).take();
        manager.alter_table(table).await?;
        let line = match manager.get_database_backend() {
            DbBackend::Postgres => "chr(10)",
            _ => "char(10)",
        };
        let fill = FILL.replace("{line}", line);
        manager.get_connection().execute_unprepared(&fill).await?;
        for columns in INDEXES {
            manager.create_index(index(MEMBERS, columns)).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for columns in INDEXES {
            manager.drop_index(drop_index(MEMBERS, columns)).await?;
        }
        let table = Table::alter().table(MEMBERS).drop_column(NAME).take();
        manager.alter_table(table).await
    }
}
