//! Tests of the service as its users and its attackers see it: over HTTP, with a real database of either kind.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod support;

mod access;
mod agent_instructions;
mod agreement;
mod audit;
mod backlinks;
mod blob_store;
mod change_requests;
mod collections;
mod comment_bodies;
mod comment_races;
mod comment_replies;
mod comment_reviews;
mod comment_targets;
mod comments;
mod content;
mod content_hostile;
mod content_links;
mod content_reads;
mod coverage;
mod db_cursor;
mod db_ids;
mod db_migrate;
mod db_page;
mod db_sqlite;
mod db_write;
mod document;
mod durability;
mod email_domains;
mod files;
mod first_run;
mod gates;
mod http;
mod import;
mod import_again;
mod import_kills;
mod invitations;
mod joining;
mod levels;
mod members;
mod merge_kills;
mod merge_rules;
mod merging;
mod organizations;
mod outbox;
mod paging;
mod permission_lists;
mod permissions;
mod races;
mod reactions;
mod reviews;
mod schema;
mod search_book;
mod search_index;
mod search_results;
mod space_moves;
mod spaces;
mod statements;
mod stopping;
mod system;
mod team_members;
mod teams;
mod tokens;
mod tree_races;
mod uploads;
mod users;
mod validation;
