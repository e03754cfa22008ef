//! Limits on the work that takes much memory.
//!
//! Most requests take little, and nothing limits them here. A long body takes permits for its bytes. A request whose body, rows, content or
//! text turns out to be large takes one of the permits of large requests until its answer is made. A computation over a long text takes one
//! of the permits of heavy computations while it runs, on a thread that serves no requests. An answer takes permits for its bytes until the
//! last of them is sent. A request takes them in this order, so that requests never wait for each other in a circle. Whoever waits for ten
//! seconds is answered with 503 and `Retry-After`.

mod error;
mod fair_semaphore;
mod request;

use std::{sync::Arc, time::Duration};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use self::fair_semaphore::FairSemaphore;
pub use self::{
    error::WorkError,
    request::{RequestPermits, acquire_large, acquire_large_for_text, set_user},
};

/// The most memory of a large request: for its body as objects, its rows, or its content.
const LARGE_BYTES: usize = 128 * MIB;

/// The most memory of a heavy computation: for the nodes of the longest text.
const HEAVY_BYTES: usize = 384 * MIB;

/// The part of the memory of the process for the bytes of bodies, and for those of answers.
const PART_IN_FLIGHT: usize = 32;

/// The part of the memory of the process for all else, such as caches.
const PART_OF_THE_REST: usize = 8;

/// The wait for a permit or for bytes.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// A text with more bytes is long.
const LONG_TEXT: usize = 64 * KIB;

const MIB: usize = 1024 * 1024;
const KIB: usize = 1024;

/// The limits of one process.
#[derive(Clone)]
pub struct WorkLimits {
    /// The bytes of bodies, in KiB.
    bodies: FairSemaphore,
    large: FairSemaphore,
    heavy: Arc<Semaphore>,
    /// The bytes of answers, in KiB.
    answers: FairSemaphore,
    max_wait: Duration,
}

impl WorkLimits {
    /// The limits with which the process stays below so many bytes of memory.
    pub fn new(memory: usize) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        // At most half of the memory is for heavy computations.
        let heavy = (cores / 2).min(memory / 2 / HEAVY_BYTES).max(1);
        let others = memory / PART_OF_THE_REST + 2 * (memory / PART_IN_FLIGHT) + heavy * HEAVY_BYTES;
        let large = memory.saturating_sub(others) / LARGE_BYTES;
        Self::with(memory / PART_IN_FLIGHT / KIB, large, heavy, MAX_WAIT)
    }

    fn with(in_flight: usize, large: usize, heavy: usize, max_wait: Duration) -> Self {
        Self {
            bodies: FairSemaphore::new(in_flight),
            large: FairSemaphore::new(large),
            heavy: Arc::new(Semaphore::new(heavy)),
            answers: FairSemaphore::new(in_flight),
            max_wait,
        }
    }

    /// Waits until a computation over a text of so many bytes may run.
    pub async fn start(&self, text_bytes: usize) -> Result<Computation, WorkError> {
        if text_bytes <= LONG_TEXT {
            return Ok(Computation(None));
        }
        let permit = Arc::clone(&self.heavy).acquire_owned();
        let permit = tokio::time::timeout(self.max_wait, permit).await;
        Ok(Computation(Some(permit.map_err(|_| WorkError::Overloaded)??)))
    }

    /// Runs a computation over a text of so many bytes. If that is long, it runs on a thread that serves no requests.
    pub async fn run<T: Send + 'static>(
        &self,
        text_bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, WorkError> {
        let Computation(Some(permit)) = self.start(text_bytes).await? else {
            return Ok(work());
        };
        let work = move || {
            let result = work();
            drop(permit);
            result
        };
        Ok(tokio::task::spawn_blocking(work).await?)
    }
}

/// The right to run a computation.
pub struct Computation(Option<OwnedSemaphorePermit>);

impl Computation {
    /// Runs a computation that borrows. If it is heavy, the other tasks of this thread move to another one.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        off_runtime(self.0.is_some(), work)
    }
}

/// Runs a computation here. If it is heavy, the other tasks of this thread move to another one.
pub fn off_runtime<T>(is_heavy: bool, work: impl FnOnce() -> T) -> T {
    use tokio::runtime::{Handle, RuntimeFlavor};
    let flavor = Handle::try_current().map(|handle| handle.runtime_flavor());
    match flavor {
        Ok(RuntimeFlavor::MultiThread) if is_heavy => tokio::task::block_in_place(work),
        _ => work(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> WorkLimits {
        WorkLimits::with(10, 2, 1, Duration::from_millis(20))
    }

    #[tokio::test]
    async fn heavy_computations_wait_and_are_then_refused() {
        let limits = limits();
        let running = limits.start(LONG_TEXT + 1).await.unwrap();
        assert!(limits.start(LONG_TEXT).await.is_ok());
        let refused = limits.run(LONG_TEXT + 1, || ()).await;
        assert!(matches!(refused, Err(WorkError::Overloaded)));
        drop(running);
        assert_eq!(limits.run(LONG_TEXT + 1, || 1).await.ok(), Some(1));
    }

    #[tokio::test]
    async fn one_sender_leaves_room_for_others() {
        let limits = limits();
        let held = limits.bodies.acquire(1, 4, limits.max_wait).await.unwrap();
        assert!(limits.bodies.acquire(1, 2, limits.max_wait).await.is_err());
        // More than the share means all of it.
        let of_other = limits.bodies.acquire(2, 100, limits.max_wait).await.unwrap();
        assert!(limits.bodies.try_acquire(3, 2).is_none());
        drop((held, of_other));
        assert!(limits.bodies.try_acquire(1, 5).is_some());
    }

    #[tokio::test]
    async fn a_request_takes_one_permit_until_its_answer_is_made() {
        let limits = limits();
        let requests = [1, 1, 2].map(|address| RequestPermits::new(limits.clone(), address));
        let [one, of_same, of_other] = &requests;
        let handling = one.scope(async {
            acquire_large().await.unwrap();
            acquire_large().await.unwrap();
            assert!(of_same.scope(acquire_large()).await.is_err());
            assert!(of_other.scope(acquire_large()).await.is_ok());
        });
        handling.await;
        of_other.keep_for_answer(0).await.unwrap();
        // The answer of a large request waits for the one before it, and others do not.
        one.keep_for_answer(usize::MAX).await.unwrap();
        assert!(of_same.keep_for_answer(usize::MAX).await.is_err());
        drop(requests);
        let next = RequestPermits::new(limits, 1);
        assert!(next.scope(acquire_large()).await.is_ok());
        assert!(next.keep_for_answer(usize::MAX).await.is_ok());
        // Jobs are few.
        assert!(acquire_large().await.is_ok());
    }
}
