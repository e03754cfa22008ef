//! The whole database at one moment, for a backup beside a running server.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use rusqlite::{Connection, ErrorCode, OpenFlags};
use rustix::fs::statvfs;
use sea_orm::{
    AccessMode, ConnectionTrait, Database, DatabaseConnection, DatabaseTransaction, DbErr, IsolationLevel, StreamTrait,
    TransactionStream, TransactionTrait, sea_query::SelectStatement,
};
use sqlx::sqlite::SqliteConnectOptions;
use tokio::task::spawn_blocking;

use super::connect::{self, Backend};

/// The copy of a SQLite database. Its name is fixed, so that the next backup finds what a killed one left.
const COPY: &str = "backup.snapshot.db";

/// Statements on it see the database as it was when the snapshot was opened.
pub struct Snapshot {
    transaction: DatabaseTransaction,
    connection: DatabaseConnection,
}

impl Snapshot {
    /// Opens a snapshot. That of SQLite is a copy in `directory`: a long read of the database itself would let its write-ahead log grow.
    pub async fn open(url: &str, directory: &Path) -> anyhow::Result<Self> {
        match Backend::of(url)? {
            Backend::Sqlite => Self::of_sqlite(url, directory).await,
            Backend::Postgres => Ok(Self::of_postgres(url).await?),
        }
    }

    async fn of_sqlite(url: &str, directory: &Path) -> anyhow::Result<Self> {
        let source = connect::sqlite_reader(url)?.get_filename().to_owned();
        let copy = directory.join(COPY);
        remove_if_present(&copy)?;
        let to = copy.clone();
        let copied = spawn_blocking(move || copy_sqlite(&source, &to)).await?;
        let opened = match copied {
            Ok(()) => open_copy(&copy).await.map_err(Into::into),
            Err(error) => Err(error),
        };
        // The open connection keeps the file; nothing is left when this process is killed.
        remove_if_present(&copy)?;
        opened.with_context(|| format!("cannot copy the database to {}", copy.display()))
    }

    async fn of_postgres(url: &str) -> Result<Self, DbErr> {
        let connection = Database::connect(connect::pool(url, 1)).await?;
        let (isolation, access) = (IsolationLevel::RepeatableRead, AccessMode::ReadOnly);
        let transaction = connection.begin_with_config(Some(isolation), Some(access)).await?;
        transaction.execute_unprepared(connect::WITHOUT_TIMEOUTS).await?;
        Ok(Self {
            transaction,
            connection,
        })
    }

    /// Streams the rows of a query.
    pub async fn stream(&self, query: &SelectStatement) -> Result<TransactionStream<'_>, DbErr> {
        let backend = ConnectionTrait::get_database_backend(&self.transaction);
        self.transaction.stream_raw(backend.build(query)).await
    }

    pub async fn close(self) -> Result<(), DbErr> {
        self.transaction.rollback().await?;
        self.connection.close().await
    }
}

async fn open_copy(copy: &Path) -> Result<Snapshot, DbErr> {
    let mut options = connect::pool("sqlite://copy", 1);
    let copy = copy.to_owned();
    options.map_sqlx_sqlite_opts(move |options: SqliteConnectOptions| {
        options.filename(&copy).read_only(true).immutable(true)
    });
    let connection = Database::connect(options).await?;
    let transaction = connection.begin().await?;
    // Opens the file, which the first statement does.
    transaction
        .execute_unprepared("SELECT count(*) FROM sqlite_schema")
        .await?;
    Ok(Snapshot {
        transaction,
        connection,
    })
}

/// Copies a database that others may be writing. They do not wait for it.
fn copy_sqlite(source: &Path, copy: &Path) -> anyhow::Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(source, flags)?;
    connection.busy_timeout(connect::BUSY_TIMEOUT)?;
    let size = |pragma: &str| connection.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get::<_, i64>(0));
    let needed = u64::try_from(size("page_count")?.saturating_mul(size("page_size")?))?;
    let directory = copy.parent().unwrap_or(Path::new("."));
    let disk = statvfs(directory)?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    ensure!(
        free > needed,
        "{} has {} MiB free; the copy of the database needs {} MiB",
        directory.display(),
        free >> 20,
        needed >> 20
    );
    connection.execute("VACUUM INTO ?1", [copy.to_str().context("the path is not UTF-8")?])?;
    Ok(())
}

/// Moves the write-ahead log of a database into its file. Fails if another process has opened the database; one that is damaged is
/// left as it is.
pub fn close_sqlite(file: &Path) -> anyhow::Result<()> {
    let connection = Connection::open(file)?;
    let switched = connection.pragma_update(None, "journal_mode", "DELETE");
    match switched.as_ref().err().and_then(rusqlite::Error::sqlite_error_code) {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Ok(switched?),
        _ => Ok(()),
    }
}

fn remove_if_present(file: &PathBuf) -> anyhow::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", file.display()))
        }
        _ => Ok(()),
    }
}
