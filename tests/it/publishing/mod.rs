//! Sites: what organizations publish, and to whom.

mod adaptive_content;
mod custom_hostnames;
mod published_content;
mod share_links;
mod site_structure;
mod sites;
mod subdomains;
mod visitors;
