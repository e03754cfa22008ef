//! The ids of new pages, files and shared contents.

use std::sync::atomic::{AtomicU32, Ordering};

use entity::ids::RevisionId;
use platform::hash::Hash;
use uuid::{Builder, Uuid};

use super::repository::Listing;

/// Generates the same ids for the same directory and the same content of the space. Texts refer to pages by their ids, so an
/// import that is repeated after it was killed has the same texts again, and goes on where it was.
///
/// Ids have the time of the revision that the import replaces, and increase strictly.
pub struct ImportIds {
    millis: u64,
    seed: Hash,
    count: AtomicU32,
}

impl ImportIds {
    /// `base` is the replaced revision, or the id of a new space's first; `salt` tells apart imports that replace different content.
    pub fn new(base: RevisionId, salt: &[u8], listing: &Listing) -> Self {
        let mut seed = base.as_uuid().as_bytes().to_vec();
        seed.extend(salt);
        for (path, size) in listing {
            // No path has a NUL, so no two listings have the same bytes.
            seed.extend(path.bytes().chain([0]).chain(size.to_be_bytes()));
        }
        Self {
            millis: millis(base.as_uuid()),
            seed: Hash::of(&seed),
            count: AtomicU32::new(0),
        }
    }

    pub fn next<Id: From<Uuid>>(&self) -> Id {
        let [_, high, middle, low] = self.count.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        // The upper bits of the first and the third byte belong to the version and the variant: 22 bits are left, for more
        // objects than a directory can have.
        let counter = [0, high << 2 | middle >> 6, middle & 0x3f, low];
        let mut unique = [0; 10];
        let bytes = counter.iter().chain(self.seed.as_bytes());
        for (to, from) in unique.iter_mut().zip(bytes) {
            *to = *from;
        }
        Builder::from_unix_timestamp_millis(self.millis, &unique)
            .into_uuid()
            .into()
    }
}

/// Returns the time of an id, which are the first 48 bits of it.
fn millis(id: &Uuid) -> u64 {
    let (high, low, ..) = id.as_fields();
    u64::from(high) << 16 | u64::from(low)
}
