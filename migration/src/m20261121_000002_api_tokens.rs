use sea_orm_migration::{prelude::*, schema::*};

use crate::columns::{cascading, index, named, time, time_null};

const TABLE: &str = "api_tokens";

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let whole_hash = Expr::expr(Func::cust("length").arg(Expr::col("hash"))).eq(32);
        manager
            .create_table(
                Table::create()
                    .table(TABLE)
                    .col(pk_uuid("id"))
                    .col(uuid("user_id"))
                    .col(string_len("label", 50))
                    .col(binary_len_uniq("hash", 32).check(named(TABLE, "hash", "whole", whole_hash)))
                    .col(string_len("hint", 8))
                    .col(time("created_at"))
                    .col(time_null("expires_at"))
                    .col(time_null("last_used_at"))
                    .foreign_key(&mut cascading(TABLE, &["user_id"], "users", &["id"]))
                    .take(),
            )
            .await?;
        manager.create_index(index(TABLE, &["user_id", "id"])).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(TABLE).take()).await
    }
}
