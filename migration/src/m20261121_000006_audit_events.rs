use sea_orm_migration::{prelude::*, schema::*};

use crate::columns::{cascading, index, one_of, time};

const EVENTS: &str = "audit_events";

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(events()).await?;
        // Lists are the newest first, with at most a few filters: each has the index that answers it alone.
        for filter in [None, Some("action"), Some("actor_id"), Some("target_id")] {
            let columns: Vec<&str> = ["organization_id"]
                .into_iter()
                .chain(filter)
                .chain(["occurred_at", "id"])
                .collect();
            manager.create_index(index(EVENTS, &columns)).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(EVENTS).take()).await
    }
}

fn events() -> TableCreateStatement {
    Table::create()
        .table(EVENTS)
        .col(pk_uuid("id"))
        .col(uuid_null("organization_id"))
        .col(time("occurred_at"))
        .col(string_len("action", 128))
        .col(one_of(string_len("actor_type", 16), EVENTS, &["user", "system"]))
        .col(string_len("actor_id", 64))
        .col(text_null("actor_label"))
        .col(string_len("target_type", 32))
        .col(string_len("target_id", 64))
        .col(text_null("target_label"))
        .col(string_len_null("request_id", 128))
        .col(json("payload"))
        .foreign_key(&mut cascading(EVENTS, &["organization_id"], "organizations", &["id"]))
        .take()
}
