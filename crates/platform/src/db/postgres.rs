//! Writes on PostgreSQL: one transaction each, retried after a serialization failure, on a broken and on a read-only connection.

use std::sync::Arc;
use std::time::Duration;

use sea_orm::{DatabaseConnection, DbErr, IsolationLevel, TransactionTrait};
use tokio::sync::RwLock;
use wire::fault::DatabaseFault;

use super::errors::{
    explain, explain_commit, is_connection_lost, is_read_only, is_serialization_failure, is_unsupported,
};
use super::outage::{Outage, report_lost};
use super::queued_write::QueuedWrite;
use super::tx::{Effect, Tx};

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

impl Postgres {
    /// Starts a write in a task of its own: a caller who goes away would leave the connection in the middle of a transaction, to
    /// the next caller.
    pub(super) async fn start(&self, mut write: QueuedWrite) {
        let (postgres, running) = (self.clone(), Arc::clone(&self.running).read_owned().await);
        tokio::spawn(async move {
            let committed = postgres.run(&mut write).await;
            drop(running);
            write.respond(committed);
        });
    }

    async fn run(&self, write: &mut QueuedWrite) -> Result<(), DbErr> {
        let (mut attempt, mut lost_connections, mut read_only) = (1, 0, 0);
        loop {
            let ended = self.attempt(write).await;
            if ended.is_err() {
                write.forget();
            }
            match ended {
                Ok(()) => return Ok(()),
                Err(Failure::Before(error)) if is_connection_lost(&error) => {
                    if lost_connections == MAX_LOST {
                        return Err(report_lost(&error));
                    }
                    lost_connections += 1;
                }
                Err(Failure::ReadOnly(_)) if read_only < MAX_READ_ONLY => {
                    self.outage.note_read_only();
                    read_only += 1;
                }
                Err(Failure::ReadOnly(error)) => return Err(DatabaseFault::NotWritable(error).into()),
                Err(Failure::Before(error) | Failure::Commit(error))
                    if attempt < MAX_ATTEMPTS && is_serialization_failure(&error) =>
                {
                    tokio::time::sleep(backoff(attempt)).await;
                    attempt += 1;
                }
                Err(Failure::Before(error)) => return Err(explain(error)),
                Err(Failure::Commit(error)) => return Err(explain_commit(error)),
            }
        }
    }

    /// Runs one attempt.
    async fn attempt(&self, write: &mut QueuedWrite) -> Result<(), Failure> {
        let begin = self.pool.begin_with_config(Some(IsolationLevel::Serializable), None);
        let transaction = self.outage.watch(begin).await.map_err(|error| {
            if is_unsupported(&error) {
                Failure::ReadOnly(error)
            } else {
                before(error)
            }
        })?;
        let tx = Tx::new(transaction);
        match self.outage.watch_connected(write.run(&tx)).await.map_err(before)? {
            Effect::Keep => {
                let commit = self.outage.watch_connected(tx.commit());
                commit.await.map_err(Failure::Commit)
            }
            Effect::RollBack => tx.rollback().await.map_err(before),
        }
    }
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
