//! Writes on PostgreSQL: one transaction each, run again when it loses against another.

use std::time::Duration;

use sea_orm::{DatabaseConnection, DbErr, IsolationLevel, TransactionTrait};

use super::errors::is_serialization_failure;
use super::tx::Tx;

/// How often a transaction is tried. Many are needed only when many writers meet at one row.
const ATTEMPTS: u32 = 20;

/// The bounds of the pause before another attempt; it doubles from one to the other.
const SHORTEST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

pub(super) async fn write<F, Fut, T, E>(connection: &DatabaseConnection, work: F) -> Result<T, E>
where
    F: FnOnce(Tx) -> Fut + Clone,
    Fut: Future<Output = Result<T, E>>,
    E: From<DbErr>,
{
    let mut attempt = 1;
    loop {
        match attempt_write(connection, work.clone()).await {
            Err(error) if attempt < ATTEMPTS && is_serialization_failure(&error) => {
                tokio::time::sleep(pause(attempt)).await;
                attempt += 1;
            }
            Err(error) => return Err(error.into()),
            Ok(outcome) => return outcome,
        }
    }
}

/// The outer error is the transaction's, the inner one the closure's.
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

/// Grows with the attempts; half of it is chance, so that those who met once do not meet again.
fn pause(attempt: u32) -> Duration {
    let full = SHORTEST_PAUSE.saturating_mul(1 << attempt.min(10)).min(LONGEST_PAUSE);
    let chance = getrandom::u32().map_or(1.0, |random| f64::from(random) / f64::from(u32::MAX));
    full.mul_f64(0.5 + chance / 2.0)
}
