//! The stored rows: one module per area, one table per file.
//!
//! Entities define the rows that the server reads and writes. The crate `migration` creates the schema; a test builds one
//! database from each and compares them.

pub mod audit_events;
pub mod blobs;
pub mod change_requests;
pub mod collections;
pub mod comments;
pub mod content_objects;
pub mod invitations;
pub mod jobs;
pub mod members;
pub mod nodes;
pub mod organizations;
pub mod page_links;
pub mod permissions;
pub mod revisions;
pub mod search;
pub mod spaces;
pub mod teams;
pub mod timestamp;
pub mod tokens;
pub mod users;

pub use ids::{self, base32};
use sea_orm::SchemaBuilder;

/// Every table, in an order in which each comes after those it refers to.
pub fn register(schema: SchemaBuilder) -> SchemaBuilder {
    schema
        .register(users::Entity)
        .register(tokens::Entity)
        .register(organizations::Entity)
        .register(organizations::email_domains::Entity)
        .register(organizations::agent_instructions::Entity)
        .register(members::Entity)
        .register(teams::Entity)
        .register(teams::members::Entity)
        .register(audit_events::Entity)
        .register(nodes::Entity)
        .register(nodes::ancestors::Entity)
        .register(collections::Entity)
        .register(spaces::Entity)
        .register(search::spaces::Entity)
        .register(search::pages::Entity)
        .register(permissions::Entity)
        .register(content_objects::Entity)
        .register(revisions::Entity)
        .register(page_links::Entity)
        .register(blobs::Entity)
        .register(blobs::spaces::Entity)
        .register(blobs::dropped::Entity)
        .register(change_requests::Entity)
        .register(change_requests::contributors::Entity)
        .register(change_requests::conflicts::Entity)
        .register(change_requests::reviews::Entity)
        .register(change_requests::requested_reviewers::Entity)
        .register(comments::Entity)
        .register(comments::reactions::Entity)
        .register(invitations::Entity)
        .register(jobs::Entity)
}
