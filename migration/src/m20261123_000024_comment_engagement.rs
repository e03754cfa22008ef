//! Commenters, repliers and numbers of reactions beside the comments, filled for those that exist.

use sea_orm_migration::{
    prelude::*,
    schema::*,
    sea_orm::{ConnectionTrait, Statement, prelude::Uuid},
};

use crate::{
    columns::{drop_index, index, time},
    tables::{self, NewTable, table},
};

const COMMENTS: &str = "comments";
const REACTIONS: &str = "comment_reactions";
const EARLIEST: [&str; 4] = ["comment_id", "emoji", "reacted_at", "user_id"];

const FILL: &str = "
    INSERT INTO commenters (content_id, user_id, space_id)
        SELECT DISTINCT COALESCE(change_request_id, space_id), author_id, space_id FROM comments;
    INSERT INTO comment_repliers (comment_id, user_id, replies, replied_at)
        SELECT parent_id, author_id, COUNT(*), MAX(posted_at) FROM comments
        WHERE parent_id IS NOT NULL GROUP BY parent_id, author_id";

const COUNT: &str = "
    INSERT INTO comment_reaction_counts (comment_id, emoji, part_id, reactions)
        SELECT comment_id, emoji, $1, COUNT(*) FROM comment_reactions GROUP BY comment_id, emoji";

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        tables::create([commenters(), repliers(), reaction_counts()], manager).await?;
        manager.create_index(index(REACTIONS, &EARLIEST)).await?;
        let db = manager.get_connection();
        db.execute_unprepared(FILL).await?;
        let count = Statement::from_sql_and_values(db.get_database_backend(), COUNT, [Uuid::nil().into()]);
        db.execute_raw(count).await?;
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_index(drop_index(REACTIONS, &EARLIEST)).await?;
        tables::drop([commenters(), repliers(), reaction_counts()], manager).await
    }
}

fn commenters() -> NewTable {
    table("commenters")
        .col(uuid("content_id"))
        .col(uuid("user_id"))
        .col(uuid("space_id"))
        .primary_key(&["content_id", "user_id"])
        .cascading(&["user_id"], "users", &["id"])
        .cascading(&["space_id"], "spaces", &["id"])
        // For deleting with the space.
        .index(&["space_id"])
}

fn repliers() -> NewTable {
    table("comment_repliers")
        .col(uuid("comment_id"))
        .col(uuid("user_id"))
        .col(integer("replies"))
        .col(time("replied_at"))
        .primary_key(&["comment_id", "user_id"])
        .cascading(&["comment_id"], COMMENTS, &["id"])
        .cascading(&["user_id"], "users", &["id"])
        // The latest, which answers name.
        .index(&["comment_id", "replied_at", "user_id"])
}

fn reaction_counts() -> NewTable {
    table("comment_reaction_counts")
        .col(uuid("comment_id"))
        .col(string_len("emoji", 160))
        .col(uuid("part_id"))
        .col(integer("reactions"))
        .primary_key(&["comment_id", "emoji", "part_id"])
        .cascading(&["comment_id"], COMMENTS, &["id"])
        // The parts that are not summed up yet.
        .index(&["part_id"])
}
