//! What the protocol keeps of the bodies of HTTP/2 that nobody has read yet.
//!
//! A client may send up to a limit before a request is worked on, and many requests wait: for their turn on the connection, and for
//! memory. So the bytes that a body may have are counted from its beginning to its end. What frames take beside their bytes, the
//! protocol bounds.

use std::sync::{Arc, PoisonError};

use super::connection::Connection;

/// The most bytes of one connection. A client that is 100 ms away can send 2.5 MB a second.
pub const MAX_BYTES: u32 = 256 * 1024;

/// The bytes of memory for each of these: they are parts of the buffers that they came in.
const MEMORY_OF_BYTE: usize = 2;

/// The memory that each connection may have, whatever the others have: enough for usual requests.
const OWN_MEMORY: usize = 16 * 1024;

impl Connection {
    /// A body of HTTP/2 begins. `None` if there is no memory for what may come of it.
    pub(super) fn begin_body(self: &Arc<Self>, bytes: u64) -> Option<UnreadBody> {
        let max = MAX_BYTES as usize;
        let bytes = usize::try_from(bytes).map_or(max, |bytes| bytes.min(max));
        self.recount_bodies(|before| before + bytes).then(|| UnreadBody {
            connection: Arc::clone(self),
            bytes,
        })
    }

    /// Changes the count; `false` if there is no memory for that.
    fn recount_bodies(&self, change: impl FnOnce(usize) -> usize) -> bool {
        let mut bytes = self.body_bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = change(*bytes);
        let (before, after) = (shared_memory(*bytes), shared_memory(changed));
        let all = &self.connections.bodies;
        let fits = after <= before || all.hold(self, after - before, false);
        if fits {
            *bytes = changed;
        }
        if after < before {
            all.release(self, before - after);
        }
        fits
    }
}

/// The part of the memory of one connection that counts for the memory of all.
fn shared_memory(bytes: usize) -> usize {
    (MEMORY_OF_BYTE * bytes.min(MAX_BYTES as usize)).saturating_sub(OWN_MEMORY)
}

/// A body of which the protocol may keep a part.
pub struct UnreadBody {
    connection: Arc<Connection>,
    bytes: usize,
}

impl Drop for UnreadBody {
    fn drop(&mut self) {
        self.connection.recount_bodies(|before| before - self.bytes);
    }
}
