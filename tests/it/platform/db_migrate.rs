//! Migrations as the server applies them.

use migration::Migrator;
use sea_orm_migration::MigratorTrait;

use crate::support::database::{TestDatabase, on_each_database};

on_each_database![processes_that_migrate_at_once_agree];

async fn processes_that_migrate_at_once_agree(database: TestDatabase) {
    let (first, second) = (database.connect().await, database.connect().await);
    assert_eq!(first.backend(), database.backend());
    let all = first.pending_migrations().await.unwrap();
    assert_eq!(all.len(), Migrator::migrations().len());
    assert_eq!(all.first().map(String::as_str), Some("identity"));

    let (one, other) = tokio::join!(first.migrate(), second.migrate());
    one.unwrap();
    other.unwrap();
    assert!(second.pending_migrations().await.unwrap().is_empty());
    first.migrate().await.unwrap();
}
