//! Revisions, and what they are made of.

use sea_orm_migration::{prelude::*, schema::*};

use crate::columns::{cascading, index, one_of, time};

const OBJECTS: &str = "content_objects";
const REVISIONS: &str = "revisions";

const KINDS: &[&str] = &["edits", "merge", "rollback", "update", "computed"];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(objects()).await?;
        manager.create_table(revisions()).await?;
        // The history of a space and of its change requests, the newest first.
        let columns = &["space_id", "change_request_id", "id"];
        manager.create_index(index(REVISIONS, columns)).await?;
        manager.get_connection().execute_unprepared(FIRST_REVISIONS).await?;
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in [REVISIONS, OBJECTS] {
            manager.drop_table(Table::drop().table(table).take()).await?;
        }
        Ok(())
    }
}

/// Spaces that were made before there was content have the id of a revision that holds nothing.
const FIRST_REVISIONS: &str = "INSERT INTO revisions (id, space_id, kind, snapshot, parents, created_at) \
    SELECT spaces.revision_id, spaces.id, 'edits', \
    '{\"pages\":null,\"places\":null,\"files\":null,\"reusable_contents\":null}', '[]', nodes.created_at \
    FROM spaces INNER JOIN nodes ON nodes.id = spaces.id";

fn objects() -> TableCreateStatement {
    Table::create()
        .table(OBJECTS)
        .col(uuid("space_id"))
        .col(binary_len("hash", 32))
        .col(blob("data"))
        .primary_key(Index::create().col("space_id").col("hash"))
        .foreign_key(&mut cascading(OBJECTS, &["space_id"], "spaces", &["id"]))
        .take()
}

fn revisions() -> TableCreateStatement {
    Table::create()
        .table(REVISIONS)
        .col(pk_uuid("id"))
        .col(uuid("space_id"))
        .col(one_of(string_len("kind", 16), REVISIONS, KINDS))
        .col(json("snapshot"))
        .col(json("parents"))
        .col(uuid_null("author_id"))
        .col(uuid_null("change_request_id"))
        .col(uuid_null("merged_from"))
        .col(time("created_at"))
        .foreign_key(&mut cascading(REVISIONS, &["space_id"], "spaces", &["id"]))
        .take()
}
