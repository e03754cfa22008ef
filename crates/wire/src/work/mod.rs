//! Budgets of heavy work: memory for requests and for computations, and threads for computations.
//!
//! A request reserves memory from one budget after the other, in their order: for the rows of a page of a list until it is handled, for
//! the bytes of its body or answer, for the objects in its body, for the content that it reads, and for each of its computations while
//! it runs. So requests that hold memory never wait for each other in a circle. The bytes of the requests of one user, and those without
//! a user of one client address, have half of their budget at most: however many slow ones somebody sends, others find room.

mod budget;
mod error;
mod request;

use std::{sync::Arc, time::Duration};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use self::budget::Budget;
pub use self::{
    budget::{ContentMemory, Reservation},
    error::WorkError,
    request::{RequestMemory, reserve_answer, reserve_page, set_user, try_reserve_answer},
};
use crate::shares::Shares;

/// Memory for the rows of pages of lists, and what is made of them.
const PAGE_BYTES: usize = 96 * MIB;

/// Memory for the bytes of bodies and answers.
const REQUEST_BYTES: usize = 128 * MIB;

/// Memory for the objects of bodies.
const OBJECT_BYTES: usize = 128 * MIB;

/// Memory for the content of spaces that is read at once.
const CONTENT_BYTES: usize = 96 * MIB;

/// Memory for computations.
const COMPUTATION_BYTES: usize = 192 * MIB;

/// One user, or one client address, may have this part of the memory for the bytes of requests.
const PART_OF_ONE_SENDER: u32 = 2;

/// The wait for memory, after which the request is answered with 503.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// Smaller computations run where they are, because a thread would cost more than they do. The threads of the runtime are
/// few, so they need no budget.
const SMALL_BYTES: usize = 5 * MIB;

const MIB: usize = 1024 * 1024;
/// The unit of reservations.
const KIB: usize = 1024;

/// The budgets of one process.
#[derive(Clone)]
pub struct WorkBudget {
    pages: Budget,
    requests: Budget,
    of_senders: Arc<Shares<u128>>,
    objects: Budget,
    contents: Budget,
    computations: Budget,
    threads: Arc<Semaphore>,
    max_wait: Duration,
}

impl WorkBudget {
    pub fn new() -> Self {
        let bytes = [
            PAGE_BYTES,
            REQUEST_BYTES,
            OBJECT_BYTES,
            CONTENT_BYTES,
            COMPUTATION_BYTES,
        ];
        Self::with(bytes, MAX_WAIT)
    }

    fn with([pages, requests, objects, contents, computations]: [usize; 5], max_wait: Duration) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let requests = Budget::new(requests);
        Self {
            of_senders: Arc::new(Shares::new((requests.all / PART_OF_ONE_SENDER) as usize)),
            pages: Budget::new(pages),
            requests,
            objects: Budget::new(objects),
            contents: Budget::new(contents),
            computations: Budget::new(computations),
            threads: Arc::new(Semaphore::new((cores / 2).max(1))),
            max_wait,
        }
    }

    /// Reserves memory for the body or the answer of a request.
    pub async fn reserve(&self, bytes: usize) -> Result<Reservation, WorkError> {
        self.requests.reserve(bytes, self.max_wait).await
    }

    /// The same for a request of a user or a client address, which waits for the others of the sender first.
    pub async fn reserve_for(&self, sender: u128, bytes: usize) -> Result<[Reservation; 2], WorkError> {
        let of_sender = self.budget_of(sender).reserve(bytes, self.max_wait).await?;
        Ok([of_sender, self.reserve(bytes).await?])
    }

    /// The same, unless it would have to wait.
    fn try_reserve_for(&self, sender: u128, bytes: usize) -> Option<[Reservation; 2]> {
        let of_sender = self.budget_of(sender).try_reserve(bytes)?;
        Some([of_sender, self.requests.try_reserve(bytes)?])
    }

    fn budget_of(&self, sender: u128) -> Budget {
        Budget {
            units: self.of_senders.of(sender),
            all: self.requests.all / PART_OF_ONE_SENDER,
        }
    }

    /// The memory of content that is about to be read, with nothing reserved.
    pub fn content_memory(&self) -> ContentMemory {
        ContentMemory {
            budget: self.contents.clone(),
            max_wait: self.max_wait,
            reserved: None,
        }
    }

    /// Waits until a computation that takes about this much memory may run.
    pub async fn start(&self, bytes: usize) -> Result<Computation, WorkError> {
        self.start_within(self.max_wait, bytes).await
    }

    async fn start_within(&self, max_wait: Duration, bytes: usize) -> Result<Computation, WorkError> {
        if bytes <= SMALL_BYTES {
            return Ok(Computation(None));
        }
        let memory = self.computations.reserve(bytes, max_wait).await?;
        let thread = Arc::clone(&self.threads).acquire_owned().await?;
        Ok(Computation(Some((memory, thread))))
    }

    /// Runs a computation that takes about this much memory, on a thread that serves no requests.
    pub async fn run<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, WorkError> {
        self.start(bytes).await?.run_apart(work).await
    }

    /// Like [`Self::run`], for the rest of an answer of which a part was sent: waits as long as it takes.
    pub async fn resume<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, WorkError> {
        self.start_within(Duration::MAX, bytes).await?.run_apart(work).await
    }
}

/// The right to run a computation.
pub struct Computation(Option<(Reservation, OwnedSemaphorePermit)>);

impl Computation {
    async fn run_apart<T: Send + 'static>(self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, WorkError> {
        if self.0.is_none() {
            return Ok(work());
        }
        let work = move || {
            let result = work();
            drop(self);
            result
        };
        Ok(tokio::task::spawn_blocking(work).await?)
    }

    /// Leaves the thread to others while the computation waits. Its memory stays reserved.
    pub async fn pause<T>(self, budget: &WorkBudget, waiting: impl Future<Output = T>) -> Result<(Self, T), WorkError> {
        let Some((memory, thread)) = self.0 else {
            return Ok((self, waiting.await));
        };
        drop(thread);
        let result = waiting.await;
        let thread = Arc::clone(&budget.threads).acquire_owned().await?;
        Ok((Self(Some((memory, thread))), result))
    }

    /// Runs a computation that borrows. If it is large, the other tasks of this thread move to another one.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        off_runtime(self.0.is_some(), work)
    }
}

/// Runs a computation here. If it is large, the other tasks of this thread move to another one.
pub fn off_runtime<T>(is_large: bool, work: impl FnOnce() -> T) -> T {
    use tokio::runtime::{Handle, RuntimeFlavor};
    let flavor = Handle::try_current().map(|handle| handle.runtime_flavor());
    match flavor {
        Ok(RuntimeFlavor::MultiThread) if is_large => tokio::task::block_in_place(work),
        _ => work(),
    }
}

impl Default for WorkBudget {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_beyond_the_budget_waits_and_is_then_refused() {
        let budget = WorkBudget::with([10 * KIB; 5], Duration::from_millis(20));
        let first = budget.reserve(8 * KIB).await.unwrap();
        let refused = budget.reserve(4 * KIB).await.map(drop);
        assert!(matches!(refused, Err(WorkError::NoMemory)));
        // More than there is means all there is.
        let (all, ()) = tokio::join!(budget.reserve(100 * KIB), async { drop(first) });
        assert!(all.is_ok());
        assert!(budget.reserve(1).await.is_err());
    }

    #[tokio::test]
    async fn content_that_grows_waits_without_memory() {
        let budget = WorkBudget::with([10 * KIB; 5], Duration::from_millis(20));
        let (mut one, mut other) = (budget.content_memory(), budget.content_memory());
        assert!(one.try_grow(4 * KIB) && other.try_grow(4 * KIB));
        assert!(one.try_grow(6 * KIB) && !other.try_grow(6 * KIB));
        assert!(other.reserve(6 * KIB).await.is_err());
        // The memory of the other one is free now, and one that has everything is not limited any more.
        assert!(one.try_grow(10 * KIB) && one.try_grow(100 * KIB));
        one.shrink(4 * KIB);
        assert!(other.try_grow(6 * KIB) && !other.try_grow(7 * KIB));
        one.release();
        assert!(other.reserve(100 * KIB).await.is_ok());
    }

    #[tokio::test]
    async fn one_user_leaves_room_for_others() {
        let budget = WorkBudget::with([10 * KIB; 5], Duration::from_millis(20));
        let held = budget.reserve_for(1, 4 * KIB).await.unwrap();
        assert!(budget.reserve_for(1, 4 * KIB).await.is_err());
        let others = budget.reserve_for(2, 6 * KIB).await.unwrap();
        drop((held, others));
        assert!(budget.reserve_for(1, 4 * KIB).await.is_ok());
    }

    #[tokio::test]
    async fn a_computation_that_waits_keeps_its_memory_and_leaves_its_thread() {
        let budget = WorkBudget {
            threads: Arc::new(Semaphore::new(1)),
            ..WorkBudget::with([4 * SMALL_BYTES; 5], Duration::from_millis(20))
        };
        let computation = budget.start(2 * SMALL_BYTES).await.unwrap();
        let others = async {
            assert!(budget.start(3 * SMALL_BYTES).await.is_err());
            budget.start(SMALL_BYTES + KIB).await.map(drop)
        };
        let (computation, other) = computation.pause(&budget, others).await.unwrap();
        assert!(other.is_ok());
        assert_eq!(budget.threads.available_permits(), 0);
        drop(computation);
        assert!(budget.start(4 * SMALL_BYTES).await.is_ok());
    }
}
