//! Connections, transactions, paging, ids and time.
//!
//! Reads go to [`Db::read`]; writes are closures given to [`Db::write`]. Both run on SQLite and on PostgreSQL.

mod clock;
mod connect;
mod counts;
mod cursor;
mod errors;
mod ids;
mod later;
mod load;
mod local_reads;
mod migrate;
mod outage;
mod page;
mod page_bytes;
pub mod positional;
mod postgres;
mod queued_write;
mod ranges;
mod read;
pub mod rows;
mod scan;
mod server_settings;
mod snapshot;
mod sqlite;
mod sqlite_value;
mod template;
mod text;
mod tx;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use sea_orm::{ConnectionTrait, DatabaseConnection, DbErr};

pub use self::clock::{Clock, ManualClock};
pub use self::connect::{Backend, DbOptions};
pub use self::counts::count;
pub use self::cursor::Cursors;
pub use self::errors::{advice, is_damaged, is_foreign_key_violation, is_unique_violation, violates_unique};
pub use self::ids::IdSource;
pub use self::load::{Load, check_migrations, migrations};
use self::local_reads::LocalReads;
pub use self::page::{Keyset, Page};
pub use self::positional::ReadRows;
use self::postgres::Postgres;
use self::queued_write::QueuedWrite;
pub use self::ranges::{Range, Ranges};
use self::read::ReadPool;
pub use self::read::Reads;
pub use self::scan::Scan;
pub use self::server_settings::ServerSettings;
pub use self::snapshot::{Snapshot, close_sqlite};
use self::sqlite::{Readers, Writer};
pub use self::template::QueryTemplate;
pub use self::text::{contains, fold};
pub use self::tx::Tx;

/// The database: a cheap handle, cloned wherever it is needed.
#[derive(Clone)]
pub struct Db(Arc<Inner>);

struct Inner {
    read: Reads,
    write: WritePath,
    writes: Arc<AtomicU64>,
    statements: Arc<AtomicU64>,
}

enum WritePath {
    /// One connection writes; closures queue for it.
    Sqlite {
        connection: DatabaseConnection,
        writer: Writer,
    },
    /// Writers share the pool with readers.
    Postgres(Postgres),
}

impl Db {
    /// Opens `sqlite://path` (created if missing) or `postgres://…`. Does not migrate.
    pub async fn connect(url: &str, options: &DbOptions) -> Result<Self, DbErr> {
        let statements = Arc::new(AtomicU64::new(0));
        let (read, write) = match Backend::of(url)? {
            Backend::Sqlite => {
                let is_suspect = Arc::<AtomicBool>::default();
                let mut connection = connect::sqlite_writer(url, Arc::clone(&is_suspect)).await?;
                count_statements(&mut connection, &statements);
                // Opened after the writer, which creates the file.
                let readers = connect::sqlite_reader(url)?;
                let local = Box::new(LocalReads::new(
                    readers.get_filename().to_owned(),
                    Arc::clone(&statements),
                ));
                let readers = Readers::open(readers, options.readers, Arc::clone(&statements)).await?;
                let writer = Writer::start(connection.clone(), is_suspect, options);
                (
                    ReadPool::Sqlite {
                        local,
                        readers: Box::new(readers),
                    },
                    WritePath::Sqlite { connection, writer },
                )
            }
            Backend::Postgres => {
                let mut postgres = connect::postgres(url, options).await?;
                count_statements(&mut postgres.pool, &statements);
                (ReadPool::Postgres(postgres.clone()), WritePath::Postgres(postgres))
            }
        };
        Ok(Self(Arc::new(Inner {
            read: Reads(read),
            write,
            writes: Arc::default(),
            statements,
        })))
    }

    pub fn backend(&self) -> Backend {
        match self.0.write {
            WritePath::Sqlite { .. } => Backend::Sqlite,
            WritePath::Postgres(_) => Backend::Postgres,
        }
    }

    /// Returns the connection for queries outside a transaction. On SQLite it refuses to write.
    pub fn read(&self) -> &Reads {
        &self.0.read
    }

    /// Runs `work` in a write transaction and returns after its commit.
    ///
    /// ```ignore
    /// let team = db.write(move |tx| async move { store::insert_team(&tx, organization, &title).await }).await?;
    /// ```
    ///
    /// No other writer changes the state that `work` sees: SQLite has one writer, PostgreSQL runs the transaction
    /// serializable. `work` may run more than once, so it does nothing outside the database, and it must not call `write`
    /// itself. An error or panic rolls everything back; a panic continues in the caller.
    ///
    /// On PostgreSQL a failed statement ends the transaction: to go on after a conflict, let the statement say
    /// `ON CONFLICT` instead of catching its error.
    pub async fn write<F, Fut, T, E>(&self, work: F) -> Result<T, E>
    where
        F: FnOnce(Tx) -> Fut + Clone + Send + 'static,
        Fut: Future<Output = Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<DbErr> + Send + 'static,
    {
        let is_repeated = matches!(self.0.write, WritePath::Postgres(_));
        let (write, response) = QueuedWrite::new(work, is_repeated, &self.0.writes);
        self.start(write).await?;
        let outcome = response.receive().await;
        outcome.unwrap_or_else(|| Err(sqlite::closed().into()))
    }

    async fn start(&self, write: QueuedWrite) -> Result<(), DbErr> {
        match &self.0.write {
            WritePath::Sqlite { writer, .. } => writer.queue(write).await,
            WritePath::Postgres(postgres) => {
                postgres.start(write).await;
                Ok(())
            }
        }
    }

    /// Returns the number of writes of this process that have ended.
    pub fn writes(&self) -> u64 {
        self.0.writes.load(Ordering::Acquire)
    }

    /// Returns the number of statements since the database was opened, inside and outside of transactions, without
    /// `BEGIN` and the like.
    pub fn statements(&self) -> u64 {
        self.0.statements.load(Ordering::Relaxed)
    }

    /// Applies pending migrations. Several processes may migrate at once: one of them does, the others wait.
    pub async fn migrate(&self) -> Result<(), DbErr> {
        if self.pending_migrations().await?.is_empty() {
            return Ok(());
        }
        match &self.0.write {
            WritePath::Sqlite { connection, .. } => migrate::sqlite(connection).await,
            WritePath::Postgres(postgres) => migrate::postgres(&postgres.pool).await,
        }
    }

    /// Returns the names of the migrations that are not applied to the database yet.
    pub async fn pending_migrations(&self) -> Result<Vec<String>, DbErr> {
        migrate::pending(&self.0.read).await
    }

    /// Fails unless reads and writes can be served now.
    pub async fn ping(&self) -> Result<(), DbErr> {
        self.0.read.ping().await?;
        match &self.0.write {
            WritePath::Sqlite { writer, .. } => writer.check(),
            WritePath::Postgres(_) => Ok(()),
        }
    }

    /// Fails unless something can be written now: the disk may be full, or the database read-only.
    pub async fn check_writable(&self) -> Result<(), DbErr> {
        let sql = match self.backend() {
            // Each writes something at the commit, and changes nothing.
            Backend::Sqlite => "PRAGMA user_version = 0",
            // The first statement is refused where the database is read-only.
            Backend::Postgres => "UPDATE seaql_migrations SET version = version WHERE false; SELECT txid_current()",
        };
        self.write(move |tx| async move { tx.execute_unprepared(sql).await.map(drop) })
            .await
    }

    /// Returns whether no migration has been applied: nobody has used the database yet.
    pub async fn is_new(&self) -> Result<bool, DbErr> {
        migrate::is_new(&self.0.read).await
    }

    /// Finishes the queued writes, then closes all connections.
    pub async fn close(&self) -> Result<(), DbErr> {
        match &self.0.write {
            WritePath::Sqlite { connection, writer } => {
                writer.stop().await;
                self.0.read.close().await?;
                // The writer closes last: the last connection checkpoints the write-ahead log into the database file.
                connection.close_by_ref().await
            }
            WritePath::Postgres(postgres) => {
                drop(postgres.running.write().await);
                self.0.read.close().await
            }
        }
    }
}

fn count_statements(connection: &mut DatabaseConnection, statements: &Arc<AtomicU64>) {
    let statements = Arc::clone(statements);
    connection.set_metric_callback(move |_| {
        statements.fetch_add(1, Ordering::Relaxed);
    });
}
