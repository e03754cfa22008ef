//! Content that is exchanged with Git repositories.

pub mod git_commits;
pub mod git_entries;
pub mod git_operations;
pub mod git_syncs;
