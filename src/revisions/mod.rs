//! The states that the content of spaces has been in.

pub mod store;

pub use self::store::Revision;
