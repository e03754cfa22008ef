//! Reviews of change requests, and who was asked for one.

use sea_orm_migration::{prelude::*, schema::*};

use crate::columns::{cascading, index, one_of, time};

const CHANGE_REQUESTS: &str = "change_requests";
const REVIEWS: &str = "reviews";
const REQUESTED: &str = "requested_reviewers";

const STATUSES: &[&str] = &["changes-requested", "approved"];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(reviews()).await?;
        manager
            .create_index(index(REVIEWS, &["change_request_id", "id"]))
            .await?;
        manager.create_table(requested()).await?;
        for columns in [
            // The list, the latest first.
            &["change_request_id", "created_at", "user_id"][..],
            &["user_id", "change_request_id"],
        ] {
            manager.create_index(index(REQUESTED, columns)).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in [REQUESTED, REVIEWS] {
            manager.drop_table(Table::drop().table(table).take()).await?;
        }
        Ok(())
    }
}

fn reviews() -> TableCreateStatement {
    Table::create()
        .table(REVIEWS)
        .col(pk_uuid("id"))
        .col(uuid("change_request_id"))
        .col(uuid("revision_id"))
        .col(uuid("reviewer_id"))
        .col(uuid_null("requested_by"))
        .col(one_of(string_len("status", 32), REVIEWS, STATUSES))
        .col(time("created_at"))
        .col(time("updated_at"))
        .foreign_key(&mut cascading(
            REVIEWS,
            &["change_request_id"],
            CHANGE_REQUESTS,
            &["id"],
        ))
        .foreign_key(&mut cascading(REVIEWS, &["reviewer_id"], "users", &["id"]))
        .take()
}

fn requested() -> TableCreateStatement {
    Table::create()
        .table(REQUESTED)
        .col(uuid("change_request_id"))
        .col(uuid("user_id"))
        .col(uuid("requested_by"))
        .col(uuid("revision_id"))
        .col(time("created_at"))
        .primary_key(Index::create().col("change_request_id").col("user_id"))
        .foreign_key(&mut cascading(
            REQUESTED,
            &["change_request_id"],
            CHANGE_REQUESTS,
            &["id"],
        ))
        .foreign_key(&mut cascading(REQUESTED, &["user_id"], "users", &["id"]))
        .take()
}
