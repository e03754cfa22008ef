//! What the contract crate and those below it share: formats of texts, pages of lists, shares of callers, memory of requests, and the faults
//! of the database.

pub mod fault;
pub mod formats;
pub mod list;
pub mod shares;
pub mod work;
