//! Comments on content, the replies to them, and reactions.

use sea_orm_migration::{prelude::*, schema::*};

use crate::columns::{cascading, index, named, one_of, time, time_null};

const COMMENTS: &str = "comments";
const REACTIONS: &str = "comment_reactions";

const STATUSES: &[&str] = &["open", "resolved"];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(comments()).await?;
        for columns in [
            // The lists, with each of their filters.
            &["list_id", "id"][..],
            &["list_id", "status", "id"],
            &["list_id", "page_id", "id"],
            &["list_id", "author_id", "id"],
            // Who has commented.
            &["space_id", "change_request_id", "author_id"],
            // What goes with the row that is referred to.
            &["change_request_id"],
            &["review_id"],
            &["parent_id"],
        ] {
            manager.create_index(index(COMMENTS, columns)).await?;
        }
        manager.create_table(reactions()).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in [REACTIONS, COMMENTS] {
            manager.drop_table(Table::drop().table(table).take()).await?;
        }
        Ok(())
    }
}

fn comments() -> TableCreateStatement {
    let list = Func::coalesce(["parent_id", "change_request_id", "space_id"].map(Expr::col));
    Table::create()
        .table(COMMENTS)
        .col(pk_uuid("id"))
        .col(uuid("space_id"))
        .col(uuid_null("change_request_id"))
        .col(uuid_null("review_id"))
        .col(uuid_null("parent_id"))
        .col(uuid("list_id").check(named(COMMENTS, "list_id", "known", Expr::col("list_id").eq(list))))
        .col(uuid("author_id"))
        .col(text("body"))
        .col(time("posted_at"))
        .col(time_null("edited_at"))
        .col(uuid("revision_id"))
        .col(uuid_null("page_id"))
        .col(string_len_null("node", 128))
        .col(string_len_null("cell_record", 128))
        .col(string_len_null("cell_definition", 128))
        .col(one_of(string_len("status", 8), COMMENTS, STATUSES))
        .col(time_null("resolved_at"))
        .col(uuid_null("resolved_by"))
        .foreign_key(&mut cascading(COMMENTS, &["space_id"], "spaces", &["id"]))
        .foreign_key(&mut cascading(
            COMMENTS,
            &["change_request_id"],
            "change_requests",
            &["id"],
        ))
        .foreign_key(&mut cascading(COMMENTS, &["review_id"], "reviews", &["id"]))
        .foreign_key(&mut cascading(COMMENTS, &["parent_id"], COMMENTS, &["id"]))
        .foreign_key(&mut cascading(COMMENTS, &["author_id"], "users", &["id"]))
        .take()
}

fn reactions() -> TableCreateStatement {
    Table::create()
        .table(REACTIONS)
        .col(uuid("comment_id"))
        .col(uuid("user_id"))
        .col(string_len("emoji", 160))
        .col(string_len("written", 50))
        .col(time("reacted_at"))
        .primary_key(Index::create().col("comment_id").col("user_id").col("emoji"))
        .foreign_key(&mut cascading(REACTIONS, &["comment_id"], COMMENTS, &["id"]))
        .foreign_key(&mut cascading(REACTIONS, &["user_id"], "users", &["id"]))
        .take()
}
