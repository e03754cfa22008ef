//! Spaces and collections, who may use them, and invitations to them.

pub mod collections;
pub mod invitation_mails;
pub mod invitations;
pub mod nodes;
pub mod permissions;
pub mod spaces;
pub mod templates;
