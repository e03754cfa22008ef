//! The clock, which is passed in so that tests can hold it still.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{TimeDelta, Utc};
use entity::timestamp::Timestamp;

/// The system clock, or a clock that a [`ManualClock`] sets.
#[derive(Debug, Clone)]
pub struct Clock(Option<Arc<AtomicI64>>);

impl Clock {
    pub const fn system() -> Self {
        Self(None)
    }

    /// Returns a clock that stands at `start`, and the handle that moves it.
    pub fn manual(start: Timestamp) -> (Self, ManualClock) {
        let time = Arc::new(AtomicI64::new(start.as_millis()));
        (Self(Some(Arc::clone(&time))), ManualClock(time))
    }

    #[expect(clippy::disallowed_methods, reason = "where the application reads the system clock")]
    pub fn now(&self) -> Timestamp {
        match &self.0 {
            None => Utc::now().into(),
            Some(time) => Timestamp::from_millis(time.load(Ordering::SeqCst)),
        }
    }
}

/// The handle that moves a manual clock.
#[derive(Debug, Clone)]
pub struct ManualClock(Arc<AtomicI64>);

impl ManualClock {
    pub fn set(&self, now: Timestamp) {
        self.0.store(now.as_millis(), Ordering::SeqCst);
    }

    pub fn advance(&self, by: TimeDelta) {
        self.0.fetch_add(by.num_milliseconds(), Ordering::SeqCst);
    }
}
