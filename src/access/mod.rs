//! Access: tokens, callers, levels, and the guard that the stubs ask before a handler runs.

mod after_body;
mod authenticate;
pub mod authorize;
pub mod basis;
pub mod caller;
pub mod grants;
pub mod identity;
pub mod integration_callers;
pub mod integration_tokens;
pub mod level_sql;
pub mod levels;
pub mod memberships;
pub mod node_levels;
pub mod organization_creators;
pub mod people;
pub mod request_context;
pub mod rows;
pub mod site_levels;
pub mod site_reader;
pub mod space_counts;
pub mod sso;
mod state;
pub mod tokens;

pub use authorize::{load_node, load_node_where, restore_horizon};
pub use caller::Caller;
pub use grants::{
    ChangeRequestAccess, CollectionAccess, DeletableAccess, OrganizationAccess, ReadableChangeRequestAccess,
    ReadableUserAccess, RestorableSpaceAccess, SpaceAccess, TargetAccess, TeamAccess, UserAccess,
};
pub use identity::verified_domain;
pub use organization_creators::OrganizationCreators;
pub use site_reader::SiteReader;
pub use state::{Access, Visitor, Visitors};
