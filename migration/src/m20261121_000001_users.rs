use sea_orm_migration::{prelude::*, schema::*};

use crate::columns::{time, time_null};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                Table::create()
                    .table("users")
                    .col(pk_uuid("id"))
                    .col(string_len_uniq("email", 320))
                    .col(boolean("email_verified"))
                    .col(string_len("display_name", 64))
                    .col(string_len_null("photo_url", 2048))
                    .col(text("search_text"))
                    .col(time("created_at"))
                    .col(time_null("suspended_at"))
                    .take(),
            )
            .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table("users").take()).await
    }
}
