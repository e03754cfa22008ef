//! Content-addressed objects: immutable, named by the hash of their bytes.
//!
//! Computations on content are ordinary functions over the [`Objects`] in memory. A computation that needs an absent object
//! notes its hash and returns [`Missing`]; [`Content::run`] loads the missing objects and runs the computation again.

mod cache;
mod loaded;
pub(crate) mod node;
mod object;
mod store;
mod walk;

pub use self::cache::ObjectCache;
pub(crate) use self::loaded::SMALL_BYTES;
pub use self::loaded::{Missing, Objects, all};
pub use self::object::Object;
pub use self::store::{Content, Fresh, remove_some, stored_text};
pub use platform::hash::Hash;
