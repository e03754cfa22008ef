//! Sites: what organizations publish, and to whom.

pub mod adaptive_content;
pub mod custom_hostnames;
pub mod embeds;
pub mod published_content;
pub mod publishing_auth;
pub mod share_links;
pub mod site_customization;
pub mod site_integrations;
pub mod site_permissions;
pub mod site_redirects;
pub mod site_search;
pub mod site_sections;
pub mod site_spaces;
pub mod site_structure;
pub mod sites;
pub mod structure;
pub mod subdomains;
pub mod urls;
