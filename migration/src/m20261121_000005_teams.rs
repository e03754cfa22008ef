use sea_orm_migration::{prelude::*, schema::*};

use crate::columns::{cascading, counter, index, one_of, time};

const TEAMS: &str = "teams";
const MEMBERS: &str = "team_members";

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(teams()).await?;
        // What memberships refer to, so that a team can hold only members of its own organization.
        manager
            .create_index(index(TEAMS, &["id", "organization_id"]).unique().take())
            .await?;
        manager
            .create_index(index(TEAMS, &["organization_id", "created_at", "id"]))
            .await?;
        manager.create_table(team_members()).await?;
        manager
            .create_index(index(MEMBERS, &["organization_id", "user_id", "team_id"]))
            .await?;
        manager
            .create_index(index(MEMBERS, &["team_id", "added_at", "user_id"]))
            .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(MEMBERS).take()).await?;
        manager.drop_table(Table::drop().table(TEAMS).take()).await
    }
}

fn teams() -> TableCreateStatement {
    Table::create()
        .table(TEAMS)
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .col(string_len("title", 64))
        .col(text("title_folded"))
        .col(counter("members_count", TEAMS))
        .col(time("created_at"))
        .foreign_key(&mut cascading(TEAMS, &["organization_id"], "organizations", &["id"]))
        .take()
}

fn team_members() -> TableCreateStatement {
    Table::create()
        .table(MEMBERS)
        .col(uuid("team_id"))
        .col(uuid("user_id"))
        .col(uuid("organization_id"))
        .col(one_of(string_len("role", 8), MEMBERS, &["owner", "member"]))
        .col(time("added_at"))
        .primary_key(Index::create().col("team_id").col("user_id"))
        .foreign_key(&mut cascading(
            MEMBERS,
            &["organization_id", "team_id"],
            TEAMS,
            &["organization_id", "id"],
        ))
        .foreign_key(&mut cascading(
            MEMBERS,
            &["organization_id", "user_id"],
            "members",
            &["organization_id", "user_id"],
        ))
        .take()
}
