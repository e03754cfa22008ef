//! The steps that bring a database to the current schema, oldest first.
//!
//! A step that has been released never changes: it repeats what it needs instead of asking the entities, which move on.

mod columns;
mod m20261121_000001_users;
mod m20261121_000002_api_tokens;
mod m20261121_000003_organizations;
mod m20261121_000004_members;
mod m20261121_000005_teams;
mod m20261121_000006_audit_events;
mod m20261121_000007_nodes;
mod m20261121_000008_invitations;
mod m20261121_000009_content;
mod m20261121_000010_change_requests;
mod m20261121_000011_reviews;
mod m20261121_000012_search;
mod m20261121_000013_page_links;
mod m20261121_000014_blobs;
mod m20261121_000015_comments;
mod m20261121_000016_spaces_by_default_level;
mod m20261122_000017_jobs;
mod m20261122_000018_verified_email_domains;
mod m20261122_000019_comment_counts;
mod m20261122_000020_invited_users;
mod m20261122_000021_search_words;
mod m20261122_000022_email_domain_checks;
mod m20261123_000023_sites;
mod m20261123_000024_comment_engagement;
mod m20261123_000025_change_requests_of_organization;
mod m20261123_000026_space_counts;
mod m20261123_000027_site_customization;
mod m20261123_000028_site_redirects;
mod m20261123_000030_hostnames;
mod m20261123_000031_published_paths;
mod m20261123_000032_openapi_specs;
mod m20261123_000034_saml_providers;
mod m20261123_000035_sign_in;
mod m20261123_000036_glossary;
mod m20261123_000037_translations;
mod m20261123_000038_templates;
mod m20261123_000040_pdf_exports;
mod m20261123_000042_openapi_spec_outlines;
mod m20261123_000044_required_sso;
mod m20261124_000046_answered_saml_requests;
mod m20261124_000047_removed_members;
mod m20261124_000048_proofs_of_accounts;
mod m20261124_000049_events_of_users;
mod m20261124_000050_order_of_teams;
mod m20261124_000051_members_by_name;
mod m20261124_000052_traditional_chinese;
mod m20261125_000053_tokens_of_sessions;
mod m20261125_000054_saml_visitors;
mod m20261125_000055_saml_encryption;
mod m20261125_000056_checks_of_hostnames;
mod m20261125_000057_runs_of_translations;
mod m20261125_000058_proxies_of_one_site;
mod m20261126_000059_conditions_of_links;
mod m20261126_000060_change_requests_by_creator;
mod m20261126_000061_paths_of_site_spaces;
mod m20261126_000062_collections_at_the_top;
mod m20261126_000063_permissions_by_subject;
mod m20261126_000064_searched_spaces_of_organization;
mod m20261126_000065_turns_of_organizations;
mod m20261126_000066_senders_of_invitations;
mod m20261127_000067_ranges_of_lists;
mod m20261127_000068_links_by_target;
mod tables;

use sea_orm_migration::prelude::*;

pub struct Migrator;

impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m20261121_000001_users::Migration),
            Box::new(m20261121_000002_api_tokens::Migration),
            Box::new(m20261121_000003_organizations::Migration),
            Box::new(m20261121_000004_members::Migration),
            Box::new(m20261121_000005_teams::Migration),
            Box::new(m20261121_000006_audit_events::Migration),
            Box::new(m20261121_000007_nodes::Migration),
            Box::new(m20261121_000008_invitations::Migration),
            Box::new(m20261121_000009_content::Migration),
            Box::new(m20261121_000010_change_requests::Migration),
            Box::new(m20261121_000011_reviews::Migration),
            Box::new(m20261121_000012_search::Migration),
            Box::new(m20261121_000013_page_links::Migration),
            Box::new(m20261121_000014_blobs::Migration),
            Box::new(m20261121_000015_comments::Migration),
            Box::new(m20261121_000016_spaces_by_default_level::Migration),
            Box::new(m20261122_000017_jobs::Migration),
            Box::new(m20261122_000018_verified_email_domains::Migration),
            Box::new(m20261122_000019_comment_counts::Migration),
            Box::new(m20261122_000020_invited_users::Migration),
            Box::new(m20261122_000021_search_words::Migration),
            Box::new(m20261122_000022_email_domain_checks::Migration),
            Box::new(m20261123_000023_sites::Migration),
            Box::new(m20261123_000024_comment_engagement::Migration),
            Box::new(m20261123_000025_change_requests_of_organization::Migration),
            Box::new(m20261123_000026_space_counts::Migration),
            Box::new(m20261123_000027_site_customization::Migration),
            Box::new(m20261123_000028_site_redirects::Migration),
            Box::new(m20261123_000030_hostnames::Migration),
            Box::new(m20261123_000031_published_paths::Migration),
            Box::new(m20261123_000032_openapi_specs::Migration),
            Box::new(m20261123_000034_saml_providers::Migration),
            Box::new(m20261123_000035_sign_in::Migration),
            Box::new(m20261123_000036_glossary::Migration),
            Box::new(m20261123_000037_translations::Migration),
            Box::new(m20261123_000038_templates::Migration),
            Box::new(m20261123_000040_pdf_exports::Migration),
            Box::new(m20261123_000042_openapi_spec_outlines::Migration),
            Box::new(m20261123_000044_required_sso::Migration),
            Box::new(m20261124_000046_answered_saml_requests::Migration),
            Box::new(m20261124_000047_removed_members::Migration),
            Box::new(m20261124_000048_proofs_of_accounts::Migration),
            Box::new(m20261124_000049_events_of_users::Migration),
            Box::new(m20261124_000050_order_of_teams::Migration),
            Box::new(m20261124_000051_members_by_name::Migration),
            Box::new(m20261124_000052_traditional_chinese::Migration),
            Box::new(m20261125_000053_tokens_of_sessions::Migration),
            Box::new(m20261125_000054_saml_visitors::Migration),
            Box::new(m20261125_000055_saml_encryption::Migration),
            Box::new(m20261125_000056_checks_of_hostnames::Migration),
            Box::new(m20261125_000057_runs_of_translations::Migration),
            Box::new(m20261125_000058_proxies_of_one_site::Migration),
            Box::new(m20261126_000059_conditions_of_links::Migration),
            Box::new(m20261126_000060_change_requests_by_creator::Migration),
            Box::new(m20261126_000061_paths_of_site_spaces::Migration),
            Box::new(m20261126_000062_collections_at_the_top::Migration),
            Box::new(m20261126_000063_permissions_by_subject::Migration),
            Box::new(m20261126_000064_searched_spaces_of_organization::Migration),
            Box::new(m20261126_000065_turns_of_organizations::Migration),
            Box::new(m20261126_000066_senders_of_invitations::Migration),
            Box::new(m20261127_000067_ranges_of_lists::Migration),
            Box::new(m20261127_000068_links_by_target::Migration),
        ]
    }
}
