//! Writes on PostgreSQL: one transaction each, retried after a serialization failure, on a broken and on a read-only connection.

use std::sync::Arc;
use std::time::Duration;

use openapi::error::DatabaseFault;
use sea_orm::{DatabaseConnection, DbErr, IsolationLevel, TransactionTrait};
use tokio::sync::RwLock;

use super::errors::{
    explain, explain_commit, is_connection_lost, is_read_only, is_serialization_failure, is_unsupported,
};
use super::outage::{Outage, report_lost};
use super::tx::Tx;

/// Attempts of one transaction. Many are needed only when many writers compete for one row.
const MAX_ATTEMPTS: u32 = 20;

/// Attempts of one transaction on broken connections. After the first, the others are tested before they are used.
const MAX_LOST: u32 = 2;

/// Attempts of one transaction on read-only connections. After the first, the second has a new connection.
const MAX_READ_ONLY: u32 = 1;

/// The bounds of the exponential backoff.
const MIN_BACKOFF: Duration = Duration::from_millis(2);
const MAX_BACKOFF: Duration = Duration::from_millis(200);

/// The pool, whose connections read and write.
#[derive(Clone)]
pub(super) struct Postgres {
    pub pool: DatabaseConnection,
    pub outage: Arc<Outage>,
    /// Held by each write, so that closing waits for them.
    pub running: Arc<RwLock<()>>,
}

/// A failure of an attempt.
enum Failure {
    /// Nothing has been written.
    Before(DbErr),
    /// Nothing has been written, and nothing can be on this connection.
    ReadOnly(DbErr),
    /// The transaction may have been committed all the same.
    Commit(DbErr),
}

pub(super) async fn write<F, Fut, T, E>(postgres: &Postgres, work: F) -> Result<T, E>
where
    F: FnOnce(Tx) -> Fut + Clone,
    Fut: Future<Output = Result<T, E>>,
    E: From<DbErr>,
{
    let (mut attempt, mut lost_connections, mut read_only) = (1, 0, 0);
    loop {
        match attempt_write(postgres, work.clone()).await {
            Ok(outcome) => return outcome,
            Err(Failure::Before(error)) if is_connection_lost(&error) => {
                if lost_connections == MAX_LOST {
                    return Err(report_lost(&error).into());
                }
                lost_connections += 1;
            }
            Err(Failure::ReadOnly(_)) if read_only < MAX_READ_ONLY => {
                postgres.outage.note_read_only();
                read_only += 1;
            }
            Err(Failure::ReadOnly(error)) => return Err(DbErr::from(DatabaseFault::NotWritable(error)).into()),
            Err(Failure::Before(error) | Failure::Commit(error))
                if attempt < MAX_ATTEMPTS && is_serialization_failure(&error) =>
            {
                tokio::time::sleep(backoff(attempt)).await;
                attempt += 1;
            }
            Err(Failure::Before(error)) => return Err(explain(error).into()),
            Err(Failure::Commit(error)) => return Err(explain_commit(error).into()),
        }
    }
}

/// Runs one attempt. The outer error is the transaction's, the inner one the closure's.
async fn attempt_write<F, Fut, T, E>(postgres: &Postgres, work: F) -> Result<Result<T, E>, Failure>
where
    F: FnOnce(Tx) -> Fut,
    Fut: Future<Output = Result<T, E>>,
    E: From<DbErr>,
{
    let begin = postgres
        .pool
        .begin_with_config(Some(IsolationLevel::Serializable), None);
    let transaction = postgres.outage.watch(begin).await.map_err(|error| {
        if is_unsupported(&error) {
            Failure::ReadOnly(error)
        } else {
            before(error)
        }
    })?;
    let tx = Tx::new(transaction);
    let outcome = postgres.outage.watch_connected(tx.run(work)).await.map_err(before)?;
    match &outcome {
        Ok(_) => {
            let commit = postgres.outage.watch_connected(tx.commit());
            commit.await.map_err(Failure::Commit)?;
        }
        Err(_) => tx.rollback().await.map_err(before)?,
    }
    Ok(outcome)
}

fn before(error: DbErr) -> Failure {
    if is_read_only(&error) {
        Failure::ReadOnly(error)
    } else {
        Failure::Before(error)
    }
}

/// Doubles with each attempt. Half of it is jitter, so that writers that collided once do not collide again.
fn backoff(attempt: u32) -> Duration {
    let full = MIN_BACKOFF.saturating_mul(1 << attempt.min(10)).min(MAX_BACKOFF);
    let jitter = getrandom::u32().map_or(1.0, |random| f64::from(random) / f64::from(u32::MAX));
    full.mul_f64(0.5 + jitter / 2.0)
}
