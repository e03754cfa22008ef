//! Connections that read beside the writer; they cannot write.
//!
//! A pool of our own: the driver's asks every connection for a sign of life when it comes back, which wakes the
//! connection's thread once more and costs as much as a small read.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sea_orm::prelude::async_trait::async_trait;
use sea_orm::sea_query::Values;
use sea_orm::{ConnectionTrait, DbBackend, DbErr, ExecResult, QueryResult, RuntimeErr, Statement};
use sea_query_sqlx::SqlxValues;
use sqlx::query::Query;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, Sqlite, SqliteConnection};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use super::stopped;
use crate::db::connect::ACQUIRE_TIMEOUT;

pub(in crate::db) struct Readers {
    options: SqliteConnectOptions,
    size: u32,
    /// The one that was used last is used next: what it has in memory is most likely wanted again.
    idle: Mutex<Vec<SqliteConnection>>,
    /// One for each connection that may be lent.
    places: Semaphore,
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
            places: Semaphore::new(size as usize),
            statements,
        };
        // Opens the first one: that nothing can be read has to show at the start.
        readers.ping().await?;
        Ok(readers)
    }

    pub(in crate::db) async fn ping(&self) -> Result<(), DbErr> {
        let mut lent = self.lend().await?;
        lent.connection.ping().await.map_err(connection_error)?;
        lent.give_back();
        Ok(())
    }

    /// Waits for the reads that run, then closes all connections; further reads fail.
    pub(in crate::db) async fn close(&self) -> Result<(), DbErr> {
        let all = self.places.acquire_many(self.size).await;
        self.places.close();
        drop(all);
        let idle = std::mem::take(&mut *self.idle());
        for connection in idle {
            connection.close().await.map_err(connection_error)?;
        }
        Ok(())
    }

    async fn lend(&self) -> Result<Lent<'_>, DbErr> {
        let place = timeout(ACQUIRE_TIMEOUT, self.places.acquire())
            .await
            .map_err(|_| connection_error(sqlx::Error::PoolTimedOut))?
            .map_err(|_| stopped())?;
        let idle = self.idle().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.options.connect().await.map_err(connection_error)?,
        };
        Ok(Lent {
            connection,
            readers: self,
            _place: place,
        })
    }

    /// For a statement, which is counted.
    async fn lend_for_statement(&self) -> Result<Lent<'_>, DbErr> {
        self.statements.fetch_add(1, Ordering::Relaxed);
        self.lend().await
    }

    fn idle(&self) -> MutexGuard<'_, Vec<SqliteConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection at work. Only one whose work went well is given back; after a failure, or when nobody waits for the
/// answer any more, it is closed, and another one is opened when it is needed.
struct Lent<'a> {
    connection: SqliteConnection,
    readers: &'a Readers,
    _place: SemaphorePermit<'a>,
}

impl Lent<'_> {
    fn give_back(self) {
        self.readers.idle().push(self.connection);
    }
}

#[async_trait]
impl ConnectionTrait for Readers {
    fn get_database_backend(&self) -> DbBackend {
        DbBackend::Sqlite
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        let mut lent = self.lend_for_statement().await?;
        let done = query(statement).execute(&mut lent.connection).await;
        let done = done.map_err(execution_error)?;
        lent.give_back();
        Ok(done.into())
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        let mut lent = self.lend_for_statement().await?;
        let done = lent.connection.execute(AssertSqlSafe(sql)).await;
        let done = done.map_err(execution_error)?;
        lent.give_back();
        Ok(done.into())
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        let mut lent = self.lend_for_statement().await?;
        let row = query(statement).fetch_optional(&mut lent.connection).await;
        let row = row.map_err(query_error)?;
        lent.give_back();
        Ok(row.map(QueryResult::from))
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        let mut lent = self.lend_for_statement().await?;
        let rows = query(statement).fetch_all(&mut lent.connection).await;
        let rows = rows.map_err(query_error)?;
        lent.give_back();
        Ok(rows.into_iter().map(QueryResult::from).collect())
    }
}

/// Prepared once a connection: the driver keeps statements by their text.
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

fn query_error(error: sqlx::Error) -> DbErr {
    DbErr::Query(RuntimeErr::SqlxError(error.into()))
}
