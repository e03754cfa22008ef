//! Migrations as the server applies them.

use migration::Migrator;
use platform::db::Backend;
use sea_orm::{ConnectionTrait, Database, DatabaseConnection, Statement};
use sea_orm_migration::MigratorTrait;

use crate::support::database::{TestDatabase, on_each_database};

on_each_database![
    processes_that_migrate_at_once_agree,
    databases_of_development_versions_are_refused,
    databases_of_newer_versions_are_refused,
    a_failed_migration_changes_nothing,
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

/// The database as the migrations open it, without their checks.
async fn open(database: &TestDatabase) -> DatabaseConnection {
    let suffix = if database.backend() == Backend::Sqlite {
        "?mode=rwc"
    } else {
        ""
    };
    Database::connect(format!("{}{suffix}", database.url())).await.unwrap()
}

/// Marks a step as applied that this version does not know.
async fn apply_unknown(database: &TestDatabase, step: &str) {
    let connection = open(database).await;
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

/// A table of the last step is there already: the steps before it are undone.
async fn a_failed_migration_changes_nothing(database: TestDatabase) {
    let db = database.connect().await;
    let connection = open(&database).await;
    let execute = async |sql: &str| connection.execute_unprepared(sql).await.map(drop);
    let tables = async || {
        let sql = match database.backend() {
            Backend::Sqlite => {
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 1"
            }
            Backend::Postgres => "SELECT tablename::text AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
        };
        let statement = Statement::from_string(connection.get_database_backend(), sql);
        let rows = connection.query_all_raw(statement).await.unwrap();
        let names = rows.iter().map(|row| row.try_get::<String>("", "name").unwrap());
        names.collect::<Vec<_>>()
    };
    execute("CREATE TABLE insight_batches (kept int)").await.unwrap();
    execute("INSERT INTO insight_batches VALUES (7)").await.unwrap();

    let failed = db.migrate().await.unwrap_err().to_string();
    assert!(failed.contains("insight_batches"), "{failed}");
    assert_eq!(tables().await, ["insight_batches"]);
    assert_eq!(
        db.pending_migrations().await.unwrap().len(),
        Migrator::migrations().len()
    );

    execute("DROP TABLE insight_batches").await.unwrap();
    db.migrate().await.unwrap();
    assert!(tables().await.len() > 50);
    connection.close().await.unwrap();
}
