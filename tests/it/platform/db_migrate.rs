//! Migrations as the server applies them.

use migration::Migrator;
use platform::db::Backend;
use sea_orm::Database;
use sea_orm_migration::MigratorTrait;

use crate::support::database::{TestDatabase, on_each_database};

on_each_database![processes_that_migrate_at_once_agree, steps_go_back_and_forth];

async fn processes_that_migrate_at_once_agree(database: TestDatabase) {
    let (first, second) = (database.connect().await, database.connect().await);
    assert_eq!(first.backend(), database.backend());
    let all = first.pending_migrations().await.unwrap();
    assert_eq!(all.len(), Migrator::migrations().len());
    assert_eq!(all.first().map(String::as_str), Some("m20261121_000001_users"));

    let (one, other) = tokio::join!(first.migrate(), second.migrate());
    one.unwrap();
    other.unwrap();
    assert!(second.pending_migrations().await.unwrap().is_empty());
    first.migrate().await.unwrap();
}

async fn steps_go_back_and_forth(database: TestDatabase) {
    drop(database.connect().await);
    let suffix = if database.backend() == Backend::Sqlite {
        "?mode=rwc"
    } else {
        ""
    };
    let connection = Database::connect(format!("{}{suffix}", database.url())).await.unwrap();
    for _ in 0..2 {
        Migrator::up(&connection, None).await.unwrap();
        Migrator::down(&connection, None).await.unwrap();
    }
    connection.close().await.unwrap();
}
