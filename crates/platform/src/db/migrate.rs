//! Migrations: all pending ones are applied in one transaction.

use migration::Migrator;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DbErr, SqliteTransactionMode, TransactionOptions, TransactionTrait,
};
use sea_orm_migration::MigratorTrait;

/// The key of the advisory lock of migrations; any constant that nothing else in the database uses.
const ADVISORY_LOCK: i64 = 0x6269_6e64_6572_7901;

pub(super) async fn pending(connection: &impl ConnectionTrait) -> Result<Vec<String>, DbErr> {
    let pending = Migrator::get_pending_migrations_read_only(connection).await?;
    Ok(pending.iter().map(|migration| migration.name().to_owned()).collect())
}

pub(super) async fn is_new(connection: &impl ConnectionTrait) -> Result<bool, DbErr> {
    Ok(pending(connection).await?.len() == Migrator::migrations().len())
}

/// Migrates SQLite. An immediate transaction takes the write lock, so a second process waits and then finds nothing
/// pending.
pub(super) async fn sqlite(connection: &DatabaseConnection) -> Result<(), DbErr> {
    let options = TransactionOptions {
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..TransactionOptions::default()
    };
    let transaction = connection.begin_with_options(options).await?;
    Migrator::up(&transaction, None).await?;
    transaction.commit().await
}

pub(super) async fn postgres(connection: &DatabaseConnection) -> Result<(), DbErr> {
    let transaction = connection.begin().await?;
    transaction
        .execute_unprepared(&format!("SELECT pg_advisory_xact_lock({ADVISORY_LOCK})"))
        .await?;
    Migrator::up(&transaction, None).await?;
    transaction.commit().await
}
