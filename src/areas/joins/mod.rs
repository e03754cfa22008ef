//! Joins across contexts: queries that a lower context answers with rows of a higher one, in one place.

pub mod address_names;
pub mod git_state;
pub mod member_counts;
pub mod open_comments;
pub mod site_spaces;
pub mod space_details;
pub mod translations;
pub mod visitor_auth;
