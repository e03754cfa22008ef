//! Migrations: all pending ones are applied in one transaction.

use migration::Migrator;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbErr, SqliteTransactionMode, TransactionOptions,
    TransactionTrait,
};
use sea_orm_migration::MigratorTrait;

/// The key of the advisory lock of migrations; any constant that nothing else in the database uses.
const ADVISORY_LOCK: i64 = 0x6269_6e64_6572_7901;

/// The first step of development versions.
const DEVELOPMENT_STEP: &str = "m20261121_000001_users";

pub(super) async fn pending(connection: &impl ConnectionTrait) -> Result<Vec<String>, DbErr> {
    let pending = Migrator::get_pending_migrations_read_only(connection)
        .await
        .map_err(|error| match error {
            DbErr::Custom(unknown_steps) => DbErr::Migration(refusal(&unknown_steps).to_owned()),
            other => other,
        })?;
    Ok(pending.iter().map(|migration| migration.name().to_owned()).collect())
}

/// The reason for refusing a database with steps that this version does not know, and the next step.
fn refusal(unknown_steps: &str) -> &'static str {
    if unknown_steps.contains(DEVELOPMENT_STEP) {
        return "This database was made by a development version before 0.1.0. Its data is not carried over: start with an \
                empty BINDERY_DATA_DIR and, on PostgreSQL, with an empty database in BINDERY_DATABASE_URL.";
    }
    concat!(
        "This database was made by a newer version than ",
        env!("CARGO_PKG_VERSION"),
        ". Start that version, or restore a backup that was made before it was installed."
    )
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
    lock(&transaction).await?;
    Migrator::up(&transaction, None).await?;
    transaction.commit().await
}

/// Keeps other processes from migrating PostgreSQL until the transaction ends.
pub(super) async fn lock(transaction: &DatabaseTransaction) -> Result<(), DbErr> {
    let lock = format!("SELECT pg_advisory_xact_lock({ADVISORY_LOCK})");
    transaction.execute_unprepared(&lock).await.map(drop)
}
