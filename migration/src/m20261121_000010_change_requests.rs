//! Change requests, who took part in them, and what they could not combine.

use sea_orm_migration::{prelude::*, schema::*};

use crate::columns::{cascading, counter, index, one_of, time};

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
        manager.create_table(requests()).await?;
        for columns in [
            // Lists of a space, the newest first.
            &["space_id", "status", "id"][..],
            &["space_id", "created_by", "id"],
        ] {
            manager.create_index(index(REQUESTS, columns)).await?;
        }
        let numbers = index(REQUESTS, &["space_id", "number"]).unique().take();
        manager.create_index(numbers).await?;
        manager.create_table(contributors()).await?;
        for columns in [
            // The list, the latest first.
            &["change_request_id", "updated_at", "user_id", "action"][..],
            &["user_id", "change_request_id"],
        ] {
            manager.create_index(index(CONTRIBUTORS, columns)).await?;
        }
        manager.create_table(conflicts()).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in [CONFLICTS, CONTRIBUTORS, REQUESTS] {
            manager.drop_table(Table::drop().table(table).take()).await?;
        }
        for name in COUNTERS {
            let table = Table::alter().table(SPACES).drop_column(*name).take();
            manager.alter_table(table).await?;
        }
        Ok(())
    }
}

const COUNTERS: &[&str] = &["change_requests", "change_requests_open", "change_requests_draft"];

fn requests() -> TableCreateStatement {
    Table::create()
        .table(REQUESTS)
        .col(pk_uuid("id"))
        .col(uuid("space_id"))
        .col(integer("number"))
        .col(one_of(string_len("status", 16), REQUESTS, STATUSES))
        .col(string_len("subject", 100))
        .col(json_null("description"))
        .col(uuid("created_by"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .col(uuid("revision_id"))
        .col(uuid("initial_id"))
        .col(uuid_null("ancestor_id"))
        .col(uuid_null("merged_id"))
        .foreign_key(&mut cascading(REQUESTS, &["space_id"], SPACES, &["id"]))
        .take()
}

fn contributors() -> TableCreateStatement {
    Table::create()
        .table(CONTRIBUTORS)
        .col(uuid("change_request_id"))
        .col(uuid("user_id"))
        .col(one_of(string_len("action", 8), CONTRIBUTORS, ACTIONS))
        .col(integer("count"))
        .col(time("updated_at"))
        .primary_key(Index::create().col("change_request_id").col("user_id").col("action"))
        .foreign_key(&mut cascading(CONTRIBUTORS, &["change_request_id"], REQUESTS, &["id"]))
        .foreign_key(&mut cascading(CONTRIBUTORS, &["user_id"], "users", &["id"]))
        .take()
}

fn conflicts() -> TableCreateStatement {
    Table::create()
        .table(CONFLICTS)
        .col(uuid("change_request_id"))
        .col(uuid("subject_id"))
        .col(one_of(string_len("subject", 16), CONFLICTS, SUBJECTS))
        .col(one_of(string_len("kind", 16), CONFLICTS, KINDS))
        .col(uuid("base_id"))
        .col(uuid("ours_id"))
        .col(uuid("theirs_id"))
        .col(time("created_at"))
        .primary_key(Index::create().col("change_request_id").col("subject_id"))
        .foreign_key(&mut cascading(CONFLICTS, &["change_request_id"], REQUESTS, &["id"]))
        .take()
}
