//! Writes on PostgreSQL: one transaction each, retried after a serialization failure.

use std::time::Duration;

use sea_orm::{DatabaseConnection, DbErr, IsolationLevel, TransactionTrait};

use super::errors::is_serialization_failure;
use super::tx::Tx;

/// Attempts of one transaction. Many are needed only when many writers compete for one row.
const MAX_ATTEMPTS: u32 = 20;

/// The bounds of the exponential backoff.
const MIN_BACKOFF: Duration = Duration::from_millis(2);
const MAX_BACKOFF: Duration = Duration::from_millis(200);

pub(super) async fn write<F, Fut, T, E>(connection: &DatabaseConnection, work: F) -> Result<T, E>
where
    F: FnOnce(Tx) -> Fut + Clone,
    Fut: Future<Output = Result<T, E>>,
    E: From<DbErr>,
{
    let mut attempt = 1;
    loop {
        match attempt_write(connection, work.clone()).await {
            Err(error) if attempt < MAX_ATTEMPTS && is_serialization_failure(&error) => {
                tokio::time::sleep(backoff(attempt)).await;
                attempt += 1;
            }
            Err(error) => return Err(error.into()),
            Ok(outcome) => return outcome,
        }
    }
}

/// Runs one attempt. The outer error is the transaction's, the inner one the closure's.
async fn attempt_write<F, Fut, T, E>(connection: &DatabaseConnection, work: F) -> Result<Result<T, E>, DbErr>
where
    F: FnOnce(Tx) -> Fut,
    Fut: Future<Output = Result<T, E>>,
    E: From<DbErr>,
{
    let transaction = connection
        .begin_with_config(Some(IsolationLevel::Serializable), None)
        .await?;
    let tx = Tx::new(transaction);
    let outcome = tx.run(work).await?;
    match &outcome {
        Ok(_) => tx.commit().await?,
        Err(_) => tx.rollback().await?,
    }
    Ok(outcome)
}

/// Doubles with each attempt. Half of it is jitter, so that writers that collided once do not collide again.
fn backoff(attempt: u32) -> Duration {
    let full = MIN_BACKOFF.saturating_mul(1 << attempt.min(10)).min(MAX_BACKOFF);
    let jitter = getrandom::u32().map_or(1.0, |random| f64::from(random) / f64::from(u32::MAX));
    full.mul_f64(0.5 + jitter / 2.0)
}
