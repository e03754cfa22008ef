//! Sites: what organizations publish, and to whom.

mod adaptive_content;
mod previews;
mod published_content;
mod share_links;
mod site_customization;
mod site_reading;
mod site_search;
mod site_structure;
mod sites;
mod visible_pages;
mod visitors;
