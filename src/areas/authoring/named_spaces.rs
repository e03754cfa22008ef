//! A cache of the other spaces that texts name. A text in a revision never changes, so entries do not expire.

use std::collections::BTreeSet;

use content::{
    cache::{ByteCache, Cached},
    objects::Hash,
};
use entity::ids::{NodeId, RevisionId};

/// Approximate bytes of an entry, and of each space.
const OVERHEAD: usize = 128;
const SPACE_BYTES: usize = 32;

/// The other spaces that a text and the texts that it includes name.
#[derive(Default)]
pub struct NamedSpaces(pub BTreeSet<NodeId>);

impl Cached for NamedSpaces {
    const CACHE_BYTES: u64 = 4 * 1024 * 1024;

    fn weight(&self) -> usize {
        OVERHEAD + self.0.len() * SPACE_BYTES
    }
}

/// By the revision, which tells the included texts, and the text.
pub type NamedSpacesCache = ByteCache<(RevisionId, Hash), NamedSpaces>;
