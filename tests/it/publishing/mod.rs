//! Sites: what organizations publish, and to whom.

mod adaptive_content;
mod published_content;
mod share_links;
mod site_customization;
mod site_redirects;
mod site_structure;
mod sites;
mod visitors;
