//! Content that comes in and goes out as files.

mod archives;
mod downloads;
mod export;
mod git_commands;
mod git_conflicts;
mod git_installations;
mod git_random;
mod git_sync;
mod import_run_kills;
mod import_runs;
mod pull;
mod pull_faults;
mod sources;
