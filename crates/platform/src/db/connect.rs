//! Opening of connections, and the options of each.

use std::pin::pin;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sea_orm::{ConnectOptions, Database, DatabaseConnection, DbErr, RuntimeErr};
use sqlx::ConnectOptions as _;
use sqlx::Connection;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};

use tokio::time::timeout;

use super::outage::Outage;
use super::postgres::Postgres;

/// The wait for another process that holds SQLite's write lock, such as an administrator's command, which writes in short steps.
/// Shorter than the time limit of a request, so that callers are told.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The wait for a free connection of the pool.
pub(super) const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);

/// The wait for the first connection after which the log says what is awaited.
const NOTICE_AFTER: Duration = Duration::from_secs(1);

/// PostgreSQL cancels a statement after this time; no correct statement of the server takes that long.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(30);

/// For transactions of PostgreSQL over all rows.
pub(super) const WITHOUT_TIMEOUTS: &str = "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0;
    SET LOCAL idle_in_transaction_session_timeout = 0";

/// The settings by which PostgreSQL plans statements.
const PLANNING: [(&str, &str); 4] = [
    // It would compile the longest statements, each time anew, which takes as long as they do.
    ("jit", "off"),
    // For the last pages of a list it would merge two tables in the order of their keys, and walk all of the other one to get there.
    ("enable_mergejoin", "off"),
    // Because reads in the sequence of a table count a quarter by default, it would look for the old rows of one organization among
    // all newer ones.
    ("random_page_cost", "1.1"),
    // A write that reads all rows of a small table to find one conflicts with the writes of the others, and a long one for ever.
    ("enable_seqscan", "off"),
];

/// Rows that SQLite's thread may produce before a reader takes them: more than the default page of a list, so that the
/// thread fills a page without waiting.
const ROW_BUFFER: usize = 256;

/// Prepared statements that a connection of SQLite keeps: more than the different ones of the server's reads, or of its writes.
pub(super) const CACHED_STATEMENTS: usize = 256;

/// The kind of database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    Sqlite,
    Postgres,
}

impl Backend {
    /// Returns the kind of database that a URL names.
    pub fn of(url: &str) -> Result<Self, DbErr> {
        match url.split_once(':') {
            Some(("sqlite", path)) if path.contains(":memory:") || path.contains("mode=memory") => Err(refused(
                "an in-memory SQLite database cannot be used, because it has one connection and the server needs several; name a file, such as sqlite://bindery.db",
            )),
            Some(("sqlite", _)) => Ok(Self::Sqlite),
            Some(("postgres" | "postgresql", _)) => Ok(Self::Postgres),
            _ => Err(refused("a database URL has to start with sqlite:// or postgres://")),
        }
    }
}

fn refused(reason: &str) -> DbErr {
    DbErr::Conn(RuntimeErr::Internal(reason.to_owned()))
}

/// Sizes of pools and queues; the defaults suit a small server.
#[derive(Debug, Clone)]
pub struct DbOptions {
    /// SQLite connections that read.
    pub readers: u32,
    /// PostgreSQL connections that read and write.
    pub connections: u32,
    /// Writes in the queue of SQLite's writer; further writes wait for a slot.
    pub queue: usize,
    /// The longest time that one commit on SQLite collects writes. The writer never waits for further writes: the limit
    /// only bounds the delay that slow writes cause to earlier ones in the same commit.
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

/// Opens the only connection that writes. It is replaced after its current use while `is_suspect` is set.
pub(super) async fn sqlite_writer(url: &str, is_suspect: Arc<AtomicBool>) -> Result<DatabaseConnection, DbErr> {
    let mut options = pool(url, 1);
    options.map_sqlx_sqlite_opts(|options| {
        sqlite(options)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            // A commit returns when its bytes are on the disk, not only in the operating system's cache.
            .synchronous(SqliteSynchronous::Full)
            .pragma("journal_size_limit", "67108864")
            // Deleted content is overwritten with zeros. `FAST` leaves long texts on free pages.
            .pragma("secure_delete", "ON")
    });
    // A full or failing disk makes SQLite end a transaction by itself while the driver still assumes an open one. Such a
    // connection is replaced.
    options.map_sqlx_sqlite_pool_opts(move |pool| {
        let is_suspect = Arc::clone(&is_suspect);
        pool.after_release(move |connection, _| {
            if is_suspect.swap(false, Ordering::Relaxed) {
                return Box::pin(async { Ok(false) });
            }
            Box::pin(async move {
                connection.ping().await?;
                Ok(!connection.is_in_transaction())
            })
        })
    });
    Database::connect(options).await
}

/// Returns the options of a connection that reads beside the writer and cannot write.
pub(super) fn sqlite_reader(url: &str) -> Result<SqliteConnectOptions, DbErr> {
    let options = SqliteConnectOptions::from_str(url).map_err(|e| DbErr::Conn(RuntimeErr::SqlxError(e.into())))?;
    Ok(sqlite(options)
        .read_only(true)
        .create_if_missing(false)
        .disable_statement_logging())
}

fn sqlite(options: SqliteConnectOptions) -> SqliteConnectOptions {
    let options = options
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        .row_buffer_size(ROW_BUFFER)
        .statement_cache_capacity(CACHED_STATEMENTS);
    if cfg!(debug_assertions) {
        // Without ORDER BY, PostgreSQL returns rows in any order and SQLite nearly always in the same one. Reversing it in
        // development and tests shows code that relies on that order.
        return options.pragma("reverse_unordered_selects", "on");
    }
    options
}

pub(super) async fn postgres(url: &str, sizes: &DbOptions) -> Result<Postgres, DbErr> {
    let probe = PgConnectOptions::from_str(url).map_err(|e| DbErr::Conn(RuntimeErr::SqlxError(e.into())))?;
    let outage = Arc::new(Outage::new(probe.clone()));
    let mut options = pool(url, sizes.connections);
    let known = Arc::clone(&outage);
    options
        .set_application_name("bindery")
        .statement_timeout(STATEMENT_TIMEOUT)
        .map_sqlx_postgres_opts(|options| options.options(PLANNING))
        // An idle connection may have been cut by a server restart or a firewall; on a busy connection that is noticed.
        .test_before_acquire_if_idle_for(Duration::from_secs(15))
        .map_sqlx_postgres_before_acquire(move |connection, usage| known.test(connection, &usage))
        .map_sqlx_postgres_pool_opts(|pool| {
            pool.after_connect(|_, _| {
                Outage::note_connection();
                Box::pin(async { Ok(()) })
            })
        });
    let pool = connect_pool(options, &probe).await?;
    outage.set_pool(pool.get_postgres_connection_pool());
    Ok(Postgres {
        pool,
        outage,
        running: Arc::default(),
    })
}

/// Connects. A server that refuses connections may be starting, so the pool waits for it.
async fn connect_pool(options: ConnectOptions, login: &PgConnectOptions) -> Result<DatabaseConnection, DbErr> {
    let mut connecting = pin!(Database::connect(options));
    let connected = match timeout(NOTICE_AFTER, connecting.as_mut()).await {
        Ok(connected) => connected,
        Err(_) => {
            let (host, port) = (login.get_host(), login.get_port());
            tracing::warn!(host, port, "PostgreSQL does not answer yet; waiting for it");
            connecting.await
        }
    };
    match connected {
        // The pool only tells that it waited in vain. A single login tells why.
        Err(DbErr::ConnectionAcquire(_) | DbErr::Conn(RuntimeErr::SqlxError(_))) => {
            match timeout(ACQUIRE_TIMEOUT, PgConnection::connect_with(login)).await {
                Ok(Err(cause)) => Err(DbErr::Conn(RuntimeErr::SqlxError(cause.into()))),
                _ => connected,
            }
        }
        _ => connected,
    }
}

pub(super) fn pool(url: &str, size: u32) -> ConnectOptions {
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
