//! Spaces and collections, and who may do what in them.

mod collections;
mod levels;
mod permission_lists;
mod permissions;
mod purge;
mod races;
mod space_lists;
mod space_moves;
mod space_races;
mod spaces;
mod template_kills;
mod templates;
mod tree_races;
