//! Budgets of heavy work: memory for requests and for computations, and threads for computations.
//!
//! A request reserves memory from one budget after the other, in their order: for the rows of a page of a list until it is handled, for
//! the bytes of its body or answer, for the objects in its body, for the content that it reads, and for each of its computations while
//! it runs. So requests that hold memory never wait for each other in a circle. The bytes of the requests of one user have half of their budget at most: however many slow
//! ones somebody sends, others find room.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{
    error::{ApiError, ErrorRule},
    shares::Shares,
};

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

/// One user may have this part of the memory for the bytes of requests.
const PART_OF_ONE_USER: u32 = 2;

/// The wait for memory, after which the request is answered with 503.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// The time after which a caller should try again, in seconds.
const RETRY_AFTER: u32 = 5;

/// Smaller computations run where they are, because a thread would cost more than they do. The threads of the runtime are
/// few, so they need no budget.
const SMALL_BYTES: usize = 5 * MIB;

/// Answers of fewer bytes reserve no memory.
const SMALL_ANSWER: usize = 32 * KIB;

const MIB: usize = 1024 * 1024;
/// The unit of reservations.
const KIB: usize = 1024;

/// The budgets of one process.
#[derive(Clone)]
pub struct WorkBudget {
    pages: Budget,
    requests: Budget,
    of_users: Arc<Shares<u128>>,
    objects: Budget,
    contents: Budget,
    computations: Budget,
    threads: Arc<Semaphore>,
    max_wait: Duration,
}

#[derive(Clone)]
struct Budget {
    units: Arc<Semaphore>,
    all: u32,
}

/// Memory that is reserved until this is dropped.
pub struct Reservation {
    _permit: OwnedSemaphorePermit,
}

impl Budget {
    fn new(bytes: usize) -> Self {
        let all = u32::try_from(bytes / KIB).unwrap_or(u32::MAX);
        Self {
            units: Arc::new(Semaphore::new(all as usize)),
            all,
        }
    }

    fn units_of(&self, bytes: usize) -> u32 {
        u32::try_from(bytes.div_ceil(KIB)).unwrap_or(u32::MAX).min(self.all)
    }

    /// Reserves memory if there is some, at most all of it.
    fn try_reserve(&self, bytes: usize) -> Option<Reservation> {
        let permit = Arc::clone(&self.units).try_acquire_many_owned(self.units_of(bytes));
        permit.ok().map(|permit| Reservation { _permit: permit })
    }

    /// Reserves memory, at most all there is.
    async fn reserve(&self, bytes: usize, max_wait: Duration) -> Result<Reservation, ApiError> {
        let permit = Arc::clone(&self.units).acquire_many_owned(self.units_of(bytes));
        match tokio::time::timeout(max_wait, permit).await {
            Ok(permit) => Ok(Reservation {
                _permit: permit.map_err(ApiError::internal)?,
            }),
            Err(_) => Err(overloaded()),
        }
    }
}

pub(crate) fn overloaded() -> ApiError {
    let message = "The server is at its limit of memory for large requests. Try again after the number of seconds in `Retry-After`.";
    ApiError::overloaded(message, RETRY_AFTER)
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
            of_users: Arc::new(Shares::new((requests.all / PART_OF_ONE_USER) as usize)),
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
    pub async fn reserve(&self, bytes: usize) -> Result<Reservation, ApiError> {
        self.requests.reserve(bytes, self.max_wait).await
    }

    /// The same for a request of a user, which waits for the others of the user first.
    async fn reserve_for(&self, user: u128, bytes: usize) -> Result<[Reservation; 2], ApiError> {
        let of_user = self.budget_of(user).reserve(bytes, self.max_wait).await?;
        Ok([of_user, self.reserve(bytes).await?])
    }

    fn budget_of(&self, user: u128) -> Budget {
        Budget {
            units: self.of_users.of(user),
            all: self.requests.all / PART_OF_ONE_USER,
        }
    }

    /// Memory for content that is read, of which none is reserved yet.
    pub fn content_memory(&self) -> ContentMemory {
        ContentMemory {
            budget: self.contents.clone(),
            max_wait: self.max_wait,
            reserved: None,
        }
    }

    /// Waits until a computation that takes about this much memory may run.
    pub async fn start(&self, bytes: usize) -> Result<Computation, ApiError> {
        self.start_within(self.max_wait, bytes).await
    }

    async fn start_within(&self, max_wait: Duration, bytes: usize) -> Result<Computation, ApiError> {
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
    ) -> Result<T, ApiError> {
        self.start(bytes).await?.run_apart(work).await
    }

    /// Like [`Self::run`], for the rest of an answer of which a part was sent: waits as long as it takes.
    pub async fn resume<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        self.start_within(Duration::MAX, bytes).await?.run_apart(work).await
    }
}

/// The memory of content that is read, which is known only as it is read.
pub struct ContentMemory {
    budget: Budget,
    max_wait: Duration,
    reserved: Option<OwnedSemaphorePermit>,
}

impl ContentMemory {
    /// Reserves this much memory in all, if there is some. One that has all there is can grow.
    pub fn try_grow(&mut self, bytes: usize) -> bool {
        let reserved = self.reserved.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let wanted = (self.budget.units_of(bytes) as usize).saturating_sub(reserved);
        let Ok(permit) =
            Arc::clone(&self.budget.units).try_acquire_many_owned(u32::try_from(wanted).unwrap_or(u32::MAX))
        else {
            return false;
        };
        match &mut self.reserved {
            Some(reserved) => reserved.merge(permit),
            None => self.reserved = Some(permit),
        }
        true
    }

    /// Waits for this much memory, or all there is, with none meanwhile: two that wait for more never wait for each other.
    pub async fn reserve(&mut self, bytes: usize) -> Result<(), ApiError> {
        self.release();
        let permit = Arc::clone(&self.budget.units).acquire_many_owned(self.budget.units_of(bytes));
        let permit = tokio::time::timeout(self.max_wait, permit).await;
        self.reserved = Some(permit.map_err(|_| overloaded())??);
        Ok(())
    }

    pub fn release(&mut self) {
        self.reserved = None;
    }
}

/// The right to run a computation.
pub struct Computation(Option<(Reservation, OwnedSemaphorePermit)>);

impl Computation {
    async fn run_apart<T: Send + 'static>(self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, ApiError> {
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
    pub async fn pause<T>(self, budget: &WorkBudget, waiting: impl Future<Output = T>) -> Result<(Self, T), ApiError> {
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

tokio::task_local! {
    static CURRENT: RequestMemory;
}

/// Reserves memory for the answer of the current request, if there is one, until the answer is complete.
pub async fn reserve_answer(bytes: usize) -> Result<(), ApiError> {
    match CURRENT.try_with(Clone::clone) {
        Ok(memory) if bytes > SMALL_ANSWER => memory.reserve_body(bytes).await,
        _ => Ok(()),
    }
}

/// Reserves memory for the rows of a page until the current request, if there is one, is handled.
pub async fn reserve_page(bytes: usize) -> Result<(), ApiError> {
    let Ok(memory) = CURRENT.try_with(Clone::clone) else {
        return Ok(());
    };
    let reservation = memory.budget.pages.reserve(bytes, memory.budget.max_wait).await?;
    memory.while_handled().push(reservation);
    Ok(())
}

/// Like [`reserve_answer`], unless that would have to wait: `false`.
pub fn try_reserve_answer(bytes: usize) -> bool {
    let reserve = |memory: &RequestMemory| {
        let reservation = memory.budget.requests.try_reserve(bytes);
        reservation.map(|reservation| memory.hold(reservation)).is_some()
    };
    bytes <= SMALL_ANSWER || CURRENT.try_with(reserve).unwrap_or(true)
}

/// Notes whose the current request is, if there is one.
pub fn set_user(user: u128) {
    // An error means that no request runs.
    let _ = CURRENT.try_with(|memory| *memory.user.get_or_init(|| user));
}

/// Returns where the answer of the current request notes its memory, if it is made while it is sent.
pub fn answer_memory() -> AnswerMemory {
    let memory = CURRENT.try_with(|memory| memory.answer.clone());
    memory.unwrap_or_default()
}

/// The bytes that an answer has in memory which is made while it is sent.
#[derive(Clone, Default)]
pub struct AnswerMemory(Arc<AtomicUsize>);

impl AnswerMemory {
    pub fn set(&self, bytes: usize) {
        self.0.store(bytes, Ordering::Relaxed);
    }

    pub fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// The memory that a request has reserved; kept with the request by the server until the answer is written.
#[derive(Clone)]
pub struct RequestMemory {
    budget: WorkBudget,
    held: Arc<Mutex<Vec<Reservation>>>,
    /// Until the request is handled.
    while_handled: Arc<Mutex<Vec<Reservation>>>,
    user: Arc<OnceLock<u128>>,
    answer: AnswerMemory,
}

impl RequestMemory {
    pub fn new(budget: WorkBudget) -> Self {
        Self {
            budget,
            held: Arc::default(),
            while_handled: Arc::default(),
            user: Arc::default(),
            answer: AnswerMemory::default(),
        }
    }

    /// The memory of an answer that is made while it is sent, as it notes it.
    pub fn answer(&self) -> AnswerMemory {
        self.answer.clone()
    }

    /// Reserves memory for the bytes of the body or the answer until the request is answered.
    pub async fn reserve_body(&self, bytes: usize) -> Result<(), ApiError> {
        match self.user.get() {
            Some(user) => {
                let reserved = self.budget.reserve_for(*user, bytes).await?;
                reserved.into_iter().for_each(|reservation| self.hold(reservation));
            }
            None => self.hold(self.budget.reserve(bytes).await?),
        }
        Ok(())
    }

    /// Reserves memory for the objects in the body until the request is answered.
    pub async fn reserve_objects(&self, bytes: usize) -> Result<(), ApiError> {
        let objects = &self.budget.objects;
        if bytes > objects.all as usize * KIB {
            let message = "Has more members than the server reads in one request.";
            return Err(ApiError::invalid_member("/body", ErrorRule::TooManyMembers, message));
        }
        self.hold(objects.reserve(bytes, self.budget.max_wait).await?);
        Ok(())
    }

    /// Runs the handling of the request, which may reserve memory for its answer.
    pub async fn scope<F: Future>(&self, handling: F) -> F::Output {
        let output = CURRENT.scope(self.clone(), handling).await;
        self.while_handled().clear();
        output
    }

    fn while_handled(&self) -> MutexGuard<'_, Vec<Reservation>> {
        self.while_handled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hold(&self, reservation: Reservation) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.push(reservation);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_beyond_the_budget_waits_and_is_then_refused() {
        let budget = WorkBudget::with([10 * KIB; 5], Duration::from_millis(20));
        let first = budget.reserve(8 * KIB).await.unwrap();
        let refused = budget.reserve(4 * KIB).await.map(drop).unwrap_err();
        assert_eq!(
            (refused.status().as_u16(), refused.kind()),
            (503, crate::error::ErrorType::Overloaded)
        );
        assert_eq!(refused.into_response().header("retry-after"), Some("5"));
        // More than there is means all there is.
        let (all, ()) = tokio::join!(budget.reserve(100 * KIB), async { drop(first) });
        assert!(all.is_ok());
        assert!(budget.reserve(1).await.is_err());
    }

    #[tokio::test]
    async fn rows_of_a_page_take_memory_until_the_request_is_handled() {
        let budget = WorkBudget::with([10 * KIB; 5], Duration::from_millis(20));
        let memory = RequestMemory::new(budget.clone());
        let handling = memory.scope(async {
            reserve_page(8 * KIB).await.unwrap();
            assert!(reserve_page(4 * KIB).await.is_err());
        });
        handling.await;
        assert!(budget.pages.try_reserve(10 * KIB).is_some());
        assert!(reserve_page(100 * KIB).await.is_ok());
    }

    #[tokio::test]
    async fn content_that_grows_waits_without_memory() {
        let budget = WorkBudget::with([10 * KIB; 5], Duration::from_millis(20));
        let (mut one, mut other) = (budget.content_memory(), budget.content_memory());
        assert!(one.try_grow(4 * KIB) && other.try_grow(4 * KIB));
        assert!(one.try_grow(6 * KIB) && !other.try_grow(6 * KIB));
        assert!(other.reserve(6 * KIB).await.is_err());
        // What the other one had is free now, and whoever has everything is not limited any more.
        assert!(one.try_grow(10 * KIB) && one.try_grow(100 * KIB));
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
