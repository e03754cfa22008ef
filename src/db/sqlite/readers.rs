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
        let alive = lent.connection.ping().await;
        lent.done(alive).map_err(connection_error)
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
            place,
        })
    }

    fn idle(&self) -> MutexGuard<'_, Vec<SqliteConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
