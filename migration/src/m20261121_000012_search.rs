//! The search index: pages and their terms.

use sea_orm_migration::{prelude::*, schema::*, sea_orm::DbBackend};

use crate::tables::{self, NewTable, table};

const SPACES: &str = "search_spaces";
const PAGES: &str = "search_pages";
const TERMS: &str = "search_terms";

/// The terms of a page are words with spaces between them, made by the server: the tokenizer has nothing left to decide. The index
/// keeps neither the text nor where in it a word stands, and rows of it go with their pages.
const SQLITE_TERMS: [&str; 2] = [
    r#"CREATE VIRTUAL TABLE search_terms USING fts5(
        terms, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '.'")"#,
    "CREATE TRIGGER search_terms_follow_pages AFTER DELETE ON search_pages
        BEGIN DELETE FROM search_terms WHERE rowid = old.id; END",
];

/// Terms are stored apart from the rows, which only lead to pages: a common word is in many of them. The planner does not know that
/// terms are dear to read, and would rather read all of them than ask the index: the function leaves it no choice.
const POSTGRES_TERMS: [&str; 3] = [
    "CREATE TABLE search_terms (
        page_id bigint PRIMARY KEY REFERENCES search_pages (id) ON DELETE CASCADE, terms tsvector NOT NULL)
        WITH (toast_tuple_target = 128)",
    "CREATE INDEX search_terms_by_terms ON search_terms USING gin (terms)",
    "CREATE FUNCTION search_find(wanted tsquery, most bigint) RETURNS text LANGUAGE plpgsql STABLE
        SET enable_seqscan = off SET enable_indexscan = off SET jit = off AS $$
        BEGIN
            RETURN (SELECT string_agg(page_id::text, ',') FROM (
                SELECT page_id FROM search_terms WHERE terms @@ wanted LIMIT most) AS found);
        END $$",
];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        tables::create([spaces(), pages()], manager).await?;
        let terms = match manager.get_database_backend() {
            DbBackend::Postgres => &POSTGRES_TERMS[..],
            _ => &SQLITE_TERMS,
        };
        for sql in terms {
            manager.get_connection().execute_unprepared(sql).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        if manager.get_database_backend() == DbBackend::Postgres {
            let function = "DROP FUNCTION search_find(tsquery, bigint)";
            manager.get_connection().execute_unprepared(function).await?;
        }
        manager.drop_table(Table::drop().table(TERMS).take()).await?;
        tables::drop([spaces(), pages()], manager).await
    }
}

fn spaces() -> NewTable {
    table(SPACES)
        .col(big_pk_auto("id"))
        .col(uuid_uniq("space_id"))
        .counter("pages_count")
        .cascading(&["space_id"], "nodes", &["id"])
}

fn pages() -> NewTable {
    table(PAGES)
        .col(big_pk_auto("id"))
        .col(big_integer("search_space_id"))
        .col(uuid("page_id"))
        .col(text("title"))
        .col(integer("size"))
        .col(json("sections"))
        .cascading(&["search_space_id"], SPACES, &["id"])
        .unique_key(&["search_space_id", "page_id"])
}
