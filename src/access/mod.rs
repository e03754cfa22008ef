//! Access: tokens, callers, levels, and the guard that the stubs ask before a handler runs.

mod authenticate;
mod authorize;
mod basis;
pub mod caller;
mod grants;
mod guard;
mod hostnames;
mod identity;
pub mod invite_links;
mod level_sql;
pub mod levels;
mod memberships;
pub mod node_levels;
pub mod open_sites;
mod organization_creators;
pub mod people;
pub mod request_context;
pub mod rows;
pub mod site_people;
pub mod space_counts;
mod state;
mod targets;
pub mod tokens;
pub mod visitors;
pub mod visits;

pub use authorize::{load_node, load_node_where, restore_horizon};
pub use caller::Caller;
pub use grants::{
    ChangeRequestAccess, CollectionAccess, CustomHostnameAccess, CustomHostnameTargetAccess, DeletableAccess,
    DeletableCustomHostnameAccess, DeletableInviteLinkAccess, EmailDomainAccess, InviteLinkAccess, OrganizationAccess,
    ReadableSiteAccess, RestorableSpaceAccess, SiteAccess, SiteReader, SpaceAccess, TargetAccess, TeamAccess,
    UserAccess,
};
pub use organization_creators::OrganizationCreators;
pub use state::AccessGuard;
