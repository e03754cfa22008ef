//! The memory of bodies of requests that were received and not read yet.
//!
//! A client may send up to a limit before a request is worked on, and many requests wait: for their turn on the connection, for
//! memory, and for the rest of their bodies. So the bytes that may be kept are counted from the beginning of a body to its end. What
//! frames of HTTP/2 take beside their bytes, the protocol bounds, but not trailers, which are counted as they come.

use std::sync::{Arc, MutexGuard, PoisonError};

use super::connection::{Bodies, Connection};

/// The most bytes of one connection of HTTP/2. A client that is 100 ms away can send 2.5 MB a second.
pub const MAX_BYTES: u32 = 256 * 1024;

/// The most bytes of a body of HTTP/1: what is beyond them is read only when there is memory for it.
pub const MAX_HTTP1_BYTES: u64 = 32 * 1024;

/// The bytes of memory for each of these: they are parts of the buffers that they came in.
const MEMORY_OF_BYTE: usize = 2;

/// The most memory of trailers: many short headers, unpacked.
const MEMORY_OF_TRAILERS: usize = 512 * 1024;

/// The memory that each connection has for its bodies, apart from that of all: enough for usual requests.
const OWN_MEMORY: usize = 16 * 1024;

impl Bodies {
    /// The part of the memory that counts for the memory of all.
    fn shared_memory(self) -> usize {
        let bytes = self.bytes.min(MAX_BYTES as usize);
        (MEMORY_OF_BYTE * bytes + MEMORY_OF_TRAILERS * self.trailers).saturating_sub(OWN_MEMORY)
    }
}

impl Connection {
    /// A body begins, of which the protocol may keep so many bytes. `None` if there is no memory for them.
    pub(super) fn begin_body(self: &Arc<Self>, bytes: u64) -> Option<UnreadBody> {
        let max = MAX_BYTES as usize;
        let bytes = usize::try_from(bytes).map_or(max, |bytes| bytes.min(max));
        let has_memory = self.recount_bodies(|bodies| {
            bodies.count += 1;
            bodies.bytes += bytes;
        });
        has_memory.then(|| UnreadBody {
            connection: Arc::clone(self),
            bytes,
        })
    }

    /// So many bodies have trailers, whose requests may not have been taken in yet; `false` if there is no memory for them.
    pub(super) fn note_trailers(&self, count: usize) -> bool {
        count == 0 || self.recount_bodies(|bodies| bodies.trailers += count)
    }

    /// The protocol keeps nothing any more.
    pub(super) fn forget_bodies(&self) {
        self.recount_bodies(|bodies| *bodies = Bodies::default());
    }

    /// Changes the counts; `false` if there is no memory for that.
    fn recount_bodies(&self, change: impl FnOnce(&mut Bodies)) -> bool {
        let mut bodies = self.counted_bodies();
        let mut changed = *bodies;
        change(&mut changed);
        let (before, after) = (bodies.shared_memory(), changed.shared_memory());
        let all = &self.connections.bodies;
        let fits = after <= before || all.hold(self, after - before, false);
        if fits {
            *bodies = changed;
        }
        if after < before {
            all.release(self, before - after);
        }
        fits
    }

    fn counted_bodies(&self) -> MutexGuard<'_, Bodies> {
        self.bodies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A body of which the protocol may keep a part.
pub struct UnreadBody {
    connection: Arc<Connection>,
    bytes: usize,
}

impl Drop for UnreadBody {
    fn drop(&mut self) {
        // The connection may have been closed, and everything of it given back.
        self.connection.recount_bodies(|bodies| {
            bodies.count = bodies.count.saturating_sub(1);
            bodies.bytes = bodies.bytes.saturating_sub(self.bytes);
            bodies.trailers = bodies.trailers.min(bodies.count);
        });
    }
}
