//! Invitations of existing users, who join when they agree, and the number of mailed invitations by organization and day.

use sea_orm_migration::{prelude::*, schema::*};

use crate::{
    columns::{add_reference, drop_index, index},
    tables::{self, NewTable, table},
};

const INVITATIONS: &str = "invitations";
const INVITEE: &str = "invitee_id";
const SSO: &str = "sso";
const PERSON: [&str; 2] = ["organization_id", INVITEE];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        add_reference(
            manager,
            INVITATIONS,
            INVITEE,
            "users (id) ON UPDATE CASCADE ON DELETE CASCADE",
        )
        .await?;
        let sso = Table::alter()
            .table(INVITATIONS)
            .add_column(boolean(SSO).default(false))
            .take();
        manager.alter_table(sso).await?;
        let person = index(INVITATIONS, &PERSON).unique().take();
        manager.create_index(person).await?;
        tables::create([invitation_mails()], manager).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        tables::drop([invitation_mails()], manager).await?;
        manager.drop_index(drop_index(INVITATIONS, &PERSON)).await?;
        for column in [SSO, INVITEE] {
            let without = Table::alter().table(INVITATIONS).drop_column(column).take();
            manager.alter_table(without).await?;
        }
        Ok(())
    }
}

fn invitation_mails() -> NewTable {
    table("invitation_mails")
        .col(pk_uuid("organization_id"))
        .col(big_integer("day"))
        .col(integer("sent"))
        .cascading(&["organization_id"], "organizations", &["id"])
}
