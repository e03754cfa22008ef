//! Who may do what: tokens, callers, levels, and the guard that the stubs ask before a handler runs.

pub mod caller;
mod guard;
pub mod levels;
mod proofs;
pub mod tokens;

pub use caller::Caller;
pub use proofs::{EmailDomainAccess, OrganizationAccess, TeamAccess, UserAccess};
