//! Comments on content, the replies to them, and reactions.

use sea_orm_migration::{prelude::*, schema::*};

use crate::{
    columns::{named, time, time_null},
    tables::{NewTable, table, tables},
};

const COMMENTS: &str = "comments";

const STATUSES: &[&str] = &["open", "resolved"];

tables![comments, reactions];

fn comments() -> NewTable {
    let list = Func::coalesce(["parent_id", "change_request_id", "space_id"].map(Expr::col));
    table(COMMENTS)
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
        .one_of(string_len("status", 8), STATUSES)
        .col(time_null("resolved_at"))
        .col(uuid_null("resolved_by"))
        .cascading(&["space_id"], "spaces", &["id"])
        .cascading(&["change_request_id"], "change_requests", &["id"])
        .cascading(&["review_id"], "reviews", &["id"])
        .cascading(&["parent_id"], COMMENTS, &["id"])
        .cascading(&["author_id"], "users", &["id"])
        // The lists, with each of their filters.
        .index(&["list_id", "id"])
        .index(&["list_id", "status", "id"])
        .index(&["list_id", "page_id", "id"])
        .index(&["list_id", "author_id", "id"])
        // For listing commenters.
        .index(&["space_id", "change_request_id", "author_id"])
        // For deleting with the referenced row.
        .index(&["change_request_id"])
        .index(&["review_id"])
        .index(&["parent_id"])
}

fn reactions() -> NewTable {
    table("comment_reactions")
        .col(uuid("comment_id"))
        .col(uuid("user_id"))
        .col(string_len("emoji", 160))
        .col(string_len("written", 50))
        .col(time("reacted_at"))
        .primary_key(&["comment_id", "user_id", "emoji"])
        .cascading(&["comment_id"], COMMENTS, &["id"])
        .cascading(&["user_id"], "users", &["id"])
}
