//! The pool of processes.

mod table;

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use tokio::{
    runtime::Handle,
    sync::oneshot,
    time::{Instant, timeout_at},
};

use self::table::Table;
use crate::{
    Answer, Event, Failure, Fetch, FetchFuture, FetchRequest, Reason, Rest, ScriptRuntime, Settings,
    process::{Lease, PlaceFreed, Process},
};

/// A pool of processes that run scripts. Clones share it.
#[derive(Clone)]
pub struct Scripts(Arc<Pool>);

pub(crate) struct Pool {
    settings: Arc<Settings>,
    table: Mutex<Table>,
}

/// A process, or why there is none.
type Given = Result<Lease, Reason>;

/// Processes that an event tries.
const ATTEMPTS: usize = 3;

/// The time between two looks at whether a process is idle, or may end for another.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// For scripts that do not run.
struct NoRequests;

impl Fetch for NoRequests {
    fn fetch(&self, _request: FetchRequest, _max_body: usize) -> FetchFuture<'_> {
        Box::pin(async { Err("Scripts that are parsed make no requests.".to_owned()) })
    }
}

fn failed(reason: Reason) -> Failure {
    Failure {
        reason,
        logs: Vec::new(),
    }
}

impl Scripts {
    /// Starts nothing yet: processes start with events.
    pub fn new(settings: Settings) -> Self {
        Self(Arc::new(Pool {
            settings: Arc::new(settings),
            table: Mutex::default(),
        }))
    }

    /// Runs a script with an event, and returns its answer, and the rest of its work. `fetch` makes the requests of this event.
    ///
    /// The script goes on if the future is dropped.
    pub async fn run(&self, event: Event, fetch: Arc<dyn Fetch>) -> Result<(Answer, Rest), Failure> {
        let deadline = Instant::now() + self.0.settings.wait;
        // A process may end between the choice and the start.
        for _ in 0..ATTEMPTS {
            let lease = self.0.lease(&event, deadline).await.map_err(failed)?;
            let process = Arc::clone(&lease.process);
            let begun = process.begin(&event, Arc::clone(&fetch), lease);
            let begun = begun.map_err(|error| failed(Reason::Start(error.to_string())))?;
            if let Some(outcome) = begun {
                return outcome.await.unwrap_or_else(|_| Err(failed(Reason::Stopped)));
            }
        }
        Err(failed(Reason::Stopped))
    }

    /// Parses a script of an owner without running it. Fails with [`Reason::Script`] if it cannot be parsed.
    pub async fn parse(&self, owner: Arc<str>, script: Arc<str>, runtime: ScriptRuntime) -> Result<(), Failure> {
        let mut version = DefaultHasher::new();
        // A process knows scripts by their versions, and the same text can be a script of each runtime.
        (&script, runtime).hash(&mut version);
        let event = Event {
            integration: format!("scripts of {owner}").into(),
            owner,
            installation: "".into(),
            version: version.finish(),
            script,
            runtime,
            event: "".into(),
            environment: "".into(),
            fetch_body: None,
            parse_only: true,
            wall_time: self.0.settings.wait,
        };
        self.run(event, Arc::new(NoRequests)).await.map(drop)
    }

    /// The number of processes with an integration.
    pub fn processes(&self) -> usize {
        self.0.table().started()
    }
}

impl Pool {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a process and for a turn in it.
    async fn lease(self: &Arc<Self>, event: &Event, deadline: Instant) -> Given {
        loop {
            let mut lease = match self.running(event) {
                Ok(lease) => lease,
                Err(given) => {
                    self.serve();
                    let given = timeout_at(deadline, given).await.map_err(|_| Reason::TooBusy)?;
                    given.map_err(|_| Reason::Stopped)??
                }
            };
            let turn = Arc::clone(&lease.process.turns).acquire_owned();
            // Fails if the process gets no further events: the event waits for another one.
            if let Ok(turn) = timeout_at(deadline, turn).await.map_err(|_| Reason::TooBusy)? {
                lease.turn = Some(turn);
                return Ok(lease);
            }
        }
    }

    /// The process that runs the integration of an event, or where the event waits for one.
    fn running(self: &Arc<Self>, event: &Event) -> Result<Lease, oneshot::Receiver<Given>> {
        let mut table = self.table();
        if let Some(process) = table.running(&event.integration) {
            return Ok(self.lease_of(process));
        }
        let (give, given) = oneshot::channel();
        table.wait(event, give);
        if !table.is_polled {
            table.is_polled = true;
            tokio::spawn(poll(Arc::downgrade(self)));
        }
        Err(given)
    }

    fn lease_of(self: &Arc<Self>, process: Arc<Process>) -> Lease {
        let pool = Arc::downgrade(self);
        Lease::new(process, pool)
    }

    /// Gives free places to the integrations that are next, and makes room for others.
    fn serve(self: &Arc<Self>) {
        // Without a runtime, the server is ending.
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        let integrations = self.table().assign(&self.settings);
        for integration in integrations {
            let pool = Arc::clone(self);
            // Starting a process takes milliseconds, in which nothing else waits for the lock or for this thread.
            runtime.spawn_blocking(move || pool.start(&integration));
        }
    }

    /// Gives an integration its process: the spare one, or a new one.
    fn start(self: &Arc<Self>, integration: &Arc<str>) {
        let spare = self.table().spare.take();
        let started = match spare.filter(|spare| !spare.has_ended()) {
            Some(spare) => Ok(spare),
            None => Process::start(&self.settings),
        };
        let given = || match &started {
            Ok(process) => Ok(self.lease_of(Arc::clone(process))),
            Err(error) => Err(Reason::Start(error.to_string())),
        };
        let waiting: Vec<_> = {
            let mut table = self.table();
            let waiting = table.put(integration, started.as_ref().ok()).into_iter();
            waiting.map(|give| (give, given())).collect()
        };
        // Leases of those that have left are dropped without the lock.
        for (give, given) in waiting {
            drop(give.send(given));
        }
        if let Ok(process) = &started {
            let (pool, process) = (Arc::downgrade(self), Arc::downgrade(process));
            tokio::spawn(stop_when_idle(pool, Arc::clone(integration), process));
            self.start_spare();
        }
    }

    /// Starts the process that hides the start from the next integration.
    fn start_spare(&self) {
        let has_spare = |table: &Table| table.spare.as_ref().is_some_and(|spare| !spare.has_ended());
        if has_spare(&self.table()) {
            return;
        }
        // Should it fail, the next event says so.
        let Ok(started) = Process::start(&self.settings) else {
            return;
        };
        let mut table = self.table();
        match has_spare(&table) {
            true => started.stop(),
            false => table.spare = Some(started),
        }
    }
}

impl PlaceFreed for Pool {
    fn place_freed(self: Arc<Self>) {
        self.serve();
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.table.get_mut().unwrap_or_else(PoisonError::into_inner).stop_all();
    }
}

/// Serves the integrations that wait, until none does: time alone makes processes free.
async fn poll(pool: Weak<Pool>) {
    loop {
        tokio::time::sleep(POLL_INTERVAL).await;
        let Some(pool) = pool.upgrade() else {
            return;
        };
        pool.serve();
        let mut table = pool.table();
        table.is_polled = table.has_waiting();
        if !table.is_polled {
            return;
        }
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
        tokio::time::sleep(left.max(POLL_INTERVAL)).await;
        let (Some(pool), Some(process)) = (pool.upgrade(), process.upgrade()) else {
            return;
        };
        if pool.table().has_left(&integration, &process, idle) {
            return;
        }
    }
}
