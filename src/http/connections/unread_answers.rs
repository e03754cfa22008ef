//! The bytes of answers that clients have not taken yet.

use std::{sync::Arc, time::Duration};

use tokio::time::{Instant, sleep};

use super::connection::{Connection, State, Unsent};

/// The longest wait of an answer until others are read.
const MAX_WAIT: Duration = Duration::from_secs(5);

const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// Bytes each second at which a client reads fast enough not to give way.
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
        let until = Instant::now() + MAX_WAIT;
        while !self.hold(bytes) {
            if Instant::now() >= until || !self.connections.can_hold(bytes) {
                return false;
            }
            sleep(BETWEEN_LOOKS).await;
        }
        true
    }

    /// The protocol has taken bytes of an answer: a client that reads fast enough does not give way to others.
    pub(super) fn reads(&self, bytes: usize) {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let mut state = self.state();
        let since = state.unread_since + Duration::from_secs(1).mul_f64(f64::from(bytes) / READ_RATE);
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
