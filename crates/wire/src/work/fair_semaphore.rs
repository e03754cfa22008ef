//! A semaphore of whose permits one sender has half at most.

use std::{sync::Arc, time::Duration};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::WorkError;
use crate::shares::Shares;

/// A sender is a user, or a client address for requests without one.
#[derive(Clone)]
pub(super) struct FairSemaphore {
    all: Arc<Semaphore>,
    of_senders: Arc<Shares<u128>>,
    share: u32,
}

/// Permits that are taken until this is dropped: those of all, and those of the sender.
pub(super) struct FairPermit {
    _of_all: OwnedSemaphorePermit,
    _of_sender: OwnedSemaphorePermit,
}

impl FairSemaphore {
    pub fn new(count: usize) -> Self {
        let share = (count / 2).max(1);
        Self {
            all: Arc::new(Semaphore::new(count.max(1))),
            of_senders: Arc::new(Shares::new(share)),
            share: u32::try_from(share).unwrap_or(u32::MAX),
        }
    }

    /// Takes permits, at most the share of a sender, and waits for the other requests of the sender first.
    pub async fn acquire(&self, sender: u128, count: usize, max_wait: Duration) -> Result<FairPermit, WorkError> {
        let count = self.limited(count);
        let take = async {
            let of_sender = self.of_senders.of(sender).acquire_many_owned(count).await?;
            let of_all = Arc::clone(&self.all).acquire_many_owned(count).await?;
            Ok(FairPermit {
                _of_all: of_all,
                _of_sender: of_sender,
            })
        };
        tokio::time::timeout(max_wait, take)
            .await
            .map_err(|_| WorkError::Overloaded)?
    }

    /// The same, unless it would have to wait.
    pub fn try_acquire(&self, sender: u128, count: usize) -> Option<FairPermit> {
        let count = self.limited(count);
        let of_sender = self.of_senders.of(sender).try_acquire_many_owned(count).ok()?;
        let of_all = Arc::clone(&self.all).try_acquire_many_owned(count).ok()?;
        Some(FairPermit {
            _of_all: of_all,
            _of_sender: of_sender,
        })
    }

    fn limited(&self, count: usize) -> u32 {
        u32::try_from(count).unwrap_or(u32::MAX).min(self.share)
    }
}
