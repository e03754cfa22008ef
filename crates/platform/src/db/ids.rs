//! Generator of ids.

use std::sync::{Arc, Mutex};

use uuid::{Builder, ContextV7, Timestamp, Uuid};

use super::clock::Clock;

/// Generates ids that increase strictly within the process, even while its clock stands still or goes back.
#[derive(Debug, Clone)]
pub struct IdSource {
    clock: Clock,
    context: Arc<Mutex<ContextV7>>,
}

impl IdSource {
    pub fn new(clock: Clock) -> Self {
        Self {
            clock,
            context: Arc::new(Mutex::new(ContextV7::new())),
        }
    }

    /// Returns a new id of the type that the caller needs.
    pub fn next<Id: From<Uuid>>(&self) -> Id {
        self.generate_at(self.millis()).into()
    }

    /// Makes further ids greater than this one of another process, whose clock may be, or have been, ahead of this one's.
    pub fn continue_after(&self, id: &Uuid) {
        if let Some(time) = id.get_timestamp() {
            let (seconds, nanos) = time.to_unix();
            let millis = seconds
                .saturating_mul(1000)
                .saturating_add(u64::from(nanos / 1_000_000));
            // The generator never goes back, so that ids follow the clock again as soon as it has caught up.
            self.generate_at(millis.saturating_add(1));
        }
    }

    fn generate_at(&self, millis: u64) -> Uuid {
        let nanos = u32::try_from(millis % 1000).unwrap_or(0) * 1_000_000;
        Uuid::new_v7(Timestamp::from_unix(&*self.context, millis / 1000, nanos))
    }

    /// Returns a new id that is also a secret: with 74 random bits it cannot be guessed from other ids and the time. Ids
    /// of one millisecond have no order.
    pub fn secret<Id: From<Uuid>>(&self) -> Result<Id, getrandom::Error> {
        let mut random = [0; 10];
        getrandom::fill(&mut random)?;
        let id = Builder::from_unix_timestamp_millis(self.millis(), &random).into_uuid();
        Ok(id.into())
    }

    fn millis(&self) -> u64 {
        u64::try_from(self.clock.now().as_millis()).unwrap_or(0)
    }
}
