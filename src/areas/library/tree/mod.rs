//! The tree of an organization: the rules and operations that spaces and collections share.

mod ancestors;
mod default_levels;
pub mod deletion;
pub mod node_lists;
pub mod operations;
mod ordering;
pub mod purge;
pub mod purge_job;
mod relocation;
pub mod store;
mod transfer;
mod visibility;

pub use ancestors::require_depth;
pub use operations::target;
pub use relocation::require_create;
pub use store::{not_deleted, reload, reload_parent};
