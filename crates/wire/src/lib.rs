//! Formats of texts, pages of lists, shares of callers, limits of work, and faults of the database: the contract crate shares them with
//! the crates below it.

pub mod fault;
pub mod formats;
pub mod list;
pub mod shares;
pub mod work;
