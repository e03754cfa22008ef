//! Revisions, and what they are made of.

use sea_orm_migration::{prelude::*, schema::*};

use crate::{
    columns::time,
    tables::{self, NewTable, table},
};

const OBJECTS: &str = "content_objects";
const REVISIONS: &str = "revisions";

const KINDS: &[&str] = &["edits", "merge", "rollback", "update", "computed"];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        tables::create([objects(), revisions()], manager).await?;
        manager.get_connection().execute_unprepared(FIRST_REVISIONS).await?;
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        tables::drop([objects(), revisions()], manager).await
    }
}

/// Spaces that were made before there was content have the id of a revision that holds nothing.
const FIRST_REVISIONS: &str = "INSERT INTO revisions (id, space_id, kind, snapshot, parents, created_at) \
    SELECT spaces.revision_id, spaces.id, 'edits', \
    '{\"pages\":null,\"places\":null,\"files\":null,\"reusable_contents\":null}', '[]', nodes.created_at \
    FROM spaces INNER JOIN nodes ON nodes.id = spaces.id";

fn objects() -> NewTable {
    table(OBJECTS)
        .col(uuid("space_id"))
        .col(binary_len("hash", 32))
        .col(blob("data"))
        .primary_key(&["space_id", "hash"])
        .cascading(&["space_id"], "spaces", &["id"])
}

fn revisions() -> NewTable {
    table(REVISIONS)
        .col(pk_uuid("id"))
        .col(uuid("space_id"))
        .one_of(string_len("kind", 16), KINDS)
        .col(json("snapshot"))
        .col(json("parents"))
        .col(uuid_null("author_id"))
        .col(uuid_null("change_request_id"))
        .col(uuid_null("merged_from"))
        .col(time("created_at"))
        .cascading(&["space_id"], "spaces", &["id"])
        // The history of a space and of its change requests, the newest first.
        .index(&["space_id", "change_request_id", "id"])
}
