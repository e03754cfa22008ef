//! The pool of processes.

use std::{
    collections::HashMap,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak, atomic::Ordering},
    time::Duration,
};

use tokio::{sync::Notify, time::timeout_at};

use crate::{
    Answer, Event, Failure, Fetch, Reason, Rest, Settings,
    process::{Lease, Process},
};

/// A pool of processes that run scripts. Clones share it.
#[derive(Clone)]
pub struct Scripts(Arc<Pool>);

struct Pool {
    settings: Arc<Settings>,
    table: Mutex<Table>,
    /// Told when a process has become idle.
    freed: Arc<Notify>,
}

#[derive(Default)]
struct Table {
    /// Processes by integration.
    live: HashMap<Arc<str>, Arc<Process>>,
    /// A process that has no integration yet.
    spare: Option<Arc<Process>>,
}

impl Scripts {
    /// Starts nothing yet: processes start with events.
    pub fn new(settings: Settings) -> Self {
        Self(Arc::new(Pool {
            settings: Arc::new(settings),
            table: Mutex::default(),
            freed: Arc::default(),
        }))
    }

    /// Runs a script with an event, and returns its answer, and the rest of its work. `fetch` makes the requests of this event.
    ///
    /// The script goes on if the future is dropped.
    pub async fn run(&self, event: Event, fetch: Arc<dyn Fetch>) -> Result<(Answer, Rest), Failure> {
        let failure = |reason| Failure {
            reason,
            logs: Vec::new(),
        };
        let not_started = |error: io::Error| failure(Reason::Start(error.to_string()));
        // A process may end between the choice and the start.
        for _ in 0..ATTEMPTS {
            let lease = self.0.lease(&event.integration).await.map_err(failure)?;
            let process = Arc::clone(&lease.process);
            let begun = process.begin(&event, Arc::clone(&fetch), lease).map_err(not_started)?;
            if let Some(outcome) = begun {
                return outcome.await.unwrap_or_else(|_| Err(failure(Reason::Stopped)));
            }
        }
        Err(failure(Reason::Stopped))
    }

    /// The number of processes with an integration.
    pub fn processes(&self) -> usize {
        self.0.table().live.len()
    }
}

/// Processes that an event tries.
const ATTEMPTS: usize = 3;

/// Between two looks at whether a process is idle.
const MIN_WAIT: Duration = Duration::from_millis(50);

impl Pool {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a process and for a turn in it.
    async fn lease(self: &Arc<Self>, integration: &Arc<str>) -> Result<Lease, Reason> {
        let deadline = tokio::time::Instant::now() + self.settings.wait;
        let mut lease = loop {
            let freed = self.freed.notified();
            tokio::pin!(freed);
            // From now on, none is missed.
            freed.as_mut().enable();
            let assigned = self
                .assign(integration)
                .map_err(|error| Reason::Start(error.to_string()))?;
            if let Some(lease) = assigned {
                break lease;
            }
            timeout_at(deadline, freed).await.map_err(|_| Reason::TooBusy)?;
        };
        let turn = Arc::clone(&lease.process.turns).acquire_owned();
        let turn = timeout_at(deadline, turn).await.map_err(|_| Reason::TooBusy)?;
        lease._turn = turn.ok();
        Ok(lease)
    }

    /// The process of an integration, a new one if need be. `None`: all are at work.
    fn assign(self: &Arc<Self>, integration: &Arc<str>) -> io::Result<Option<Lease>> {
        let mut table = self.table();
        table.live.retain(|_, process| !process.has_ended());
        let process = match table.live.get(integration) {
            Some(process) => Arc::clone(process),
            None => {
                if table.live.len() >= self.settings.processes && !table.stop_least_recently_used() {
                    return Ok(None);
                }
                let process = match table.spare.take().filter(|spare| !spare.has_ended()) {
                    Some(spare) => spare,
                    None => Process::start(&self.settings)?,
                };
                table.live.insert(Arc::clone(integration), Arc::clone(&process));
                tokio::spawn(stop_when_idle(
                    Arc::downgrade(self),
                    Arc::clone(integration),
                    Arc::downgrade(&process),
                ));
                tokio::spawn(start_spare(Arc::downgrade(self)));
                process
            }
        };
        process.users.fetch_add(1, Ordering::AcqRel);
        Ok(Some(Lease {
            process,
            freed: Arc::clone(&self.freed),
            _turn: None,
        }))
    }
}

impl Table {
    /// Makes room. `false`: all processes are at work.
    fn stop_least_recently_used(&mut self) -> bool {
        let idle = self.live.iter().filter(|(_, process)| process.is_idle());
        let oldest = idle
            .min_by_key(|(_, process)| process.last_used())
            .map(|(integration, _)| Arc::clone(integration));
        let stopped = oldest.and_then(|integration| self.live.remove(&integration));
        stopped.inspect(|process| process.stop()).is_some()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let table = self.table.get_mut().unwrap_or_else(PoisonError::into_inner);
        for process in table.live.values().chain(&table.spare) {
            process.stop();
        }
    }
}

/// Starts the process that hides the start from the next integration.
async fn start_spare(pool: Weak<Pool>) {
    let Some(pool) = pool.upgrade() else {
        return;
    };
    let mut table = pool.table();
    if table.spare.as_ref().is_none_or(|spare| spare.has_ended()) {
        // Should it fail, the next event says so.
        table.spare = Process::start(&pool.settings).ok();
    }
}

/// Stops a process when all its runtimes have gone.
async fn stop_when_idle(pool: Weak<Pool>, integration: Arc<str>, process: Weak<Process>) {
    loop {
        let (Some(used), Some(settings)) = (
            process.upgrade().map(|process| process.last_used()),
            pool.upgrade().map(|pool| Arc::clone(&pool.settings)),
        ) else {
            return;
        };
        let idle = settings.limits.idle;
        let left = used.map_or(idle, |used| idle.saturating_sub(used.elapsed()));
        tokio::time::sleep(left.max(MIN_WAIT)).await;
        let (Some(pool), Some(process)) = (pool.upgrade(), process.upgrade()) else {
            return;
        };
        let mut table = pool.table();
        if table
            .live
            .get(&integration)
            .is_none_or(|live| !Arc::ptr_eq(live, &process))
        {
            return;
        }
        if process.is_idle() && process.last_used().is_none_or(|used| used.elapsed() >= idle) {
            table.live.remove(&integration);
            process.stop();
            return;
        }
    }
}
