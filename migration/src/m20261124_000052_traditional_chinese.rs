//! Spaces in Traditional Chinese.

use sea_orm_migration::{
    prelude::*,
    schema::*,
    sea_orm::{ConnectionTrait, DbBackend},
};

use crate::columns::one_of;

const SPACES: &str = "spaces";
const LANGUAGE: &str = "language";
const BEFORE: &str = "language_before";
const LANGUAGES: &[&str] = &[
    "en", "fr", "de", "es", "it", "pt", "pt-br", "ru", "ja", "zh", "zh-tw", "yue", "ko", "ar", "hi", "nl", "pl", "tr",
    "sv", "no", "da", "fi", "el", "cs", "hu", "ro", "th", "vi", "id", "ms", "he", "uk", "sk", "bg", "hr", "lt", "lv",
    "et", "sl",
];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        set_known(manager, LANGUAGES).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let forget = "UPDATE spaces SET language = NULL WHERE language = 'zh-tw'";
        manager.get_connection().execute_unprepared(forget).await?;
        let known: Vec<&str> = LANGUAGES.iter().copied().filter(|known| *known != "zh-tw").collect();
        set_known(manager, &known).await
    }
}

/// Changes the values that the column may hold.
async fn set_known(manager: &SchemaManager<'_>, known: &[&'static str]) -> Result<(), DbErr> {
    let db = manager.get_connection();
    if manager.get_database_backend() == DbBackend::Postgres {
        let known: Vec<String> = known.iter().map(|known| format!("'{known}'")).collect();
        let change = format!(
            "ALTER TABLE spaces DROP CONSTRAINT spaces_language_known,
            ADD CONSTRAINT spaces_language_known CHECK (language IN ({}))",
            known.join(", ")
        );
        return db.execute_unprepared(&change).await.map(drop);
    }
    // SQLite changes no check of a column: another column takes its place.
    let table = || Table::alter().table(SPACES).take();
    manager
        .alter_table(table().rename_column(LANGUAGE, BEFORE).take())
        .await?;
    let column = one_of(string_len_null(LANGUAGE, 8), SPACES, known);
    manager.alter_table(table().add_column(column).take()).await?;
    db.execute_unprepared("UPDATE spaces SET language = language_before")
        .await?;
    manager.alter_table(table().drop_column(BEFORE).take()).await
}
