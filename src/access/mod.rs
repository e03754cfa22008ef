//! Access: tokens, callers, levels, and the guard that the stubs ask before a handler runs.

mod after_body;
mod authenticate;
pub mod authorize;
pub mod basis;
pub mod caller;
pub mod conditions;
pub mod grants;
pub mod identity;
pub mod level_sql;
pub mod levels;
pub mod memberships;
pub mod node_levels;
pub mod open_sites;
pub mod organization_creators;
pub mod people;
pub mod request_context;
pub mod rows;
pub mod site_customization;
pub mod site_layout;
pub mod site_layouts;
pub mod site_paths;
pub mod site_people;
pub mod space_counts;
pub mod sso;
mod state;
pub mod tokens;
pub mod visible_layout;
pub mod visited_site;
pub mod visitors;
pub mod visits;

pub use authorize::{load_node, load_node_where, restore_horizon};
pub use caller::Caller;
pub use grants::{
    ChangeRequestAccess, CollectionAccess, DeletableAccess, EmailDomainAccess, OrganizationAccess,
    ReadableChangeRequestAccess, ReadableSiteAccess, ReadableUserAccess, RestorableSpaceAccess, SiteAccess, SiteReader,
    SpaceAccess, TargetAccess, TeamAccess, UserAccess, VisitedPlace,
};
pub use identity::verified_domain;
pub use organization_creators::OrganizationCreators;
pub use state::AccessGuard;
