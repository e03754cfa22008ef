//! Content that is exchanged with Git repositories, and imports from elsewhere.

pub mod git_commits;
pub mod git_entries;
pub mod git_operations;
pub mod git_syncs;
pub mod import_runs;
pub mod pulled_objects;
