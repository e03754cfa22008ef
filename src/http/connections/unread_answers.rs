//! The bytes of answers that clients have not taken yet.

use std::{sync::Arc, time::Duration};

use tokio::time::{Instant, sleep};

use super::connection::{Connection, State, Unsent};

/// An answer looks so often whether others are read: for five seconds.
const LOOKS: u32 = 50;
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);
const LOOKS_WITHOUT_WALK: u32 = 10;

/// A client that reads all that its connection holds within this time reads fast enough not to give way, and at least so many bytes each
/// second.
const READING_TIME: f64 = 30.0;
const READ_RATE: f64 = 128.0 * 1024.0;

impl State {
    fn add_unsent(&mut self, bytes: usize) {
        if self.unsent_bytes + self.sending_bytes == 0 {
            self.unread_since = Instant::now();
        }
        self.unsent_bytes += bytes;
    }

    /// Takes bytes away, at most all there are. Returns their number.
    fn take_unsent(&mut self, bytes: usize) -> usize {
        let bytes = bytes.min(self.unsent_bytes);
        self.unsent_bytes -= bytes;
        bytes
    }
}

impl Connection {
    /// Counts the bytes of an answer; `false` if there is no memory for it.
    pub(super) fn hold(&self, bytes: usize) -> bool {
        self.connections.hold(bytes)
    }

    /// The same for an answer that may wait until others are read, or give way.
    pub(super) async fn hold_in_time(&self, bytes: usize) -> bool {
        if self.hold(bytes) {
            return true;
        }
        if !self.connections.can_hold(bytes) {
            return false;
        }
        for look in 1..=LOOKS {
            sleep(BETWEEN_LOOKS).await;
            // Making room takes a walk over all connections.
            let fits = match look % LOOKS_WITHOUT_WALK {
                0 => self.hold(bytes),
                _ => self.connections.try_hold(bytes),
            };
            if fits {
                return true;
            }
        }
        false
    }

    /// The protocol has taken bytes of an answer: a client that reads fast enough does not give way to others.
    pub(super) fn reads(&self, bytes: usize) {
        let number = |bytes: usize| f64::from(u32::try_from(bytes).unwrap_or(u32::MAX));
        let mut state = self.state();
        let rate = READ_RATE.max(number(state.unsent_bytes + state.sending_bytes) / READING_TIME);
        let since = state.unread_since + Duration::from_secs(1).mul_f64(number(bytes) / rate);
        state.unread_since = since.min(Instant::now());
    }

    /// Keeps an answer until it is sent, with the bytes that were counted for it, and returns its number.
    pub(super) fn keep(&self, unsent: Arc<dyn Unsent>, bytes: usize) -> u64 {
        let mut state = self.state();
        state.add_unsent(bytes);
        let number = state.next_answer;
        state.next_answer += 1;
        state.unsent.insert(number, unsent);
        number
    }

    /// Counts the bytes of an answer anew that is made while it is sent; `false` if there is no memory for more.
    pub(super) fn recount(&self, counted: usize, bytes: usize) -> bool {
        if let Some(freed) = counted.checked_sub(bytes) {
            let freed = self.state().take_unsent(freed);
            self.connections.release(freed);
            return true;
        }
        let more = bytes - counted;
        if !self.hold(more) {
            return false;
        }
        let mut state = self.state();
        if state.is_closed {
            drop(state);
            self.connections.release(more);
            return false;
        }
        state.add_unsent(more);
        true
    }

    /// The protocol has taken so many counted bytes of an answer.
    pub(super) fn handed_over(&self, bytes: usize) {
        let mut state = self.state();
        let bytes = state.take_unsent(bytes);
        if state.is_closed {
            drop(state);
            self.connections.release(bytes);
        } else {
            if state.sending_bytes == 0 {
                state.sent_at = Instant::now();
            }
            state.sending_bytes += bytes;
        }
    }

    /// An answer is through, or will never be: `rest` bytes of it were not handed over.
    pub(super) fn done(&self, number: u64, rest: usize) {
        let mut state = self.state();
        state.unsent.remove(&number);
        let rest = state.take_unsent(rest);
        drop(state);
        if rest > 0 {
            self.connections.release(rest);
        }
    }
}
