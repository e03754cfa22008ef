//! The words of each space beside the search index, and the language and the version of its terms. The terms of existing
//! pages have version 0, so a job makes them anew.

use sea_orm_migration::{prelude::*, schema::*, sea_orm::DbBackend};

use crate::columns::{drop_index, index};

const SPACES: &str = "search_spaces";
const WORDS: &str = "search_words";
const LANGUAGE: &str = "language";
const VERSION: &str = "terms_version";

/// Words are read by ranges, in the order of their bytes.
const SQLITE_WORDS: [&str; 2] = [
    "CREATE TABLE search_words (
        search_space_id integer NOT NULL REFERENCES search_spaces (id) ON DELETE CASCADE,
        word text NOT NULL, reversed text NOT NULL, PRIMARY KEY (search_space_id, word)) WITHOUT ROWID",
    "CREATE INDEX search_words_by_reversed ON search_words (search_space_id, reversed)",
];
const POSTGRES_WORDS: [&str; 2] = [
    r#"CREATE TABLE search_words (
        search_space_id bigint NOT NULL REFERENCES search_spaces (id) ON DELETE CASCADE,
        word text COLLATE "C" NOT NULL, reversed text COLLATE "C" NOT NULL, PRIMARY KEY (search_space_id, word))"#,
    "CREATE INDEX search_words_by_reversed ON search_words (search_space_id, reversed)",
];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for column in [string_len_null(LANGUAGE, 8), integer(VERSION).default(0).take()] {
            let with = Table::alter().table(SPACES).add_column(column).take();
            manager.alter_table(with).await?;
        }
        manager.create_index(index(SPACES, &[VERSION])).await?;
        let known = "UPDATE search_spaces SET language = (
            SELECT spaces.language FROM spaces WHERE spaces.id = search_spaces.space_id)";
        let words = match manager.get_database_backend() {
            DbBackend::Postgres => &POSTGRES_WORDS,
            _ => &SQLITE_WORDS,
        };
        for sql in std::iter::once(&known).chain(words) {
            manager.get_connection().execute_unprepared(sql).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(WORDS).take()).await?;
        manager.drop_index(drop_index(SPACES, &[VERSION])).await?;
        for column in [VERSION, LANGUAGE] {
            let without = Table::alter().table(SPACES).drop_column(column).take();
            manager.alter_table(without).await?;
        }
        Ok(())
    }
}
