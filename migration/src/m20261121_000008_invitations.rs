//! Invite links, and the mails that carry some of them.

use sea_orm_migration::{prelude::*, schema::*};

use crate::columns::{cascading, index, named, one_of, time, time_null};

const INVITATIONS: &str = "invitations";
const OUTBOX: &str = "outbox";

const ROLES: &[&str] = &["read", "comment", "edit", "review", "create", "admin"];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(invitations()).await?;
        // One person has one personal invite.
        manager
            .create_index(index(INVITATIONS, &["organization_id", "user_id"]).unique().take())
            .await?;
        for columns in [
            // Lists, the newest first.
            &["organization_id", "id"][..],
            // What goes with a space or collection.
            &["organization_id", "node_id"],
            &["created_by"],
            // What is to be removed for good.
            &["expires_at"],
        ] {
            manager.create_index(index(INVITATIONS, columns)).await?;
        }
        manager.create_table(outbox()).await?;
        for columns in [["next_attempt_at"], ["sent_at"]] {
            manager.create_index(index(OUTBOX, &columns)).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in [OUTBOX, INVITATIONS] {
            manager.drop_table(Table::drop().table(table).take()).await?;
        }
        Ok(())
    }
}

fn invitations() -> TableCreateStatement {
    let personal = Expr::col("user_id").is_null().eq(Expr::col("email").is_null());
    let one_kind = Expr::col("user_id").is_null().or(Expr::col("node_id").is_null());
    Table::create()
        .table(INVITATIONS)
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .col(one_of(string_len_null("role", 16), INVITATIONS, ROLES))
        .col(uuid_null("node_id").check(named(INVITATIONS, "node_id", "not_personal", one_kind)))
        .col(uuid_null("user_id"))
        .col(string_len_null("email", 320).check(named(INVITATIONS, "email", "personal", personal)))
        .col(time("created_at"))
        .col(time("expires_at"))
        .col(uuid("created_by"))
        .foreign_key(&mut cascading(
            INVITATIONS,
            &["organization_id"],
            "organizations",
            &["id"],
        ))
        .foreign_key(&mut cascading(
            INVITATIONS,
            &["organization_id", "node_id"],
            "nodes",
            &["organization_id", "id"],
        ))
        .foreign_key(&mut cascading(
            INVITATIONS,
            &["organization_id", "user_id"],
            "members",
            &["organization_id", "user_id"],
        ))
        .foreign_key(&mut cascading(INVITATIONS, &["created_by"], "users", &["id"]))
        .take()
}

fn outbox() -> TableCreateStatement {
    Table::create()
        .table(OUTBOX)
        .col(pk_uuid("id"))
        .col(string_len("recipient", 320))
        .col(text("subject"))
        .col(text("body"))
        .col(time("created_at"))
        .col(time_null("next_attempt_at"))
        .col(integer("attempts"))
        .col(text_null("last_error"))
        .col(time_null("sent_at"))
        .take()
}
