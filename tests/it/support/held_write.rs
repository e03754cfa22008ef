//! A write of the server that does not end, so that a test can kill the server in the middle of the transaction.

use std::time::Duration;

use platform::db::Backend;
use sea_orm::{ConnectionTrait, Database, DatabaseConnection, DatabaseTransaction, Statement, TransactionTrait};
use tokio::time::{interval, timeout};

use super::{database::TestDatabase, jobs::PATIENCE};

/// The bytes that a held write adds on SQLite before it runs for ever. SQLite keeps 2 MB of a transaction in memory; the rest
/// goes to the log, where it shows that the write is held.
const HELD_BYTES: u64 = 32 * 1024 * 1024;

pub struct HeldWrite<'d> {
    database: &'d TestDatabase,
    table: &'static str,
    by: Hold,
}

enum Hold {
    /// The write waits for a lock of this transaction.
    Lock(DatabaseConnection, DatabaseTransaction),
    /// The write runs for ever; the log had this length before.
    Endless(u64),
}

impl<'d> HeldWrite<'d> {
    /// Holds a write when it makes a change that fulfils the condition, as in
    /// `("INSERT", "audit_events", "NEW.action = 'spaces.createSpace'")`.
    pub async fn on(
        database: &'d TestDatabase,
        (change, table, condition): (&str, &'static str, &str),
    ) -> HeldWrite<'d> {
        let connection = Database::connect(database.url()).await.unwrap();
        let trigger = format!("CREATE TRIGGER hold BEFORE {change} ON {table} FOR EACH ROW WHEN ({condition})");
        let by = match database.backend() {
            Backend::Postgres => {
                let function = "CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS \
                     $$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END $$";
                let sql = format!("{function}; {trigger} EXECUTE FUNCTION hold()");
                connection.execute_unprepared(&sql).await.unwrap();
                let lock = connection.begin().await.unwrap();
                lock.execute_unprepared("SELECT pg_advisory_xact_lock(1)")
                    .await
                    .unwrap();
                Hold::Lock(connection, lock)
            }
            Backend::Sqlite => {
                let sql = format!(
                    "CREATE TABLE held (bytes BLOB);
                     CREATE VIEW endless AS WITH RECURSIVE numbers(n) AS
                        (SELECT 1 UNION ALL SELECT n + 1 FROM numbers) SELECT n FROM numbers;
                     {trigger} BEGIN
                        INSERT INTO held SELECT zeroblob(1024) FROM endless LIMIT {HELD_BYTES} / 1024;
                        SELECT count(*) FROM endless;
                     END"
                );
                connection.execute_unprepared(&sql).await.unwrap();
                connection.close().await.unwrap();
                Hold::Endless(log_length(database))
            }
        };
        Self { database, table, by }
    }

    /// Waits until a write is held: everything before that change is done, and nothing is committed.
    pub async fn reached(&self) {
        let mut pauses = interval(Duration::from_millis(20));
        let reached = async {
            while !self.is_reached().await {
                pauses.tick().await;
            }
        };
        assert!(timeout(PATIENCE, reached).await.is_ok(), "no write is held");
    }

    async fn is_reached(&self) -> bool {
        match &self.by {
            Hold::Lock(connection, _) => {
                let waiting = "SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = database \
                     WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted";
                let statement = Statement::from_string(connection.get_database_backend(), waiting);
                connection.query_one_raw(statement).await.unwrap().is_some()
            }
            Hold::Endless(before) => log_length(self.database) > before + HELD_BYTES / 2,
        }
    }

    /// Lets writes end, after the server was killed.
    pub async fn release(self) {
        let (connection, sql) = match self.by {
            Hold::Lock(connection, lock) => {
                lock.rollback().await.unwrap();
                // Waits for the transaction of the killed server to end.
                (
                    connection,
                    format!("DROP TRIGGER hold ON {}; DROP FUNCTION hold()", self.table),
                )
            }
            Hold::Endless(_) => {
                let connection = Database::connect(self.database.url()).await.unwrap();
                (
                    connection,
                    "DROP TRIGGER hold; DROP VIEW endless; DROP TABLE held".to_owned(),
                )
            }
        };
        connection.execute_unprepared(&sql).await.unwrap();
        connection.close().await.unwrap();
    }
}

/// The length of SQLite's write-ahead log.
fn log_length(database: &TestDatabase) -> u64 {
    let mut path = database.path().into_os_string();
    path.push("-wal");
    std::fs::metadata(path).unwrap().len()
}
