//! Time limits for a client that sends or takes bytes.

use std::time::Duration;

use tokio::time::Instant;

/// The wait for a client: for each next byte, and in all for as many as have passed.
pub struct Patience {
    limit: Duration,
    /// Bytes a second.
    rate: u32,
    bytes: u64,
    /// The time that the server has waited for the client, without the present wait and without its own work.
    waited: Duration,
    waiting_since: Option<Instant>,
}

impl Patience {
    pub fn new(limit: Duration, rate: u32) -> Self {
        Self {
            limit,
            rate: rate.max(1),
            bytes: 0,
            waited: Duration::ZERO,
            waiting_since: None,
        }
    }

    /// The server waits for the client. Returns since when.
    pub fn wait(&mut self) -> Instant {
        *self.waiting_since.get_or_insert_with(Instant::now)
    }

    /// The client has sent or taken so many bytes.
    pub fn go_on(&mut self, bytes: usize) {
        if let Some(since) = self.waiting_since.take() {
            self.waited += since.elapsed();
        }
        self.bytes += bytes as u64;
    }

    /// When the wait is over; `None` if the server does not wait.
    pub fn deadline(&self) -> Option<Instant> {
        let in_all = self.limit + Duration::from_secs(self.bytes / u64::from(self.rate));
        let left = in_all.saturating_sub(self.waited).min(self.limit);
        self.waiting_since.map(|since| since + left)
    }
}
