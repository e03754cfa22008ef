//! Who may do what: tokens, callers, levels, and the guard that the stubs ask before a handler runs.

pub mod caller;
pub mod counts;
mod guard;
pub mod levels;
pub mod nodes;
pub mod people;
mod proofs;
mod reaching;
pub mod rows;
pub mod tokens;

pub use caller::Caller;
pub use guard::AccessGuard;
pub use proofs::{
    ChangeRequestAccess, CollectionAccess, DeletableAccess, EmailDomainAccess, OrganizationAccess,
    RestorableSpaceAccess, SpaceAccess, TeamAccess, UserAccess,
};
pub use reaching::restore_horizon;
