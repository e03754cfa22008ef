//! Change requests, who took part in them, and what they could not combine.

use sea_orm_migration::{prelude::*, schema::*};

use crate::{
    columns::{counter, time},
    tables::{self, NewTable, table},
};

const SPACES: &str = "spaces";
const REQUESTS: &str = "change_requests";
const CONTRIBUTORS: &str = "contributors";
const CONFLICTS: &str = "conflicts";

const STATUSES: &[&str] = &["draft", "open", "archived", "merged"];
const ACTIONS: &[&str] = &["edit", "comment"];
const SUBJECTS: &[&str] = &["page", "file", "reusable_content"];
const KINDS: &[&str] = &[
    "edit_edit",
    "metadata",
    "move_move",
    "edit_delete",
    "delete_edit",
    "move_delete",
    "delete_move",
    "file",
    "reusable_content",
];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for name in COUNTERS {
            let mut column = counter(name, SPACES).default(0).take();
            let table = Table::alter().table(SPACES).add_column(&mut column).take();
            manager.alter_table(table).await?;
        }
        tables::create([requests(), contributors(), conflicts()], manager).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        tables::drop([requests(), contributors(), conflicts()], manager).await?;
        for name in COUNTERS {
            let table = Table::alter().table(SPACES).drop_column(*name).take();
            manager.alter_table(table).await?;
        }
        Ok(())
    }
}

const COUNTERS: &[&str] = &["change_requests", "change_requests_open", "change_requests_draft"];

fn requests() -> NewTable {
    table(REQUESTS)
        .col(pk_uuid("id"))
        .col(uuid("space_id"))
        .col(integer("number"))
        .one_of(string_len("status", 16), STATUSES)
        .col(string_len("subject", 100))
        .col(json_null("description"))
        .col(uuid("created_by"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .col(uuid("revision_id"))
        .col(uuid("initial_id"))
        .col(uuid_null("ancestor_id"))
        .col(uuid_null("merged_id"))
        .cascading(&["space_id"], SPACES, &["id"])
        // Lists of a space, the newest first.
        .index(&["space_id", "status", "id"])
        .index(&["space_id", "created_by", "id"])
        .unique_index(&["space_id", "number"])
}

fn contributors() -> NewTable {
    table(CONTRIBUTORS)
        .col(uuid("change_request_id"))
        .col(uuid("user_id"))
        .one_of(string_len("action", 8), ACTIONS)
        .col(integer("count"))
        .col(time("updated_at"))
        .primary_key(&["change_request_id", "user_id", "action"])
        .cascading(&["change_request_id"], REQUESTS, &["id"])
        .cascading(&["user_id"], "users", &["id"])
        // The list, the latest first.
        .index(&["change_request_id", "updated_at", "user_id", "action"])
        .index(&["user_id", "change_request_id"])
}

fn conflicts() -> NewTable {
    table(CONFLICTS)
        .col(uuid("change_request_id"))
        .col(uuid("subject_id"))
        .one_of(string_len("subject", 16), SUBJECTS)
        .one_of(string_len("kind", 16), KINDS)
        .col(uuid("base_id"))
        .col(uuid("ours_id"))
        .col(uuid("theirs_id"))
        .col(time("created_at"))
        .primary_key(&["change_request_id", "subject_id"])
        .cascading(&["change_request_id"], REQUESTS, &["id"])
}
