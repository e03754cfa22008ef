//! People whom somebody else has removed from an organization.

use sea_orm_migration::prelude::*;

use crate::tables::{self, prelude::*};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        tables::create([removed_members()], manager).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table("removed_members").take()).await
    }
}

fn removed_members() -> NewTable {
    table("removed_members")
        .col(uuid("organization_id"))
        .col(uuid("user_id"))
        .col(time("removed_at"))
        .primary_key(&["organization_id", "user_id"])
        .cascading(&["organization_id"], "organizations", &["id"])
        .cascading(&["user_id"], "users", &["id"])
}
