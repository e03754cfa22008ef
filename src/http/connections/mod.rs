//! The open connections: how many there may be, how many of their requests are worked on at once, and how long each client may keep
//! the server waiting.
//!
//! The protocols bound the rest: the bytes of a head, the streams of a connection, and the bytes of bodies that nobody has read yet.

mod activity;
mod answer;
mod limits;
mod patience;
mod transport;
mod upload;

use std::{net::SocketAddr, sync::Arc};

use openapi::shares::Shares;
use tokio::{
    net::TcpStream,
    sync::{OwnedSemaphorePermit, Semaphore},
};

pub use self::limits::{ConnectionLimits, TimeLimits};
pub(super) use self::{
    activity::{Activity, Fate},
    answer::{AnswerBody, send},
    transport::Transport,
    upload::{Upload, UploadStatus},
};
use super::client::network_of;

/// The connections of the server, with the permits that all share and those of each client address.
pub struct Connections {
    limits: ConnectionLimits,
    open: Arc<Semaphore>,
    open_of: Shares<u128>,
    requests: Arc<Semaphore>,
    requests_of: Shares<u128>,
}

impl Connections {
    pub fn new(limits: ConnectionLimits) -> Self {
        Self {
            open: Arc::new(Semaphore::new(limits.connections)),
            open_of: Shares::new(limits.per_address),
            requests: Arc::new(Semaphore::new(limits.requests)),
            requests_of: Shares::new(limits.requests_per_address),
            limits,
        }
    }

    /// Takes a new connection in, as soon as there is room. `None` if its address has too many already.
    pub async fn admit(&self, peer: SocketAddr) -> Option<Connection> {
        let address = peer.ip().to_canonical();
        // Many clients are behind a trusted proxy.
        let network = (!self.limits.shares_address(address)).then(|| network_of(address));
        let of_address = match network {
            Some(network) => Some(self.open_of.of(network).try_acquire_owned().ok()?),
            None => None,
        };
        let permit = Arc::clone(&self.open).acquire_owned().await.ok()?;
        let requests_of_address = network.map(|network| self.requests_of.of(network));
        Some(Connection {
            activity: Activity::new(self.limits.times),
            requests: [Arc::clone(&self.requests)]
                .into_iter()
                .chain(requests_of_address)
                .collect(),
            _permits: [permit].into_iter().chain(of_address).collect(),
        })
    }
}

/// An open connection, until this is dropped.
pub struct Connection {
    pub activity: Arc<Activity>,
    requests: Vec<Arc<Semaphore>>,
    _permits: Vec<OwnedSemaphorePermit>,
}

impl Connection {
    /// Returns the socket, watched by the activity of the connection.
    pub fn transport(&self, stream: TcpStream) -> Transport {
        Transport::new(stream, Arc::clone(&self.activity))
    }

    /// Returns the handle that begins requests of this connection.
    pub fn requests(&self) -> Requests {
        Requests {
            activity: Arc::clone(&self.activity),
            permits: self.requests.clone(),
        }
    }
}

/// Begins the requests of a connection.
#[derive(Clone)]
pub struct Requests {
    activity: Arc<Activity>,
    permits: Vec<Arc<Semaphore>>,
}

impl Requests {
    /// Begins a request whose head has arrived. It does not wait for a permit: the heads of those that wait take memory.
    pub fn begin(&self) -> InFlight {
        self.activity.begin();
        let permits = self
            .permits
            .iter()
            .map(|permits| Arc::clone(permits).try_acquire_owned().ok());
        InFlight {
            activity: Arc::clone(&self.activity),
            permits: permits.collect(),
        }
    }
}

/// A request between its head and the end of its answer.
pub struct InFlight {
    activity: Arc<Activity>,
    /// `None`: too many are worked on at present. A refusal that nobody reads takes no permit.
    permits: Option<Vec<OwnedSemaphorePermit>>,
}

impl InFlight {
    pub fn is_refused(&self) -> bool {
        self.permits.is_none()
    }

    pub fn times(&self) -> TimeLimits {
        self.activity.times
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.activity.end();
    }
}

/// Kept with a request that is refused because too many others are worked on.
#[derive(Debug, Clone, Copy)]
pub struct Refused;
