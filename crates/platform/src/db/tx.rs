//! A write transaction, as passed to its closure.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::future::BoxFuture;
use sea_orm::prelude::async_trait::async_trait;
use sea_orm::{
    ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, ExecResult, QueryResult, Statement, StatementBuilder,
};

use super::errors::ends_transaction;
use super::later::{self, Later};
use super::positional::{Columns, ReadRows, read_named_rows};

/// Longer than any regular write. The limit also ends deadlocks, such as a write inside a write.
pub(super) const TIME_LIMIT: Duration = Duration::from_secs(30);

/// The transaction that a write closure runs in: queries take it in place of [`super::Db::read`].
///
/// The transaction ends with the closure. If the closure keeps the handle, the write fails.
pub struct Tx(Arc<TxState>);

/// The fate of the changes of a closure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    Keep,
    RollBack,
}

struct TxState {
    transaction: DatabaseTransaction,
    /// The first error after which the database accepts a rollback only.
    fault: OnceLock<DbErr>,
    later: Later,
}

impl Tx {
    pub(super) fn new(transaction: DatabaseTransaction) -> Self {
        Self(Arc::new(TxState {
            transaction,
            fault: OnceLock::new(),
            later: Later::default(),
        }))
    }

    /// Runs a statement without a result, at the latest when the closure has returned and before any other statement. If it
    /// fails, that statement fails, or the write: a failure that the closure looks at has to come from
    /// [`ConnectionTrait::execute`].
    pub async fn execute_later(&self, statement: &impl StatementBuilder) -> Result<(), DbErr> {
        let statement = self.get_database_backend().build(statement);
        if statement.db_backend != DbBackend::Sqlite || !later::can_follow(&statement) {
            return self.execute_raw(statement).await.map(drop);
        }
        self.0.later.push(statement);
        Ok(())
    }

    pub(super) fn later(&self) -> &Later {
        &self.0.later
    }

    /// Returns another handle of the same transaction.
    pub fn share(&self) -> Self {
        Self(Arc::clone(&self.0))
    }

    /// Runs a closure that was called with this transaction. The outer error means that the whole transaction is lost, whatever
    /// the closure returned, and the inner one that only its changes are.
    pub(super) async fn run(&self, closure: BoxFuture<'_, Effect>) -> Result<Result<Effect, DbErr>, DbErr> {
        let run = async {
            let effect = closure.await;
            if effect == Effect::Keep
                && let Some(rest) = self.0.later.take_statements()
            {
                self.observe(self.0.transaction.execute_raw(rest).await)?;
            }
            Ok(effect)
        };
        let outcome = tokio::time::timeout(TIME_LIMIT, run).await;
        if let Some(fault) = self.0.fault.get() {
            return Err(fault.clone());
        }
        if Arc::strong_count(&self.0) > 1 {
            return Err(DbErr::Custom(
                "a write closure kept its transaction after it returned".to_owned(),
            ));
        }
        Ok(outcome.unwrap_or_else(|_| Err(DbErr::Custom("a write transaction took too long".to_owned()))))
    }

    pub(super) async fn commit(self) -> Result<(), DbErr> {
        self.into_transaction()?.commit().await
    }

    pub(super) async fn rollback(self) -> Result<(), DbErr> {
        self.into_transaction()?.rollback().await
    }

    fn into_transaction(self) -> Result<DatabaseTransaction, DbErr> {
        let shared = Arc::into_inner(self.0);
        shared
            .map(|shared| shared.transaction)
            .ok_or_else(|| DbErr::Custom("a write closure kept its transaction after it returned".to_owned()))
    }

    /// Runs the statements that are queued before one whose number of changed rows counts.
    async fn run_earlier(&self) -> Result<(), DbErr> {
        match self.0.later.take() {
            Some(earlier) => self.observe(self.0.transaction.execute_raw(earlier).await).map(drop),
            None => Ok(()),
        }
    }

    /// Joins a query to the statements that are queued before it.
    async fn with_earlier(&self, query: Statement) -> Result<Statement, DbErr> {
        if !later::can_follow(&query) {
            self.run_earlier().await?;
            return Ok(query);
        }
        Ok(match self.0.later.take() {
            Some(earlier) => later::joined(earlier, query),
            None => query,
        })
    }

    fn observe<T>(&self, result: Result<T, DbErr>) -> Result<T, DbErr> {
        if let Err(error) = &result
            && ends_transaction(error)
        {
            self.0.fault.get_or_init(|| error.clone());
        }
        result
    }
}

impl ReadRows for Tx {
    async fn read_rows<R: Send>(
        &self,
        query: Statement,
        decode: impl Fn(&mut Columns<'_>) -> Result<R, DbErr> + Send + Sync,
    ) -> Result<Vec<R>, DbErr> {
        read_named_rows(self, query, decode).await
    }
}

#[async_trait]
impl ConnectionTrait for Tx {
    fn get_database_backend(&self) -> DbBackend {
        self.0.transaction.get_database_backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.run_earlier().await?;
        self.observe(self.0.transaction.execute_raw(statement).await)
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.run_earlier().await?;
        self.observe(self.0.transaction.execute_unprepared(sql).await)
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        let statement = self.with_earlier(statement).await?;
        self.observe(self.0.transaction.query_one_raw(statement).await)
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        let statement = self.with_earlier(statement).await?;
        self.observe(self.0.transaction.query_all_raw(statement).await)
    }
}
