//! The loop of a child: frames in, slices of scripts, frames out.

use std::{
    collections::VecDeque,
    io,
    rc::Rc,
    time::{Duration, Instant},
};

use super::{
    engine::{Engine, Waits, is_out_of_memory},
    host::Act,
    pipes::{Input, Output, Waited},
};
use crate::{
    Limits, Log, Reason, ScriptRuntime,
    frames::{KEPT_SCRIPTS, ResponseHead, ToChild, ToParent},
};

/// Runtimes without work that are kept.
const IDLE_RUNTIMES: usize = 32;

/// The result of a step of an event. An error is the end of the event.
type Step = Result<(), Reason>;

pub struct Worker {
    limits: Limits,
    output: Output,
    scripts: VecDeque<(u64, ScriptRuntime, Rc<str>)>,
    /// Events that have not begun.
    queue: VecDeque<QueuedEvent>,
    runtimes: Vec<Runtime>,
    /// An engine without a script, for the first event.
    blank: Option<Engine>,
    /// The event that the parent takes to be at work.
    working: Option<u64>,
}

struct QueuedEvent {
    id: u64,
    installation: String,
    version: u64,
    deadline: Instant,
    event: Vec<u8>,
    environment: Vec<u8>,
    body: Option<Vec<u8>>,
    parse_only: bool,
}

/// The runtime of a version on an installation.
struct Runtime {
    installation: String,
    version: u64,
    engine: Engine,
    events: u32,
    last_used: Instant,
    active: Option<ActiveEvent>,
}

struct ActiveEvent {
    id: u64,
    deadline: Instant,
    logs: Vec<Log>,
    timer: Option<Instant>,
    is_answered: bool,
}

impl Worker {
    pub fn new(limits: Limits, output: Output, blank: Engine) -> Self {
        Self {
            limits,
            output,
            scripts: VecDeque::new(),
            queue: VecDeque::new(),
            runtimes: Vec::new(),
            blank: Some(blank),
            working: None,
        }
    }

    /// Works until the parent has gone.
    pub fn work(mut self, input: &mut Input) -> io::Result<()> {
        loop {
            match input.next(self.timeout())? {
                Waited::Frame(frame, bytes) => {
                    self.take(frame, bytes)?;
                    continue;
                }
                Waited::Nothing => {}
                Waited::Closed => return Ok(()),
            }
            self.run_due()?;
            // Events that have begun come first: they are waiting by now.
            if let Some(event) = self.queue.pop_front() {
                self.begin(event)?;
            }
            self.drop_idle();
        }
    }

    /// How long nothing has to be done. `None`: until the next frame.
    fn timeout(&self) -> Option<Duration> {
        if !self.queue.is_empty() {
            return Some(Duration::ZERO);
        }
        let of_runtime = |runtime: &Runtime| match &runtime.active {
            Some(active) => active.timer.map_or(active.deadline, |timer| timer.min(active.deadline)),
            None => runtime.last_used + self.limits.idle,
        };
        let next = self.runtimes.iter().map(of_runtime).min()?;
        Some(next.saturating_duration_since(Instant::now()))
    }

    fn take(&mut self, frame: ToChild, bytes: Vec<u8>) -> io::Result<()> {
        let invalid = || io::Error::new(io::ErrorKind::InvalidData, "the frame is invalid");
        match frame {
            ToChild::Limits(_) => Err(invalid()),
            ToChild::Script { version, runtime } => {
                let source = str::from_utf8(&bytes).map_err(|_| invalid())?;
                self.scripts.push_back((version, runtime, source.into()));
                if self.scripts.len() > KEPT_SCRIPTS {
                    self.scripts.pop_front();
                }
                Ok(())
            }
            ToChild::Event {
                id,
                installation,
                version,
                wall_time,
                event_bytes,
                environment_bytes,
                has_body,
                parse_only,
            } => {
                let (event, rest) = bytes.split_at_checked(event_bytes).ok_or_else(invalid)?;
                let (environment, body) = rest.split_at_checked(environment_bytes).ok_or_else(invalid)?;
                self.queue.push_back(QueuedEvent {
                    id,
                    installation,
                    version,
                    deadline: Instant::now() + wall_time,
                    event: event.to_vec(),
                    environment: environment.to_vec(),
                    body: has_body.then(|| body.to_vec()),
                    parse_only,
                });
                Ok(())
            }
            ToChild::Reply { id, request, response } => self.reply(id, request, response, &bytes),
        }
    }

    /// Replies to events that have ended are dropped.
    fn reply(&mut self, id: u64, request: u32, response: Result<ResponseHead, String>, body: &[u8]) -> io::Result<()> {
        let is_of = |runtime: &Runtime| runtime.active.as_ref().is_some_and(|active| active.id == id);
        match self.runtimes.iter().position(is_of) {
            Some(index) => self.step(index, |runtime| runtime.engine.reply(request, response, body)),
            None => Ok(()),
        }
    }

    /// Runs what is due: one timer of each event, and the end of events that took too long.
    fn run_due(&mut self) -> io::Result<()> {
        let now = Instant::now();
        // From the end, because an event that fails takes its runtime along.
        for index in (0..self.runtimes.len()).rev() {
            let Some(active) = self.runtimes.get(index).and_then(|runtime| runtime.active.as_ref()) else {
                continue;
            };
            if active.deadline <= now {
                self.step(index, |_| Err(Reason::Timeout))?;
            } else if active.timer.is_some_and(|timer| timer <= now) {
                self.step(index, |runtime| runtime.engine.run_timer())?;
            }
        }
        Ok(())
    }

    /// Parses a script in an engine of its own.
    fn parse(&mut self, event: &QueuedEvent) -> io::Result<()> {
        let id = event.id;
        let engine = self.blank.take().map_or_else(|| Engine::new(self.limits), Ok);
        let parsed = engine.map_err(|_| Reason::Memory).and_then(|mut engine| {
            let script = self.scripts.iter().find(|script| script.0 == event.version);
            let (_, runtime, source) = script.ok_or_else(missing_script)?;
            engine.begin(event.deadline);
            engine.parse(source, *runtime)
        });
        if parsed.is_ok() {
            let (status, headers) = (200, Vec::new());
            self.output.send(&ToParent::Answer { id, status, headers }, &[])?;
        }
        let (logs, failure) = (Vec::new(), parsed.err());
        self.output.send(&ToParent::Done { id, logs, failure }, &[])
    }

    fn begin(&mut self, event: QueuedEvent) -> io::Result<()> {
        let id = event.id;
        self.say_working(id)?;
        if event.parse_only {
            return self.parse(&event);
        }
        match self.idle_runtime(&event) {
            Ok(index) => {
                if let Some(runtime) = self.runtimes.get_mut(index) {
                    runtime.engine.begin(event.deadline);
                    runtime.active = Some(ActiveEvent {
                        id,
                        deadline: event.deadline,
                        logs: Vec::new(),
                        timer: None,
                        is_answered: false,
                    });
                }
                let script = self.scripts.iter().find(|script| script.0 == event.version).cloned();
                self.step(index, |runtime| runtime.start(script, &event))
            }
            Err(reason) => self.output.send(
                &ToParent::Done {
                    id,
                    logs: Vec::new(),
                    failure: Some(reason),
                },
                &[],
            ),
        }
    }

    /// A runtime of the version on the installation that has no event, a new one if need be.
    fn idle_runtime(&mut self, event: &QueuedEvent) -> Result<usize, Reason> {
        let is_idle = |runtime: &Runtime| {
            runtime.active.is_none() && runtime.version == event.version && runtime.installation == event.installation
        };
        if let Some(index) = self.runtimes.iter().position(is_idle) {
            return Ok(index);
        }
        let engine = match self.blank.take() {
            Some(blank) => blank,
            None => Engine::new(self.limits).map_err(|_| Reason::Memory)?,
        };
        self.runtimes.push(Runtime {
            installation: event.installation.clone(),
            version: event.version,
            engine,
            events: 0,
            last_used: Instant::now(),
            active: None,
        });
        Ok(self.runtimes.len() - 1)
    }

    fn say_working(&mut self, id: u64) -> io::Result<()> {
        if self.working != Some(id) {
            self.working = Some(id);
            self.output.send(&ToParent::Working { id }, &[])?;
        }
        Ok(())
    }

    /// Runs a slice of an event, sends what came of it, and ends the event if it is over.
    fn step(&mut self, index: usize, work: impl FnOnce(&mut Runtime) -> Step) -> io::Result<()> {
        let Some(id) = self
            .runtimes
            .get(index)
            .and_then(|runtime| runtime.active.as_ref())
            .map(|active| active.id)
        else {
            return Ok(());
        };
        self.say_working(id)?;
        let Some(runtime) = self.runtimes.get_mut(index) else {
            return Ok(());
        };
        let worked = work(runtime);
        let end = runtime.send_acts(&self.output, self.limits.log_lines)?;
        let end = end.or_else(|| worked.and_then(|()| runtime.wait()).err().map(Err));
        match end {
            Some(end) => self.end(index, end),
            None => Ok(()),
        }
    }

    fn end(&mut self, index: usize, end: Step) -> io::Result<()> {
        let Some(runtime) = self.runtimes.get_mut(index) else {
            return Ok(());
        };
        let Some(active) = runtime.active.take() else {
            return Ok(());
        };
        runtime.events += 1;
        runtime.last_used = Instant::now();
        let failure = end.err().map(|reason| match reason {
            Reason::Script(message) if is_out_of_memory(&message) => Reason::Memory,
            reason => reason,
        });
        if failure.is_some() || runtime.events >= self.limits.events || runtime.engine.end().is_err() {
            self.runtimes.swap_remove(index);
        }
        let done = ToParent::Done {
            id: active.id,
            logs: active.logs,
            failure,
        };
        self.output.send(&done, &[])
    }

    /// Drops runtimes that have had no work for a while, and the oldest of too many.
    fn drop_idle(&mut self) {
        let (now, idle) = (Instant::now(), self.limits.idle);
        self.runtimes
            .retain(|runtime| runtime.active.is_some() || runtime.last_used + idle > now);
        while self.runtimes.iter().filter(|runtime| runtime.active.is_none()).count() > IDLE_RUNTIMES {
            let idle = self
                .runtimes
                .iter()
                .enumerate()
                .filter(|(_, runtime)| runtime.active.is_none());
            let Some((oldest, _)) = idle.min_by_key(|(_, runtime)| runtime.last_used) else {
                return;
            };
            self.runtimes.swap_remove(oldest);
        }
    }
}

fn missing_script() -> Reason {
    Reason::Script("The script is missing.".to_owned())
}

impl Runtime {
    fn start(&mut self, script: Option<(u64, ScriptRuntime, Rc<str>)>, event: &QueuedEvent) -> Step {
        if event.deadline <= Instant::now() {
            return Err(Reason::Timeout);
        }
        if self.events == 0 {
            let (_, runtime, source) = script.ok_or_else(missing_script)?;
            self.engine.load(&source, runtime)?;
        }
        let text = |bytes| str::from_utf8(bytes).map_err(|_| Reason::Script("The event is not UTF-8.".to_owned()));
        self.engine
            .start(text(&event.event)?, text(&event.environment)?, event.body.as_deref())
    }

    /// Sends what the script has done. Returns how the event ended, if it did.
    fn send_acts(&mut self, output: &Output, log_lines: usize) -> io::Result<Option<Step>> {
        let Some(active) = &mut self.active else {
            return Ok(None);
        };
        let id = active.id;
        for act in self.engine.take_acts() {
            match act {
                Act::Log(log) if active.logs.len() < log_lines => active.logs.push(log),
                Act::Log(_) => {}
                Act::Fetch {
                    request,
                    method,
                    url,
                    headers,
                    body,
                } => {
                    let head = ToParent::Fetch {
                        id,
                        request,
                        method,
                        url,
                        headers,
                    };
                    output.send(&head, &body)?;
                }
                Act::Answer { status, headers, body } if !active.is_answered => {
                    active.is_answered = true;
                    output.send(&ToParent::Answer { id, status, headers }, &body)?;
                }
                Act::Answer { .. } => {}
                Act::Done => return Ok(Some(Ok(()))),
                Act::Failed(reason) => return Ok(Some(Err(reason))),
            }
        }
        Ok(None)
    }

    /// Notes what the script waits for.
    fn wait(&mut self) -> Step {
        let timer = match self.engine.waits()? {
            Waits::Timer(wait) => Some(Instant::now() + wait),
            Waits::Replies => None,
            Waits::Nothing => return Err(self.engine.stuck_reason()),
        };
        if let Some(active) = &mut self.active {
            active.timer = timer;
        }
        Ok(())
    }
}
