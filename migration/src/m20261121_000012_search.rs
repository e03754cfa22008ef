//! What can be searched, and the terms by which it is found.

use sea_orm_migration::{prelude::*, schema::*, sea_orm::DbBackend};

use crate::columns::{cascading, counter};

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

/// Terms stay in the row, compressed: the planner does not know that terms stored elsewhere are dear to read, and would read
/// all rows instead of the index. Terms that are not sorted into the index yet are few, because every search reads them.
const POSTGRES_TERMS: [&str; 3] = [
    "CREATE TABLE search_terms (
        page_id bigint PRIMARY KEY REFERENCES search_pages (id) ON DELETE CASCADE, terms tsvector NOT NULL)",
    "ALTER TABLE search_terms ALTER COLUMN terms SET STORAGE MAIN",
    "CREATE INDEX search_terms_by_terms ON search_terms USING gin (terms) WITH (gin_pending_list_limit = 256)",
];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(spaces()).await?;
        manager.create_table(pages()).await?;
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
        for table in [TERMS, PAGES, SPACES] {
            manager.drop_table(Table::drop().table(table).take()).await?;
        }
        Ok(())
    }
}

fn spaces() -> TableCreateStatement {
    Table::create()
        .table(SPACES)
        .col(big_pk_auto("id"))
        .col(uuid_uniq("space_id"))
        .col(counter("pages_count", SPACES))
        .foreign_key(&mut cascading(SPACES, &["space_id"], "nodes", &["id"]))
        .take()
}

fn pages() -> TableCreateStatement {
    Table::create()
        .table(PAGES)
        .col(big_pk_auto("id"))
        .col(big_integer("search_space_id"))
        .col(uuid("page_id"))
        .col(text("title"))
        .col(integer("size"))
        .col(json("sections"))
        .foreign_key(&mut cascading(PAGES, &["search_space_id"], SPACES, &["id"]))
        .index(
            Index::create()
                .unique()
                .name("search_pages_by_search_space_id_page_id")
                .col("search_space_id")
                .col("page_id"),
        )
        .take()
}
