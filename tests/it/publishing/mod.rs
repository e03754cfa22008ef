//! Sites: what organizations publish, and to whom.

mod adaptive_content;
mod custom_hostnames;
mod published_content;
mod published_spaces;
mod share_links;
mod site_integrations;
mod site_permissions;
mod site_structure;
mod sites;
mod subdomains;
mod urls;
mod visitors;
