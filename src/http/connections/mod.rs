//! The open connections: how many there may be, how long each may keep the server waiting, and how much of what it was
//! answered may stay unread.

mod answer;
mod connection;
pub mod frames;
mod head;
mod held_bytes;
mod limits;
pub mod refusal;
mod transport;
mod unread_answers;
mod unread_bodies;
mod upload;

use std::{
    collections::HashMap,
    net::{IpAddr, SocketAddr},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
};

use tokio::{
    sync::Notify,
    time::{Instant, timeout},
};

use super::client::network_of;

pub use self::limits::{ConnectionLimits, TimeLimits};
pub(super) use self::{
    answer::{AnswerBody, send},
    connection::{Connection, Fate},
    head::{HeadRefusal, MAX_BYTES as MAX_HEAD_BYTES, MAX_HEADERS, admit},
    transport::Transport,
    unread_bodies::{MAX_BYTES as MAX_UNREAD_BYTES, UnreadBody},
    upload::{Upload, UploadStatus},
};
use crate::access::request_context::RequestIds;
use held_bytes::HeldBytes;

/// Of this many parts of the limit, one gives way at once when it is reached: looking for the oldest costs a walk over all.
const GIVE_WAY: usize = 64;

/// The table of the open connections, shared by all.
pub struct Connections {
    limits: ConnectionLimits,
    table: Mutex<Table>,
    next: AtomicU64,
    /// Somebody waits for a connection to end or to become idle.
    full: AtomicBool,
    changed: Notify,
    /// Bytes of answers that were made and not yet taken by their clients.
    held: AtomicUsize,
    /// What requests in flight take for their heads and themselves, beside what each connection has for itself.
    heads: HeldBytes,
    /// What heads take that are not complete. They are counted apart: whoever sends a part of one has no room for more than that.
    open_heads: HeldBytes,
    /// The memory of unread bodies, beside that which each connection has for itself.
    bodies: HeldBytes,
    ids: RequestIds,
}

impl Connections {
    pub fn new(limits: ConnectionLimits) -> Arc<Self> {
        let heads = || HeldBytes::new(limits.head_bytes, limits.head_bytes_per_address);
        Arc::new(Self {
            heads: heads(),
            open_heads: heads(),
            bodies: HeldBytes::new(limits.body_bytes, limits.body_bytes_per_address),
            limits,
            table: Mutex::default(),
            next: AtomicU64::new(0),
            full: AtomicBool::new(false),
            changed: Notify::new(),
            held: AtomicUsize::new(0),
            ids: RequestIds::new(),
        })
    }

    /// Takes a new connection in, as soon as there is room. `None` if its address has too many already.
    pub async fn admit(self: &Arc<Self>, peer: SocketAddr) -> Option<Open> {
        let address = peer.ip().to_canonical();
        loop {
            match self.try_admit(address) {
                Admission::Admitted(open) => return Some(open),
                Admission::Refused => return None,
                // Another one may also become old enough to give way.
                Admission::Full => drop(timeout(self.limits.times.at_pressure, self.changed.notified()).await),
            }
        }
    }

    fn try_admit(self: &Arc<Self>, address: IpAddr) -> Admission {
        let network = network_of(address);
        let mut table = self.table();
        let patient = Instant::now().checked_sub(self.limits.times.at_pressure);
        let is_idle = |connection: &Connection| connection.idle_since().filter(|since| Some(*since) <= patient);
        let has_shared_address = self.limits.shares_address(address);
        let has_too_many = table.count(network) >= self.limits.per_address && !has_shared_address;
        if has_too_many
            && !table.give_way(1, |connection| {
                is_idle(connection).filter(|_| connection.network == network)
            })
        {
            return Admission::Refused;
        }
        let at_once = self.limits.connections / GIVE_WAY + 1;
        let has_room = table.open.len() < self.limits.connections || table.give_way(at_once, is_idle);
        self.full.store(!has_room, Ordering::SeqCst);
        if !has_room {
            return Admission::Full;
        }
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let connection = Connection::new(Arc::clone(self), id, network, has_shared_address);
        table.insert(Arc::clone(&connection));
        Admission::Admitted(Open(connection))
    }

    /// Counts the bytes of an answer. If there are too many, those connections give way that have not read fast enough for longest;
    /// `false` if that does not suffice.
    fn hold(&self, bytes: usize) -> bool {
        self.try_hold(bytes) || {
            self.make_room(bytes);
            self.try_hold(bytes)
        }
    }

    fn try_hold(&self, bytes: usize) -> bool {
        let add = |held: usize| held.checked_add(bytes).filter(|held| *held <= self.limits.unread_bytes);
        self.held
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, add)
            .is_ok()
    }

    fn make_room(&self, bytes: usize) {
        let limit = self.limits.unread_bytes;
        let mut busy: Vec<_> = {
            let table = self.table();
            let since = |connection: &Arc<Connection>| Some((connection.unread_since()?, Arc::clone(connection)));
            table.open.values().filter_map(since).collect()
        };
        busy.sort_by_key(|(since, _)| *since);
        let patient = Instant::now().checked_sub(self.limits.times.at_pressure);
        for (since, connection) in busy {
            // Some more than needed, because looking for the oldest costs a walk over all.
            let held = self.held.load(Ordering::Relaxed).saturating_add(bytes);
            if held <= limit - limit / 8 || patient.is_none_or(|patient| since > patient) {
                break;
            }
            connection.evict();
        }
    }

    /// Returns whether there is memory for an answer of so many bytes when there are no others.
    fn can_hold(&self, bytes: usize) -> bool {
        bytes <= self.limits.unread_bytes
    }

    fn release(&self, bytes: usize) {
        self.held.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// A connection has become idle.
    fn idle(&self) {
        if self.full.load(Ordering::SeqCst) {
            self.changed.notify_one();
        }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Admission {
    Admitted(Open),
    Refused,
    Full,
}

#[derive(Default)]
struct Table {
    open: HashMap<u64, Arc<Connection>>,
    of_network: HashMap<u128, usize>,
}

impl Table {
    fn count(&self, network: u128) -> usize {
        self.of_network.get(&network).copied().unwrap_or_default()
    }

    fn insert(&mut self, connection: Arc<Connection>) {
        *self.of_network.entry(connection.network).or_default() += 1;
        self.open.insert(connection.id, connection);
    }

    fn remove(&mut self, id: u64) -> Option<Arc<Connection>> {
        let connection = self.open.remove(&id)?;
        match self.count(connection.network) {
            0 | 1 => self.of_network.remove(&connection.network),
            count => self.of_network.insert(connection.network, count - 1),
        };
        Some(connection)
    }

    /// Ends those connections that may be ended for the longest time. `false` if there is none.
    fn give_way(&mut self, count: usize, idle_since: impl Fn(&Connection) -> Option<Instant>) -> bool {
        let idle = |connection: &Arc<Connection>| Some((idle_since(connection)?, connection.id));
        let mut idle: Vec<_> = self.open.values().filter_map(idle).collect();
        idle.sort_unstable();
        for (_, id) in idle.iter().take(count) {
            if let Some(connection) = self.remove(*id) {
                connection.evict();
            }
        }
        !idle.is_empty()
    }
}

/// A connection in the table, until this is dropped.
pub struct Open(Arc<Connection>);

impl std::ops::Deref for Open {
    type Target = Arc<Connection>;

    fn deref(&self) -> &Arc<Connection> {
        &self.0
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let connections = &self.0.connections;
        connections.table().remove(self.0.id);
        self.0.close();
        connections.changed.notify_one();
    }
}
