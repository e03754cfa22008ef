//! The stored rows: one folder per context, one table per file. The name of a table is unique, so its module is used without
//! the context.
//!
//! Entities define the rows that the server reads and writes. The crate `migration` creates the schema; a test builds one
//! database from each and compares them.

mod authoring;
mod identity;
mod languages;
mod library;
mod platform;
mod publishing;
mod specifications;

pub mod organizations;
pub mod timestamp;

pub use authoring::change_requests;
pub use authoring::comments;
pub use authoring::content_objects;
pub use authoring::page_links;
pub use authoring::pdf_exports;
pub use authoring::revisions;
pub use authoring::search;
pub use identity::tokens;
pub use identity::users;
pub use languages::glossary_entries;
pub use languages::translations;
pub use library::collections;
pub use library::invitation_mails;
pub use library::invitations;
pub use library::nodes;
pub use library::permissions;
pub use library::spaces;
pub use library::templates;
pub use organizations::audit_events;
pub use organizations::members;
pub use organizations::saml_providers;
pub use organizations::sessions;
pub use organizations::teams;
pub use platform::blobs;
pub use platform::jobs;
pub use publishing::sites;
pub use specifications::openapi_specs;

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
        .register(organizations::space_counts::Entity)
        .register(saml_providers::Entity)
        .register(saml_providers::assertions::Entity)
        .register(saml_providers::identities::Entity)
        .register(saml_providers::requests::Entity)
        .register(sessions::Entity)
        .register(organizations::removed_members::Entity)
        .register(members::Entity)
        .register(teams::Entity)
        .register(teams::members::Entity)
        .register(audit_events::Entity)
        .register(nodes::Entity)
        .register(nodes::ancestors::Entity)
        .register(collections::Entity)
        .register(spaces::Entity)
        .register(templates::Entity)
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
        .register(comments::counts::Entity)
        .register(comments::reaction_counts::Entity)
        .register(comments::commenters::Entity)
        .register(comments::repliers::Entity)
        .register(invitations::Entity)
        .register(invitation_mails::Entity)
        .register(jobs::Entity)
        .register(sites::Entity)
        .register(sites::section_groups::Entity)
        .register(sites::sections::Entity)
        .register(sites::site_spaces::Entity)
        .register(sites::share_links::Entity)
        .register(sites::publishing_auth::Entity)
        .register(sites::adaptive_schemas::Entity)
        .register(sites::customizations::Entity)
        .register(sites::site_space_customizations::Entity)
        .register(sites::custom_hostnames::Entity)
        .register(sites::default_content::Entity)
        .register(sites::redirects::Entity)
        .register(pdf_exports::Entity)
        .register(openapi_specs::Entity)
        .register(openapi_specs::versions::Entity)
        .register(openapi_specs::outlines::Entity)
        .register(glossary_entries::Entity)
        .register(translations::Entity)
        .register(translations::segments::Entity)
}
