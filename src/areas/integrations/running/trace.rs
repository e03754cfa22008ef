//! Traces of events whose answers the server needs: each has a row in the list of events, which is written after the answer.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use entity::{ids::IntegrationId, timestamp::Timestamp};
use scripts::Rest;

use super::{EventHead, LogLine, ScriptEvent, stored_logs};
use crate::{
    areas::integrations::outbox::{AnsweredEvent, record_answered},
    kernel::Kernel,
};

/// Rows of an integration per minute for events that have succeeded: visitors do not fill the database.
const SUCCEEDED_PER_MINUTE: u32 = 60;

/// Rows of an integration per minute for events that have failed.
const FAILED_PER_MINUTE: u32 = 600;

/// The longest payload that is kept, in bytes.
const MAX_PAYLOAD: usize = 64 * 1024;

/// Counts the rows that integrations have got in the present minute.
#[derive(Default)]
pub struct TraceBudget {
    minute: Mutex<Minute>,
    /// Rows are written one after the other, so that other writes wait for one at most.
    turn: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Minute {
    /// Since 1970.
    number: i64,
    /// By integration, and by whether the events have failed.
    rows: HashMap<(IntegrationId, bool), u32>,
}

impl TraceBudget {
    /// Returns whether an event may have a row.
    fn take(&self, integration: IntegrationId, has_failed: bool, now: Timestamp) -> bool {
        let number = now.to_utc().timestamp() / 60;
        let limit = if has_failed {
            FAILED_PER_MINUTE
        } else {
            SUCCEEDED_PER_MINUTE
        };
        let mut minute = self.minute.lock().unwrap_or_else(PoisonError::into_inner);
        if minute.number != number {
            *minute = Minute {
                number,
                rows: HashMap::new(),
            };
        }
        let rows = minute.rows.entry((integration, has_failed)).or_default();
        if *rows >= limit {
            return false;
        }
        *rows += 1;
        true
    }
}

/// An event for whose answer somebody waits.
pub struct Trace {
    kernel: Kernel,
    budget: Arc<TraceBudget>,
    event: AnsweredEvent,
    started: Instant,
}

impl Trace {
    pub fn begin(kernel: &Kernel, budget: &Arc<TraceBudget>, event: &ScriptEvent, head: &EventHead) -> Self {
        Self {
            kernel: kernel.clone(),
            budget: Arc::clone(budget),
            event: AnsweredEvent {
                id: head.event_id,
                integration: event.integration,
                installation: event.installation,
                event_type: head.event_type.clone(),
                payload: match event.payload.len() {
                    0..=MAX_PAYLOAD => event.payload.clone(),
                    _ => "{}".to_owned(),
                },
                created_at: kernel.clock.now(),
                response_status: None,
                failure: None,
                duration: Duration::ZERO,
                logs: None,
            },
            started: Instant::now(),
        }
    }

    /// The script has answered, and may go on. `failure`: what is wrong with the answer.
    pub fn answered(mut self, status: u16, failure: Option<String>, rest: Option<Rest>) {
        self.event.duration = self.started.elapsed();
        self.event.response_status = Some(status);
        tokio::spawn(async move {
            let Some(rest) = rest else {
                return self.record(failure, Vec::new()).await;
            };
            let finished = rest.finish().await;
            let failure = failure.or(finished.failure.map(|reason| reason.to_string()));
            let logs = finished.logs.into_iter().map(LogLine::from).collect();
            self.record(failure, logs).await;
        });
    }

    /// There is no answer.
    pub fn failed(mut self, reason: String, logs: Vec<LogLine>) {
        self.event.duration = self.started.elapsed();
        tokio::spawn(self.record(Some(reason), logs));
    }

    async fn record(self, failure: Option<String>, logs: Vec<LogLine>) {
        let Self {
            kernel, budget, event, ..
        } = self;
        if !budget.take(event.integration, failure.is_some(), kernel.clock.now()) {
            return;
        }
        let event = AnsweredEvent {
            failure,
            logs: stored_logs(logs),
            ..event
        };
        let _turn = budget.turn.lock().await;
        if let Err(error) = record_answered(&kernel, event).await {
            tracing::warn!(%error, "the trace of an event cannot be recorded");
        }
    }
}
