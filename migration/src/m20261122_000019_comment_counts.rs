//! Numbers of comments beside the comments, filled for those that exist.

use sea_orm_migration::{
    prelude::*,
    schema::*,
    sea_orm::{ConnectionTrait, prelude::Uuid},
};

use crate::tables::{self, NewTable, table};

const COUNTS: &str = "comment_counts";
const COMMENTS: &str = "comments";

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        tables::create([counts()], manager).await?;
        count_existing(manager.get_connection()).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        tables::drop([counts()], manager).await
    }
}

fn counts() -> NewTable {
    table(COUNTS)
        .col(uuid("list_id"))
        .col(uuid("part_id"))
        .col(uuid("space_id"))
        .col(integer("comments"))
        .col(integer("open"))
        .primary_key(&["list_id", "part_id"])
        .cascading(&["space_id"], "spaces", &["id"])
        // The parts that are not summed up yet.
        .index(&["part_id"])
        // For deleting with the space.
        .index(&["space_id"])
}

async fn count_existing(db: &impl ConnectionTrait) -> Result<(), DbErr> {
    let open = CaseStatement::new().case(Expr::col("status").eq("open"), 1).finally(0);
    let counted = Query::select()
        .column("list_id")
        .expr(Expr::value(Uuid::nil()))
        .column("space_id")
        .expr(Func::count(Expr::col("id")).cast_as("integer"))
        .expr(Func::sum(open).cast_as("integer"))
        .from(COMMENTS)
        .group_by_columns(["list_id", "space_id"])
        .take();
    let mut insert = Query::insert();
    insert
        .into_table(COUNTS)
        .columns(["list_id", "part_id", "space_id", "comments", "open"])
        .select_from(counted)
        .map_err(|error| DbErr::Custom(error.to_string()))?;
    db.execute(&insert).await?;
    Ok(())
}
