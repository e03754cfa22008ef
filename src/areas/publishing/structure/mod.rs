//! The structure of a site: groups, sections and site spaces in their order. What the areas of sites share.

pub mod conditions;
pub mod edit;
pub mod home_page;
mod languages;
pub mod list;
pub mod place;
pub mod shown_space;
pub mod site;
pub mod site_sections;
pub mod site_spaces;
pub mod site_structure;
pub mod store;
pub mod view;
