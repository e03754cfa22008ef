//! The memory of the request that is being handled.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::{KIB, WorkBudget, WorkError, budget::Reservation};

/// Answers of fewer bytes reserve no memory.
const SMALL_ANSWER: usize = 32 * KIB;

tokio::task_local! {
    static CURRENT: RequestMemory;
}

/// Reserves memory for the answer of the current request, if there is one, until the answer is complete.
pub async fn reserve_answer(bytes: usize) -> Result<(), WorkError> {
    match CURRENT.try_with(Clone::clone) {
        Ok(memory) if bytes > SMALL_ANSWER => memory.reserve_answer(bytes).await,
        _ => Ok(()),
    }
}

/// Reserves memory for the rows of a page until the current request, if there is one, is handled.
pub async fn reserve_page(bytes: usize) -> Result<(), WorkError> {
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
        reservation
            .map(|reservation| memory.held().answer.push((reservation, None)))
            .is_some()
    };
    bytes <= SMALL_ANSWER || CURRENT.try_with(reserve).unwrap_or(true)
}

/// Notes whose the current request is, if there is one.
pub fn set_user(user: u128) {
    // An error means that no request runs.
    let _ = CURRENT.try_with(|memory| *memory.user.get_or_init(|| user));
}

/// The memory that a request has reserved; kept with the request, and then with the answer, until that is sent.
#[derive(Clone)]
pub struct RequestMemory {
    budget: WorkBudget,
    held: Arc<Mutex<Held>>,
    /// Until the request is handled.
    while_handled: Arc<Mutex<Vec<Reservation>>>,
    user: Arc<OnceLock<u128>>,
    /// The client address, for requests without a user.
    address: u128,
}

#[derive(Default)]
struct Held {
    /// For the bytes and the objects of the body.
    body: Vec<Reservation>,
    /// The memory of the answer, and the same of the share of its sender.
    answer: Vec<(Reservation, Option<Reservation>)>,
}

impl RequestMemory {
    pub fn new(budget: WorkBudget, address: u128) -> Self {
        Self {
            budget,
            held: Arc::default(),
            while_handled: Arc::default(),
            user: Arc::default(),
            address,
        }
    }

    /// Keeps memory for an answer of so many bytes until it is sent, and frees that of the body. Returns `false` if there is no memory.
    pub fn keep_for_answer(&self, bytes: usize) -> bool {
        let mut held = self.held();
        held.body.clear();
        let reserved: usize = held.answer.iter().map(|(reservation, _)| reservation.bytes()).sum();
        drop(held);
        // The answer is in memory already, so it does not wait.
        bytes <= SMALL_ANSWER || bytes <= reserved || self.try_reserve(bytes)
    }

    /// Reserves memory until the answer is sent, unless that would have to wait: `false`.
    pub fn try_reserve(&self, bytes: usize) -> bool {
        let Some([of_sender, of_all]) = self.budget.try_reserve_for(self.sender(), bytes) else {
            return false;
        };
        self.held().answer.push((of_all, Some(of_sender)));
        true
    }

    /// Reserves memory for the bytes of the body until the request is answered.
    pub async fn reserve_body(&self, bytes: usize) -> Result<(), WorkError> {
        let reserved = self.budget.reserve_for(self.sender(), bytes).await?;
        self.held().body.extend(reserved);
        Ok(())
    }

    /// Reserves memory for the bytes of the answer until it is sent.
    async fn reserve_answer(&self, bytes: usize) -> Result<(), WorkError> {
        let [of_sender, of_all] = self.budget.reserve_for(self.sender(), bytes).await?;
        self.held().answer.push((of_all, Some(of_sender)));
        Ok(())
    }

    fn sender(&self) -> u128 {
        *self.user.get().unwrap_or(&self.address)
    }

    /// Reserves memory for the objects in the body until the request is answered.
    pub async fn reserve_objects(&self, bytes: usize) -> Result<(), WorkError> {
        let objects = &self.budget.objects;
        if bytes > objects.all as usize * KIB {
            return Err(WorkError::TooLarge);
        }
        let reserved = objects.reserve(bytes, self.budget.max_wait).await?;
        self.held().body.push(reserved);
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

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn rows_of_a_page_take_memory_until_the_request_is_handled() {
        let budget = WorkBudget::with([10 * KIB; 5], Duration::from_millis(20));
        let memory = RequestMemory::new(budget.clone(), 0);
        let handling = memory.scope(async {
            reserve_page(8 * KIB).await.unwrap();
            assert!(reserve_page(4 * KIB).await.is_err());
        });
        handling.await;
        assert!(budget.pages.try_reserve(10 * KIB).is_some());
        assert!(reserve_page(100 * KIB).await.is_ok());
    }
}
