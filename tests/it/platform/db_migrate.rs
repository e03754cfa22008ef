//! Migrations as the server applies them.

use migration::Migrator;
use platform::db::Backend;
use sea_orm::{ConnectionTrait, Database};
use sea_orm_migration::MigratorTrait;

use crate::support::database::{TestDatabase, on_each_database};

on_each_database![
    processes_that_migrate_at_once_agree,
    databases_of_development_versions_are_refused,
    databases_of_newer_versions_are_refused,
];

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

/// Marks a step as applied that this version does not know.
async fn apply_unknown(database: &TestDatabase, step: &str) {
    let suffix = if database.backend() == Backend::Sqlite {
        "?mode=rwc"
    } else {
        ""
    };
    let connection = Database::connect(format!("{}{suffix}", database.url())).await.unwrap();
    Migrator::install(&connection).await.unwrap();
    let insert = format!("INSERT INTO seaql_migrations (version, applied_at) VALUES ('{step}', 0)");
    connection.execute_unprepared(&insert).await.unwrap();
    connection.close().await.unwrap();
}

async fn databases_of_development_versions_are_refused(database: TestDatabase) {
    let db = database.connect().await;
    apply_unknown(&database, "m20261121_000001_users").await;
    let refused = db.migrate().await.unwrap_err().to_string();
    for part in [
        "made by a development version before 0.1.0",
        "start with an empty BINDERY_DATA_DIR",
    ] {
        assert!(refused.contains(part), "{part:?} is not in {refused:?}");
    }
    assert_eq!(db.pending_migrations().await.unwrap_err().to_string(), refused);
    assert_eq!(db.is_new().await.unwrap_err().to_string(), refused);
}

async fn databases_of_newer_versions_are_refused(database: TestDatabase) {
    let db = database.connect().await;
    db.migrate().await.unwrap();
    apply_unknown(&database, "m21261121_bookmarks").await;
    let refused = db.migrate().await.unwrap_err().to_string();
    assert!(refused.contains("made by a newer version"), "{refused:?}");
}
