//! What content is made of: objects that are named by the hash of their bytes and never change.
//!
//! Everything that works on content is an ordinary function over [`Objects`], those in memory. One that needs an object
//! which is not there asks for it and ends with [`Missing`]; whoever runs it loads what was asked for and runs it again.

mod cache;
mod memory;
pub(crate) mod node;
mod object;
mod store;

pub use self::cache::ObjectCache;
pub use self::memory::{Missing, Objects};
pub use self::object::Object;
pub use self::store::{Content, Fresh, stored_text};
pub use platform::hash::Hash;
