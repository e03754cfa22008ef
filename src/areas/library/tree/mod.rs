//! The tree of an organization: what spaces and collections have in common.

mod ancestry;
mod defaults;
pub mod deletion;
pub mod listing;
pub mod moving;
mod ordering;
pub mod purge_job;
pub mod store;
pub mod transfer;

pub use ancestry::require_depth;
pub use moving::require_create;
