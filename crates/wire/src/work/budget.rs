//! Memory that is reserved from a budget.

use std::{sync::Arc, time::Duration};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{KIB, WorkError};

/// Memory that all who reserve some of it share.
#[derive(Clone)]
pub(super) struct Budget {
    pub(super) units: Arc<Semaphore>,
    pub(super) all: u32,
}

/// Memory that is reserved until this is dropped.
pub struct Reservation(OwnedSemaphorePermit);

impl Reservation {
    pub(super) fn bytes(&self) -> usize {
        self.0.num_permits() * KIB
    }
}

impl Budget {
    pub(super) fn new(bytes: usize) -> Self {
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
    pub(super) fn try_reserve(&self, bytes: usize) -> Option<Reservation> {
        let permit = Arc::clone(&self.units).try_acquire_many_owned(self.units_of(bytes));
        permit.ok().map(Reservation)
    }

    /// Reserves memory, at most all there is.
    pub(super) async fn reserve(&self, bytes: usize, max_wait: Duration) -> Result<Reservation, WorkError> {
        let permit = Arc::clone(&self.units).acquire_many_owned(self.units_of(bytes));
        match tokio::time::timeout(max_wait, permit).await {
            Ok(permit) => Ok(Reservation(permit?)),
            Err(_) => Err(WorkError::NoMemory),
        }
    }
}

/// The memory of content that is read, which is known only as it is read.
pub struct ContentMemory {
    pub(super) budget: Budget,
    pub(super) max_wait: Duration,
    pub(super) reserved: Option<Reservation>,
}

impl ContentMemory {
    /// Reserves this much memory in all, if there is some. One that has all there is can grow.
    pub fn try_grow(&mut self, bytes: usize) -> bool {
        let reserved = self.reserved.as_ref().map_or(0, |reserved| reserved.0.num_permits());
        let wanted = (self.budget.units_of(bytes) as usize).saturating_sub(reserved);
        let Some(more) = self.budget.try_reserve(wanted * KIB) else {
            return false;
        };
        match &mut self.reserved {
            Some(reserved) => reserved.0.merge(more.0),
            None => self.reserved = Some(more),
        }
        true
    }

    /// Waits for this much memory, or all there is, with none meanwhile: two that wait for more never wait for each other.
    pub async fn reserve(&mut self, bytes: usize) -> Result<(), WorkError> {
        self.release();
        self.reserved = Some(self.budget.reserve(bytes, self.max_wait).await?);
        Ok(())
    }

    /// Gives back what is more than this.
    pub fn shrink(&mut self, bytes: usize) {
        if let Some(reserved) = &mut self.reserved {
            let wanted = self.budget.units_of(bytes) as usize;
            drop(reserved.0.split(reserved.0.num_permits().saturating_sub(wanted)));
        }
    }

    pub fn release(&mut self) {
        self.reserved = None;
    }
}
