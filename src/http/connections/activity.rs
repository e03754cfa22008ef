//! The activity of a connection, and the time at which it has to end.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::time::{Instant, sleep_until};

use super::{TimeLimits, answer::Sending};

/// The requests, answers and waits of a connection.
pub struct Activity {
    pub times: TimeLimits,
    state: Mutex<State>,
}

struct State {
    requests: usize,
    has_asked: bool,
    /// Since when there is no request.
    idle_since: Instant,
    /// Answers that clients are taking.
    answers: Vec<Weak<Sending>>,
    /// The socket takes no bytes since then.
    blocked_since: Option<Instant>,
    /// The server stops since then.
    stopped_since: Option<Instant>,
}

/// The end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It has nothing to do, and may end in good order.
    Idle,
    /// It keeps the server waiting.
    Overdue,
}

impl Activity {
    pub(super) fn new(times: TimeLimits) -> Arc<Self> {
        Arc::new(Self {
            times,
            state: Mutex::new(State {
                requests: 0,
                has_asked: false,
                idle_since: Instant::now(),
                answers: Vec::new(),
                blocked_since: None,
                stopped_since: None,
            }),
        })
    }

    pub(super) fn begin(&self) {
        let mut state = self.state();
        state.has_asked = true;
        state.requests += 1;
    }

    pub(super) fn end(&self) {
        let mut state = self.state();
        state.requests -= 1;
        state.idle_since = Instant::now();
    }

    /// Watches over an answer until it is sent.
    pub(super) fn watch(&self, answer: &Arc<Sending>) {
        let mut state = self.state();
        state.answers.retain(|answer| answer.strong_count() > 0);
        state.answers.push(Arc::downgrade(answer));
    }

    /// Notes whether the socket takes bytes.
    pub(super) fn note_blocked(&self, is_blocked: bool) {
        let mut state = self.state();
        state.blocked_since = is_blocked.then(|| state.blocked_since.unwrap_or_else(Instant::now));
    }

    /// The server stops: the connection ends as soon as its client waits for nothing.
    pub fn stop(&self) {
        self.state().stopped_since.get_or_insert_with(Instant::now);
    }

    /// Completes when the connection has to end.
    pub async fn over(&self) -> Fate {
        loop {
            let now = Instant::now();
            match self.deadline() {
                (deadline, fate) if deadline <= now => return fate,
                // A deadline that arises in the meantime is not earlier than the second one.
                (deadline, _) => sleep_until(deadline.min(now + self.times.shortest())).await,
            }
        }
    }

    /// When the connection has to end, if nothing happens until then.
    fn deadline(&self) -> (Instant, Fate) {
        let times = self.times;
        let state = self.state();
        let blocked = state.blocked_since.map(|since| (since + times.send, Fate::Overdue));
        if state.requests == 0 {
            let limit = if state.has_asked { times.idle } else { times.start };
            let idle = state.idle_since + limit;
            let stopped = state
                .stopped_since
                .map(|stopped| stopped.max(state.idle_since) + times.receive_at_stop);
            let idle = (stopped.map_or(idle, |stopped| stopped.min(idle)), Fate::Idle);
            return blocked.unwrap_or(idle);
        }
        // Dropped without the lock: the end of an answer takes it.
        let answers: Vec<Arc<Sending>> = state.answers.iter().filter_map(Weak::upgrade).collect();
        drop(state);
        let later = Instant::now() + times.shortest() + times.shortest();
        let deadlines = answers.iter().filter_map(|answer| answer.deadline());
        let blocked = blocked.map(|(deadline, _)| deadline);
        (deadlines.chain(blocked).min().unwrap_or(later), Fate::Overdue)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
