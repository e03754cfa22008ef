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
use sea_orm::{ColumnTrait, ColumnType, EntityTrait, IdenStatic, Iterable, SchemaBuilder};

/// A table as its entity describes it.
pub struct Table {
    pub name: &'static str,
    pub columns: Vec<(&'static str, ColumnType)>,
}

impl Table {
    fn of<E: EntityTrait>(entity: E) -> Self {
        let column = |column: E::Column| (column.as_str(), column.def().get_column_type().clone());
        Self {
            name: entity.table_name(),
            columns: E::Column::iter().map(column).collect(),
        }
    }
}

/// Lists every table, in an order in which each comes after those it refers to.
macro_rules! all_tables {
    ($($entity:path,)+) => {
        pub fn register(schema: SchemaBuilder) -> SchemaBuilder {
            schema$(.register($entity))+
        }

        pub fn tables() -> Vec<Table> {
            vec![$(Table::of($entity)),+]
        }
    };
}

all_tables![
    identity::users::Entity,
    identity::tokens::Entity,
    organizations::Entity,
    organizations::email_domains::Entity,
    organizations::agent_instructions::Entity,
    organizations::space_counts::Entity,
    organizations::saml_providers::Entity,
    organizations::saml_providers::assertions::Entity,
    organizations::saml_providers::identities::Entity,
    organizations::saml_providers::requests::Entity,
    organizations::sessions::Entity,
    organizations::removed_members::Entity,
    organizations::members::Entity,
    organizations::teams::Entity,
    organizations::teams::members::Entity,
    organizations::audit_events::Entity,
    conversations::conversations::Entity,
    conversations::conversations::texts::Entity,
    conversations::clusters::Entity,
    conversations::issues::Entity,
    conversations::clusters::terms::Entity,
    conversations::clusters::weeks::Entity,
    conversations::clusters::sources::Entity,
    conversations::clusters::history::Entity,
    conversations::terms::Entity,
    conversations::groupings::Entity,
    library::nodes::Entity,
    library::nodes::ancestors::Entity,
    library::collections::Entity,
    library::spaces::Entity,
    library::templates::Entity,
    content::search::spaces::Entity,
    content::search::pages::Entity,
    library::permissions::Entity,
    content::content_objects::Entity,
    content::revisions::Entity,
    content::computed_contents::Entity,
    content::page_links::Entity,
    platform::blobs::Entity,
    platform::blobs::spaces::Entity,
    platform::blobs::dropped::Entity,
    authoring::change_requests::Entity,
    authoring::change_requests::contributors::Entity,
    authoring::change_requests::conflicts::Entity,
    authoring::change_requests::reviews::Entity,
    authoring::change_requests::requested_reviewers::Entity,
    authoring::comments::Entity,
    authoring::comments::reactions::Entity,
    authoring::comments::counts::Entity,
    authoring::comments::reaction_counts::Entity,
    authoring::comments::commenters::Entity,
    authoring::comments::repliers::Entity,
    library::invitations::Entity,
    library::invitation_mails::Entity,
    platform::backups::Entity,
    platform::jobs::Entity,
    platform::idempotency_keys::Entity,
    publishing::sites::Entity,
    publishing::sites::section_groups::Entity,
    publishing::sites::external_links::Entity,
    publishing::sites::sections::Entity,
    publishing::sites::site_spaces::Entity,
    publishing::sites::permissions::Entity,
    publishing::sites::share_links::Entity,
    publishing::sites::publishing_auth::Entity,
    publishing::sites::adaptive_schemas::Entity,
    publishing::sites::customizations::Entity,
    publishing::sites::site_space_customizations::Entity,
    publishing::sites::custom_hostnames::Entity,
    publishing::sites::default_content::Entity,
    publishing::sites::redirects::Entity,
    publishing::sites::mcp_servers::Entity,
    publishing::custom_fonts::Entity,
    publishing::custom_fonts::faces::Entity,
    publishing::uploads::Entity,
    authoring::pdf_exports::Entity,
    exchange::git_syncs::Entity,
    exchange::git_operations::Entity,
    exchange::git_entries::Entity,
    exchange::git_commits::Entity,
    exchange::import_runs::Entity,
    exchange::pulled_objects::Entity,
    specifications::openapi_specs::Entity,
    specifications::openapi_specs::versions::Entity,
    specifications::openapi_specs::outlines::Entity,
    languages::glossary_entries::Entity,
    languages::translations::Entity,
    languages::translations::segments::Entity,
    integrations::Entity,
    integrations::blobs::Entity,
    integrations::scripts::Entity,
    integrations::installations::Entity,
    integrations::content_installations::Entity,
    integrations::external_ids::Entity,
    integrations::webhooks::Entity,
    integrations::content_changes::Entity,
    integrations::visitor_batches::Entity,
    integrations::delivery_queues::Entity,
    integrations::deliveries::Entity,
    insights::batches::Entity,
    insights::digests::Entity,
    insights::segments::Entity,
    insights::columns::Entity,
    insights::days::Entity,
    insights::removals::Entity,
];
