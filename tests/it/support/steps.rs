//! Work that consists of many transactions, interrupted between two of them.

use std::{future::poll_fn, pin::pin, task::Poll};

use platform::db::Db;

/// Runs `work` until this process has made `steps` more writes, and drops it then, as if the process were killed. `None`: the
/// work did not end before.
pub async fn interrupt<T>(db: &Db, steps: u64, work: impl Future<Output = T>) -> Option<T> {
    let last = db.writes() + steps;
    let mut work = pin!(work);
    poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(result) => Poll::Ready(Some(result)),
        Poll::Pending if db.writes() >= last => Poll::Ready(None),
        Poll::Pending => Poll::Pending,
    })
    .await
}
