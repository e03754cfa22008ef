//! How connections are opened and what holds on each of them.

use std::str::FromStr;
use std::time::Duration;

use sea_orm::{ConnectOptions, Database, DatabaseConnection, DbErr};
use sqlx::ConnectOptions as _;
use sqlx::Connection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};

use super::tx::TIME_LIMIT;

/// Waiting for another process that holds SQLite's write lock, such as an administrator's command: as long as a write of it
/// may take. A large import takes seconds, and is no reason to refuse what others write meanwhile.
const BUSY_TIMEOUT: Duration = TIME_LIMIT;

/// Waiting for a free connection of the pool.
pub(super) const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);

/// No statement of the server takes this long unless something is wrong; PostgreSQL ends it.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(30);

/// Rows that SQLite's thread may produce before a reader has taken them: above the usual page of a list, so that it
/// fills one without waiting.
const ROW_BUFFER: usize = 256;

/// Which kind of database is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    Sqlite,
    Postgres,
}

impl Backend {
    /// The kind that a database URL names.
    pub fn of(url: &str) -> Result<Self, DbErr> {
        match url.split_once(':') {
            Some(("sqlite", path)) if path.contains(":memory:") || path.contains("mode=memory") => Err(refused(
                "an in-memory SQLite database has one connection, and readers and writer need several: name a file",
            )),
            Some(("sqlite", _)) => Ok(Self::Sqlite),
            Some(("postgres" | "postgresql", _)) => Ok(Self::Postgres),
            _ => Err(refused("a database URL starts with sqlite:// or postgres://")),
        }
    }
}

fn refused(reason: &str) -> DbErr {
    DbErr::Conn(sea_orm::RuntimeErr::Internal(reason.to_owned()))
}

/// Sizes; the defaults suit a small server.
#[derive(Debug, Clone)]
pub struct DbOptions {
    /// SQLite connections that read.
    pub readers: u32,
    /// PostgreSQL connections that read and write.
    pub connections: u32,
    /// Writes that may wait for SQLite's writer; further ones wait for a place.
    pub queue: usize,
    /// How long a write on SQLite may wait for others that share its commit. They are never waited for: this only
    /// bounds what slow ones cost those before them.
    pub batch_time: Duration,
}

impl Default for DbOptions {
    fn default() -> Self {
        Self {
            readers: 4,
            connections: 16,
            queue: 1024,
            batch_time: Duration::from_millis(10),
        }
    }
}

/// The one connection that writes.
pub(super) async fn sqlite_writer(url: &str) -> Result<DatabaseConnection, DbErr> {
    let mut options = pool(url, 1);
    options.map_sqlx_sqlite_opts(|options| {
        sqlite(options)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            // A commit returns when its bytes are on the disk, not just with the operating system.
            .synchronous(SqliteSynchronous::Full)
            .pragma("journal_size_limit", "67108864")
    });
    // When a full disk or a failing one makes SQLite end a transaction by itself, the driver still believes to be in
    // one; such a connection is replaced.
    options.map_sqlx_sqlite_pool_opts(|pool| {
        pool.after_release(|connection, _| {
            Box::pin(async move {
                connection.ping().await?;
                Ok(!connection.is_in_transaction())
            })
        })
    });
    Database::connect(options).await
}

/// A connection that reads beside the writer and cannot write.
pub(super) fn sqlite_reader(url: &str) -> Result<SqliteConnectOptions, DbErr> {
    let options =
        SqliteConnectOptions::from_str(url).map_err(|e| DbErr::Conn(sea_orm::RuntimeErr::SqlxError(e.into())))?;
    Ok(sqlite(options)
        .read_only(true)
        .create_if_missing(false)
        .disable_statement_logging())
}

fn sqlite(options: SqliteConnectOptions) -> SqliteConnectOptions {
    let options = options
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        .row_buffer_size(ROW_BUFFER);
    if cfg!(debug_assertions) {
        // What a statement does not order comes in any order from PostgreSQL, and nearly always in the same from SQLite.
        // Turned around in development and in tests, nothing can rely on it unnoticed.
        return options.pragma("reverse_unordered_selects", "on");
    }
    options
}

pub(super) async fn postgres(url: &str, sizes: &DbOptions) -> Result<DatabaseConnection, DbErr> {
    let mut options = pool(url, sizes.connections);
    options
        .set_application_name("bindery")
        .statement_timeout(STATEMENT_TIMEOUT)
        // A connection that has rested may have been cut by a server restart or a firewall; a busy one would have
        // told.
        .test_before_acquire_if_idle_for(Duration::from_secs(15));
    Database::connect(options).await
}

fn pool(url: &str, size: u32) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    options
        .max_connections(size)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .sqlx_logging(false)
        .record_stmt_in_spans(false);
    options
}
