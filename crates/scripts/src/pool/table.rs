//! The processes of integrations, the queue for them, and the choice of the process that ends for the next integration.
//!
//! A free place goes to the owner with the fewest processes, among its integrations to the one that has waited longest. Without a free
//! place, a process ends that has been kept for a while: one that is not used, or else one of the owner with the most. It gets no further
//! events, and has a time for those that it has. What an owner has above its share is lent, and ends sooner.

use std::{
    cmp::Reverse,
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::sync::oneshot;

use super::Given;
use crate::{Event, Settings, process::Process};

/// The time for the events of a process that is lent. An event that takes longer does not end soon, either.
const SHORT_PATIENCE: Duration = Duration::from_secs(1);

#[derive(Default)]
pub struct Table {
    /// Processes by integration.
    live: HashMap<Arc<str>, Live>,
    /// Processes that get no further events.
    retiring: Vec<Retiring>,
    /// Integrations without a process, of which events wait.
    waiting: HashMap<Arc<str>, Waiting>,
    /// Counts the integrations that came to wait.
    arrivals: u64,
    /// A process that has no integration yet.
    pub spare: Option<Arc<Process>>,
    /// `true` while a task polls for places for the waiting integrations.
    pub is_polled: bool,
}

struct Live {
    owner: Arc<str>,
    since: Instant,
    /// `None`: it is being started.
    process: Option<Arc<Process>>,
}

struct Retiring {
    owner: Arc<str>,
    process: Arc<Process>,
    /// When it ends, whether its events have ended or not.
    end: Instant,
}

struct Waiting {
    owner: Arc<str>,
    arrival: u64,
    events: Vec<oneshot::Sender<Given>>,
}

impl Table {
    fn processes(&self) -> usize {
        self.live.len() + self.retiring.len()
    }

    /// The number of processes that have been started for an integration.
    pub fn started(&self) -> usize {
        let live = self.live.values().filter(|live| live.process.is_some());
        live.count() + self.retiring.len()
    }

    /// The process that runs an integration.
    pub fn running(&self, integration: &str) -> Option<Arc<Process>> {
        let process = self.live.get(integration)?.process.as_ref();
        process.filter(|process| !process.has_ended()).map(Arc::clone)
    }

    /// Lets an event wait for a process.
    pub fn wait(&mut self, event: &Event, give: oneshot::Sender<Given>) {
        self.arrivals += 1;
        let new = || Waiting {
            owner: Arc::clone(&event.owner),
            arrival: self.arrivals,
            events: Vec::new(),
        };
        let waiting = self.waiting.entry(Arc::clone(&event.integration)).or_insert_with(new);
        waiting.events.push(give);
    }

    pub fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Puts the process of an integration in its place. Returns the events that wait for it. `None`: it could not be started.
    pub fn put(&mut self, integration: &str, started: Option<&Arc<Process>>) -> Vec<oneshot::Sender<Given>> {
        match (self.live.get_mut(integration), started) {
            (Some(live), Some(process)) => {
                live.since = Instant::now();
                live.process = Some(Arc::clone(process));
            }
            _ => drop(self.live.remove(integration)),
        }
        let waiting = self.waiting.remove(integration);
        waiting.map(|waiting| waiting.events).unwrap_or_default()
    }

    /// Removes a process that has been idle for so long. Returns whether it has gone, for that or another reason.
    pub fn has_left(&mut self, integration: &str, process: &Arc<Process>, idle: Duration) -> bool {
        let live = self.live.get(integration).and_then(|live| live.process.as_ref());
        if live.is_none_or(|live| !Arc::ptr_eq(live, process)) {
            return true;
        }
        let is_over = process.is_idle() && process.last_used().is_none_or(|used| used.elapsed() >= idle);
        if is_over {
            self.live.remove(integration);
            process.stop();
        }
        is_over
    }

    pub fn stop_all(&self) {
        let live = self.live.values().filter_map(|live| live.process.as_ref());
        let retiring = self.retiring.iter().map(|retiring| &retiring.process);
        for process in live.chain(retiring).chain(&self.spare) {
            process.stop();
        }
    }

    /// Gives free places to those that are next, and makes room for the others. Returns the integrations whose processes are to be
    /// started.
    pub fn assign(&mut self, settings: &Settings) -> Vec<Arc<str>> {
        let mut assigned = Vec::new();
        self.remove_ended();
        loop {
            if let Some(integration) = self.take_place(settings) {
                assigned.push(integration);
            } else if !self.make_room(settings) {
                return assigned;
            }
        }
    }

    fn remove_ended(&mut self) {
        self.live
            .retain(|_, live| live.process.as_ref().is_none_or(|process| !process.has_ended()));
        let now = Instant::now();
        self.retiring.retain(|retiring| {
            let is_over = retiring.process.is_idle() || retiring.end <= now;
            if is_over {
                retiring.process.stop();
            }
            !is_over && !retiring.process.has_ended()
        });
        self.waiting.retain(|_, waiting| {
            waiting.events.retain(|give| !give.is_closed());
            !waiting.events.is_empty()
        });
    }

    /// The number of processes of each owner.
    fn held(&self) -> HashMap<Arc<str>, usize> {
        let live = self.live.values().map(|live| &live.owner);
        let mut held = HashMap::new();
        for owner in live.chain(self.retiring.iter().map(|retiring| &retiring.owner)) {
            *held.entry(Arc::clone(owner)).or_default() += 1;
        }
        held
    }

    /// Integrations that wait and their owners, the next one first.
    fn ranked(&self, held: &HashMap<Arc<str>, usize>) -> Vec<(Arc<str>, Arc<str>)> {
        let unassigned = self.waiting.iter();
        let unassigned = unassigned.filter(|(integration, _)| !self.live.contains_key(*integration));
        let mut ranked: Vec<_> = unassigned.collect();
        ranked.sort_by_key(|(_, waiting)| (held.get(&waiting.owner).copied(), waiting.arrival));
        let named = ranked.into_iter();
        named
            .map(|(integration, waiting)| (Arc::clone(integration), Arc::clone(&waiting.owner)))
            .collect()
    }

    /// Takes a free place for the integration that is next.
    fn take_place(&mut self, settings: &Settings) -> Option<Arc<str>> {
        if self.processes() >= settings.processes {
            return None;
        }
        let (integration, owner) = self.ranked(&self.held()).into_iter().next()?;
        let live = Live {
            owner,
            since: Instant::now(),
            process: None,
        };
        self.live.insert(Arc::clone(&integration), live);
        Some(integration)
    }

    /// Retires a process for each integration that waits, as far as there are any. Returns `true` as soon as a place is free.
    fn make_room(&mut self, settings: &Settings) -> bool {
        let held = self.held();
        // The next integrations get the places of retiring processes.
        let ranked = self.ranked(&held).into_iter().skip(self.retiring.len());
        for (_, owner) in ranked.take(settings.processes) {
            let replaced = self.replaceable(&owner, &held, settings);
            let replaced =
                replaced.and_then(|(integration, patience)| Some((self.live.remove(&integration)?, patience)));
            let Some((live, patience)) = replaced else {
                continue;
            };
            let Some(process) = live.process else {
                continue;
            };
            if process.is_idle() {
                process.stop();
                return true;
            }
            process.turns.close();
            self.retiring.push(Retiring {
                owner: live.owner,
                end: process.last_used().unwrap_or(live.since) + patience,
                process,
            });
        }
        false
    }

    /// The integration whose process ends for one of an owner, and the time that its events have. `None`: all have to be kept.
    fn replaceable(
        &self,
        owner: &Arc<str>,
        held: &HashMap<Arc<str>, usize>,
        settings: &Settings,
    ) -> Option<(Arc<str>, Duration)> {
        let held = |owner: &Arc<str>| held.get(owner).copied().unwrap_or_default();
        let candidates = self.live.iter().filter_map(|(integration, live)| {
            let process = live.process.as_ref()?;
            let (of_owner, is_own) = (held(&live.owner), live.owner == *owner);
            let used = process.last_used().unwrap_or(live.since);
            let is_unused = process.is_idle() && used.elapsed() >= settings.keep;
            let is_lent = !is_own && of_owner > settings.share();
            let is_kept = live.since.elapsed() < settings.keep && !is_lent;
            let is_allowed = is_own || is_unused || of_owner > held(owner);
            if is_kept || !is_allowed {
                return None;
            }
            let rank = match is_unused {
                true => (false, Reverse(0), false, false, used),
                false => {
                    let waits_long = used.elapsed() >= SHORT_PATIENCE;
                    (true, Reverse(of_owner), !process.is_idle(), waits_long, live.since)
                }
            };
            let patience = if is_lent { SHORT_PATIENCE } else { settings.patience };
            Some((rank, integration, patience))
        });
        let (_, integration, patience) = candidates.min_by_key(|(rank, ..)| *rank)?;
        Some((Arc::clone(integration), patience))
    }
}
