//! Sites: what organizations publish, and to whom.

mod adaptive_content;
mod custom_hostnames;
mod embeds;
mod previews;
mod published_content;
mod published_spaces;
mod saml_visitors;
mod share_links;
mod site_customization;
mod site_defaults;
mod site_integrations;
mod site_names;
mod site_permissions;
mod site_proxies;
mod site_reading;
mod site_redirect_sets;
mod site_redirects;
mod site_search;
mod site_structure;
mod sites;
mod subdomains;
mod two_nodes;
mod urls;
mod visible_pages;
mod visible_parts;
mod visitors;
