//! Mailed invitations are counted for their senders too, and not only for organizations. Those of today are counted anew.

use sea_orm_migration::{prelude::*, schema::*};

use crate::tables::{self, NewTable, table};

const MAILS: &str = "invitation_mails";

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        tables::drop([mails("organization_id", true)], manager).await?;
        tables::create([mails("sender_id", false)], manager).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        tables::drop([mails("sender_id", false)], manager).await?;
        tables::create([mails("organization_id", true)], manager).await
    }
}

fn mails(sender: &'static str, is_organization: bool) -> NewTable {
    let counted = table(MAILS)
        .col(pk_uuid(sender))
        .col(big_integer("day"))
        .col(integer("sent"));
    match is_organization {
        true => counted.cascading(&["organization_id"], "organizations", &["id"]),
        false => counted,
    }
}
