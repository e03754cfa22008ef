//! Email domains have an effect once they are proven. Existing domains count as proven where an active admin of the
//! organization has a verified address in the domain.

use sea_orm_migration::{prelude::*, sea_orm::ConnectionTrait};

use crate::columns::time_null;

const DOMAINS: &str = "organization_email_domains";
const VERIFIED_AT: &str = "verified_at";

/// An organization is older than its domains are checked, so the time of its creation stands for the unknown one.
const VERIFY_EXISTING: &str = "
    UPDATE organization_email_domains SET verified_at =
        (SELECT created_at FROM organizations WHERE organizations.id = organization_email_domains.organization_id)
    WHERE EXISTS (
        SELECT 1 FROM members JOIN users ON users.id = members.user_id
        WHERE members.organization_id = organization_email_domains.organization_id
            AND members.role = 'admin' AND NOT members.disabled
            AND users.email_verified AND users.suspended_at IS NULL
            AND users.email LIKE '%@' || organization_email_domains.domain)";

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::alter().table(DOMAINS).add_column(time_null(VERIFIED_AT)).take();
        manager.alter_table(table).await?;
        manager.get_connection().execute_unprepared(VERIFY_EXISTING).await?;
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::alter().table(DOMAINS).drop_column(VERIFIED_AT).take();
        manager.alter_table(table).await
    }
}
