//! Connections that read beside the writer; they cannot write.
//!
//! Not the driver's pool, because that pings every connection when it is returned: it wakes the connection's thread once
//! more and costs as much as a small read.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::TryStreamExt;
use sea_orm::prelude::async_trait::async_trait;
use sea_orm::sea_query::Values;
use sea_orm::{ConnectionTrait, DbBackend, DbErr, ExecResult, QueryResult, RuntimeErr, Statement};
use sea_query_sqlx::SqlxValues;
use sqlx::query::Query;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, Sqlite, SqliteConnection};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use super::closed;
use crate::db::connect::ACQUIRE_TIMEOUT;
use crate::db::errors::{explain, unavailable};
use crate::db::page_bytes::PageBytes;

pub(in crate::db) struct Readers {
    options: SqliteConnectOptions,
    size: u32,
    /// The most recently used connection is used next, because its page cache is most likely useful.
    idle: Mutex<Vec<SqliteConnection>>,
    /// One permit for each connection.
    permits: Semaphore,
    statements: Arc<AtomicU64>,
}

impl Readers {
    pub(in crate::db) async fn open(
        options: SqliteConnectOptions,
        size: u32,
        statements: Arc<AtomicU64>,
    ) -> Result<Self, DbErr> {
        let readers = Self {
            options,
            size,
            idle: Mutex::default(),
            permits: Semaphore::new(size as usize),
            statements,
        };
        // Opens the first connection, so that an unreadable database fails at the start.
        readers.ping().await?;
        Ok(readers)
    }

    pub(in crate::db) async fn ping(&self) -> Result<(), DbErr> {
        let mut guard = self.acquire().await?;
        guard.connection.ping().await.map_err(connection_error)?;
        guard.release();
        Ok(())
    }

    /// Waits for the running reads, then closes all connections; further reads fail.
    pub(in crate::db) async fn close(&self) -> Result<(), DbErr> {
        let all = self.permits.acquire_many(self.size).await;
        self.permits.close();
        drop(all);
        let idle = std::mem::take(&mut *self.idle());
        for connection in idle {
            connection.close().await.map_err(connection_error)?;
        }
        Ok(())
    }

    async fn acquire(&self) -> Result<ReadGuard<'_>, DbErr> {
        let permit = timeout(ACQUIRE_TIMEOUT, self.permits.acquire())
            .await
            .map_err(|_| unavailable())?
            .map_err(|_| closed())?;
        let idle = self.idle().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.options.connect().await.map_err(connection_error)?,
        };
        Ok(ReadGuard {
            connection,
            readers: self,
            _permit: permit,
        })
    }

    /// Acquires a connection for a statement, and counts the statement.
    async fn acquire_for_statement(&self) -> Result<ReadGuard<'_>, DbErr> {
        self.statements.fetch_add(1, Ordering::Relaxed);
        self.acquire().await
    }

    fn idle(&self) -> MutexGuard<'_, Vec<SqliteConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection in use. It is released after a query was read to its end: after a failure or a cancelled read it is closed, and a
/// new one is opened when it is needed.
struct ReadGuard<'a> {
    connection: SqliteConnection,
    readers: &'a Readers,
    _permit: SemaphorePermit<'a>,
}

impl ReadGuard<'_> {
    fn release(self) {
        self.readers.idle().push(self.connection);
    }
}

#[async_trait]
impl ConnectionTrait for Readers {
    fn get_database_backend(&self) -> DbBackend {
        DbBackend::Sqlite
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        let mut guard = self.acquire_for_statement().await?;
        let done = query(statement).execute(&mut guard.connection).await;
        let done = done.map_err(execution_error)?;
        guard.release();
        Ok(done.into())
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        let mut guard = self.acquire_for_statement().await?;
        let done = guard.connection.execute(AssertSqlSafe(sql)).await;
        let done = done.map_err(execution_error)?;
        guard.release();
        Ok(done.into())
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        let mut guard = self.acquire_for_statement().await?;
        let row = query(statement).fetch_optional(&mut guard.connection).await;
        let row = row.map_err(query_error)?;
        guard.release();
        Ok(row.map(QueryResult::from))
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        let mut guard = self.acquire_for_statement().await?;
        if let Some(page) = PageBytes::begin() {
            let rows = query(statement).fetch(&mut guard.connection);
            let rows = rows.map_ok(QueryResult::from).map_err(query_error);
            let (rows, is_whole) = page.read(rows).await?;
            if is_whole {
                guard.release();
            }
            return Ok(rows);
        }
        let rows = query(statement).fetch_all(&mut guard.connection).await;
        let rows = rows.map_err(query_error)?;
        guard.release();
        Ok(rows.into_iter().map(QueryResult::from).collect())
    }
}

/// Prepared once per connection: the driver caches statements by their text.
fn query(statement: Statement) -> Query<'static, Sqlite, SqlxValues> {
    let values = statement.values.unwrap_or(Values(Vec::new()));
    sqlx::query_with(AssertSqlSafe(statement.sql), SqlxValues(values))
}

fn connection_error(error: sqlx::Error) -> DbErr {
    DbErr::Conn(RuntimeErr::SqlxError(error.into()))
}

fn execution_error(error: sqlx::Error) -> DbErr {
    DbErr::Exec(RuntimeErr::SqlxError(error.into()))
}

/// A large sort needs room on the disk.
fn query_error(error: sqlx::Error) -> DbErr {
    explain(DbErr::Query(RuntimeErr::SqlxError(error.into())))
}
