//! Copies of organizations of other servers: which objects are copies of which, and the content of spaces, one revision a pull.

mod content;
pub mod store;

pub use self::content::{Present, PulledContent, PulledText, own_id, store_file};
