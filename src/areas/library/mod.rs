//! Spaces, collections, and who may do what with them.

pub mod collection_permissions;
pub mod collections;
pub mod invitations;
pub mod link_targets;
pub mod permissions;
pub mod space_permissions;
pub mod spaces;
pub mod templates;
pub mod tree;
