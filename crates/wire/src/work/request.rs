//! Permits of the request that is being handled.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::{KIB, LONG_TEXT, WorkError, WorkLimits, fair_semaphore::FairPermit};

/// Answers of fewer bytes count as none.
const SMALL_ANSWER: usize = 32 * KIB;

tokio::task_local! {
    static CURRENT: RequestPermits;
}

/// Takes a permit of large requests until the answer of the current request is made, unless it has one. Jobs, which are few, need none.
pub async fn acquire_large() -> Result<(), WorkError> {
    match CURRENT.try_with(Clone::clone) {
        Ok(request) => request.acquire_large().await,
        Err(_) => Ok(()),
    }
}

/// The same, if the request reads a long text, of so many bytes.
pub async fn acquire_large_for_text(text_bytes: usize) -> Result<(), WorkError> {
    match text_bytes {
        0..=LONG_TEXT => Ok(()),
        _ => acquire_large().await,
    }
}

/// Notes whose the current request is, if there is one.
pub fn set_user(user: u128) {
    // An error means that no request runs.
    let _ = CURRENT.try_with(|request| *request.user.get_or_init(|| user));
}

/// Permits of a request. They are kept with the request, and then with its answer until that is sent.
#[derive(Clone)]
pub struct RequestPermits {
    limits: WorkLimits,
    held: Arc<Mutex<Held>>,
    user: Arc<OnceLock<u128>>,
    /// The client address, for requests without a user.
    address: u128,
}

#[derive(Default)]
struct Held {
    large: Option<FairPermit>,
    body: Option<FairPermit>,
    answer: Vec<FairPermit>,
}

impl RequestPermits {
    pub fn new(limits: WorkLimits, address: u128) -> Self {
        Self {
            limits,
            held: Arc::default(),
            user: Arc::default(),
            address,
        }
    }

    /// Takes the bytes of the answer, which is made, until it is sent, and gives back all else. Only large requests wait for them, of
    /// which there are few.
    pub async fn keep_for_answer(&self, bytes: usize) -> Result<(), WorkError> {
        let large = {
            let mut held = self.held();
            held.body = None;
            held.large.take()
        };
        if bytes <= SMALL_ANSWER || self.try_acquire(bytes) {
            return Ok(());
        }
        if large.is_none() {
            return Err(WorkError::Overloaded);
        }
        let (sender, count) = (self.sender(), bytes.div_ceil(KIB));
        let taken = self.limits.answers.acquire(sender, count, self.limits.max_wait).await?;
        self.held().answer.push(taken);
        Ok(())
    }

    /// Takes further bytes until the answer is sent, unless that would have to wait: `false`.
    pub fn try_acquire(&self, bytes: usize) -> bool {
        let taken = self.limits.answers.try_acquire(self.sender(), bytes.div_ceil(KIB));
        let is_taken = taken.is_some();
        self.held().answer.extend(taken);
        is_taken
    }

    /// Takes the bytes of a long body until the request is answered.
    pub async fn acquire_body(&self, bytes: usize) -> Result<(), WorkError> {
        let (sender, count) = (self.sender(), bytes.div_ceil(KIB));
        let taken = self.limits.bodies.acquire(sender, count, self.limits.max_wait).await?;
        self.held().body = Some(taken);
        Ok(())
    }

    /// Takes a permit of large requests until the answer is made, unless the request has one.
    pub async fn acquire_large(&self) -> Result<(), WorkError> {
        if self.held().large.is_none() {
            let taken = self
                .limits
                .large
                .acquire(self.sender(), 1, self.limits.max_wait)
                .await?;
            self.held().large = Some(taken);
        }
        Ok(())
    }

    fn sender(&self) -> u128 {
        *self.user.get().unwrap_or(&self.address)
    }

    /// Runs the handling of the request.
    pub async fn scope<F: Future>(&self, handling: F) -> F::Output {
        CURRENT.scope(self.clone(), handling).await
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
