//! The stored rows: one module per context, one table per file. A context names its own tables and those of the contexts before
//! it; the build refuses others.
//!
//! Entities define the rows that the server reads and writes. The crate `migration` creates the schema; a test builds one
//! database from each and compares them.

pub mod authoring;
pub mod content;
pub mod conversations;
pub mod exchange;
pub mod identity;
pub mod insights;
pub mod integrations;
pub mod languages;
pub mod library;
pub mod localized;
pub mod organizations;
pub mod platform;
pub mod publishing;
pub mod specifications;
pub mod stored_row;
pub mod timestamp;

pub use ids::{self, base32};
use sea_orm::SchemaBuilder;

/// Every table, in an order in which each comes after those it refers to.
pub fn register(schema: SchemaBuilder) -> SchemaBuilder {
    schema
        .register(identity::users::Entity)
        .register(identity::tokens::Entity)
        .register(organizations::Entity)
        .register(organizations::email_domains::Entity)
        .register(organizations::agent_instructions::Entity)
        .register(organizations::space_counts::Entity)
        .register(organizations::saml_providers::Entity)
        .register(organizations::saml_providers::assertions::Entity)
        .register(organizations::saml_providers::identities::Entity)
        .register(organizations::saml_providers::requests::Entity)
        .register(organizations::sessions::Entity)
        .register(organizations::removed_members::Entity)
        .register(organizations::members::Entity)
        .register(organizations::teams::Entity)
        .register(organizations::teams::members::Entity)
        .register(organizations::audit_events::Entity)
        .register(conversations::conversations::Entity)
        .register(conversations::conversations::texts::Entity)
        .register(conversations::clusters::Entity)
        .register(conversations::issues::Entity)
        .register(conversations::clusters::terms::Entity)
        .register(conversations::clusters::weeks::Entity)
        .register(conversations::clusters::sources::Entity)
        .register(conversations::clusters::history::Entity)
        .register(conversations::terms::Entity)
        .register(conversations::groupings::Entity)
        .register(library::nodes::Entity)
        .register(library::nodes::ancestors::Entity)
        .register(library::collections::Entity)
        .register(library::spaces::Entity)
        .register(library::templates::Entity)
        .register(content::search::spaces::Entity)
        .register(content::search::pages::Entity)
        .register(library::permissions::Entity)
        .register(content::content_objects::Entity)
        .register(content::revisions::Entity)
        .register(content::computed_contents::Entity)
        .register(content::page_links::Entity)
        .register(platform::blobs::Entity)
        .register(platform::blobs::spaces::Entity)
        .register(platform::blobs::dropped::Entity)
        .register(authoring::change_requests::Entity)
        .register(authoring::change_requests::contributors::Entity)
        .register(authoring::change_requests::conflicts::Entity)
        .register(authoring::change_requests::reviews::Entity)
        .register(authoring::change_requests::requested_reviewers::Entity)
        .register(authoring::comments::Entity)
        .register(authoring::comments::reactions::Entity)
        .register(authoring::comments::counts::Entity)
        .register(authoring::comments::reaction_counts::Entity)
        .register(authoring::comments::commenters::Entity)
        .register(authoring::comments::repliers::Entity)
        .register(library::invitations::Entity)
        .register(library::invitation_mails::Entity)
        .register(platform::jobs::Entity)
        .register(platform::idempotency_keys::Entity)
        .register(publishing::sites::Entity)
        .register(publishing::sites::section_groups::Entity)
        .register(publishing::sites::external_links::Entity)
        .register(publishing::sites::sections::Entity)
        .register(publishing::sites::site_spaces::Entity)
        .register(publishing::sites::permissions::Entity)
        .register(publishing::sites::share_links::Entity)
        .register(publishing::sites::publishing_auth::Entity)
        .register(publishing::sites::adaptive_schemas::Entity)
        .register(publishing::sites::customizations::Entity)
        .register(publishing::sites::site_space_customizations::Entity)
        .register(publishing::sites::custom_hostnames::Entity)
        .register(publishing::sites::default_content::Entity)
        .register(publishing::sites::redirects::Entity)
        .register(publishing::sites::mcp_servers::Entity)
        .register(publishing::custom_fonts::Entity)
        .register(publishing::custom_fonts::faces::Entity)
        .register(publishing::uploads::Entity)
        .register(authoring::pdf_exports::Entity)
        .register(exchange::git_syncs::Entity)
        .register(exchange::git_operations::Entity)
        .register(exchange::git_entries::Entity)
        .register(exchange::git_commits::Entity)
        .register(exchange::import_runs::Entity)
        .register(specifications::openapi_specs::Entity)
        .register(specifications::openapi_specs::versions::Entity)
        .register(specifications::openapi_specs::outlines::Entity)
        .register(languages::glossary_entries::Entity)
        .register(languages::translations::Entity)
        .register(languages::translations::segments::Entity)
        .register(integrations::Entity)
        .register(integrations::blobs::Entity)
        .register(integrations::scripts::Entity)
        .register(integrations::installations::Entity)
        .register(integrations::content_installations::Entity)
        .register(integrations::external_ids::Entity)
        .register(integrations::webhooks::Entity)
        .register(integrations::content_changes::Entity)
        .register(integrations::visitor_batches::Entity)
        .register(integrations::delivery_queues::Entity)
        .register(integrations::deliveries::Entity)
        .register(insights::batches::Entity)
        .register(insights::digests::Entity)
        .register(insights::segments::Entity)
        .register(insights::columns::Entity)
        .register(insights::days::Entity)
        .register(insights::removals::Entity)
}
